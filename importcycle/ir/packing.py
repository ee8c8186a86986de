"""Lowered modules as bytes: for the cache, and from one process to another."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from importcycle.cache import UnknownContent, classes_of, pack, unpack
from importcycle.ir import code as code_module
from importcycle.ir import lowering, nodes
from importcycle.ir.code import ModuleCode


def pack_code(code: ModuleCode) -> bytes:
    """The module's code without its text."""
    return pack(code)


def unpack_code(data: bytes, text: str) -> ModuleCode:
    """The code that was packed, with the text that it was lowered from.

    Raises:
        UnknownContent: the bytes are no packed code.
    """
    code = unpack(data, _classes())
    if not isinstance(code, ModuleCode):
        raise UnknownContent("no code of a module")
    code.source.text = text
    return code


@lru_cache(maxsize=1)
def _classes() -> Mapping[tuple[str, str], type]:
    return classes_of(nodes, code_module, lowering)
