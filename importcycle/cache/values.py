"""Values as bytes, and back, such that bytes from a stranger do no harm.

The cache lies in the folder of the code under analysis, and may have come with it. So only the classes that are named
are made from its bytes, and nothing is called.
"""

from __future__ import annotations

import io
import pickle
import zlib
from collections.abc import Mapping
from dataclasses import is_dataclass
from enum import Enum
from types import ModuleType
from typing import Any

_BUILTINS: Mapping[str, Any] = {"frozenset": frozenset, "set": set, "complex": complex, "Ellipsis": ...}
SIZE_LIMIT = 256 * 1024 * 1024
"""Bytes of one value; more than that is none of ours."""


class UnknownContent(Exception):
    """The bytes are not such as ``pack`` makes, or of a class that was not named."""


def pack(value: object) -> bytes:
    """The value as compressed bytes; its classes must be among those that ``unpack`` is given."""
    return zlib.compress(pickle.dumps(value, protocol=5), 1)


def unpack(data: bytes, classes: Mapping[tuple[str, str], type]) -> Any:
    """The value that was packed.

    Args:
        data: What ``pack`` gave.
        classes: By module and name, the only classes of which there may be instances.

    Raises:
        UnknownContent: the bytes are damaged, or hold anything else.
    """
    decompressor = zlib.decompressobj()
    try:
        plain = decompressor.decompress(data, SIZE_LIMIT)
        if not decompressor.eof:
            raise UnknownContent("cut off, or too large")
        return _Unpickler(plain, classes).load()
    except UnknownContent:
        raise
    except Exception as error:  # damaged bytes can make nearly any
        raise UnknownContent(str(error)) from error


def classes_of(*modules: ModuleType) -> dict[tuple[str, str], type]:
    """The dataclasses and enumerations that these modules define, as ``unpack`` takes them."""
    return {
        (each.__module__, each.__qualname__): each
        for module in modules
        for each in vars(module).values()
        if isinstance(each, type)
        and each.__module__ == module.__name__
        and (is_dataclass(each) or issubclass(each, Enum))
    }


class _Unpickler(pickle.Unpickler):
    def __init__(self, data: bytes, classes: Mapping[tuple[str, str], type]) -> None:
        super().__init__(io.BytesIO(data))
        self._classes = classes

    def find_class(self, module: str, name: str) -> Any:
        if module == "builtins" and name in _BUILTINS:
            return _BUILTINS[name]
        try:
            return self._classes[module, name]
        except KeyError:
            raise UnknownContent(f"{module}.{name}") from None
