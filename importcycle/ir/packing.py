"""Lowered modules as bytes: for the cache, and from one process to another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache

from importcycle.cache import UnknownContent, classes_of, digest_of, pack, tool_identity, unpack
from importcycle.ir import code as code_module
from importcycle.ir import lowering, nodes
from importcycle.ir.code import ModuleCode
from importcycle.project.model import Module


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


def packed_codes(codes: Iterable[tuple[bytes, ModuleCode]]) -> Iterator[tuple[bytes, bytes]]:
    """What can be kept of codes, each with its key: not those that are nested too deeply to be packed."""
    for key, code in codes:
        with suppress(RecursionError):
            yield key, pack_code(code)


def code_key(module: Module, digest: bytes) -> bytes:
    """What a module's code is kept under, for a digest of its content."""
    names = (each.encode("utf-8", "surrogatepass") for each in (module.name, module.display_path))
    return digest_of(b"code", tool_identity(), *names, digest)


@lru_cache(maxsize=1)
def _classes() -> Mapping[tuple[str, str], type]:
    return classes_of(nodes, code_module, lowering)
