"""Source files as bytes and as text."""

from __future__ import annotations

import io
import os
import re
import stat
import tokenize
from pathlib import Path

from importcycle.project.errors import SourceError
from importcycle.project.model import Module, ModuleKind

SOURCE_SIZE_LIMIT = 4_000_000
"""Files of more bytes are not read: they hold generated data, and a syntax tree takes some 250 times their size."""
PARSER_OPERATOR_LIMIT = 40_000
"""Operators that a file may have for a parser to be trusted with it, see ``may_exhaust_parser``."""

_OPERATORS = "+-*/%@&|^<>.(["
_BEFORE_BRACKETS = frozenset("([{,;=:+-*/%@&|^<>~!")
_CHAIN_TOKEN = re.compile(
    r"""
      \#[^\n]* | \\\n
    | "(?:""(?:[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*(?:\"{3})?)?|[^"\\\n]*(?:\\.[^"\\\n]*)*"?)
    | '(?:''(?:[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*(?:'{3})?)?|[^'\\\n]*(?:\\.[^'\\\n]*)*'?)
    | (?P<operator>[-+*/%@&|^<>.~!]+) | (?P<opening>[(\[{]) | (?P<closing>[)\]}]) | (?P<comma>,) | (?P<end>[;\n])
    """,
    re.VERBOSE | re.DOTALL,
)
_UTF8_MARK = b"\xef\xbb\xbf"


def read_source(module: Module) -> bytes:
    """The source of a module; empty for a namespace package.

    Raises:
        SourceError: it has no source, is no regular file, is too large, or cannot be read.
    """
    if module.kind is ModuleKind.NAMESPACE:
        return b""
    if module.kind is ModuleKind.EXTENSION:
        raise SourceError("compiled module without source")
    return read_file(module.path, module.most_bytes)


def read_file(path: Path, limit: int | None = None) -> bytes:
    """The bytes of a regular file, of at most ``limit`` bytes (``SOURCE_SIZE_LIMIT`` if not given).

    Raises:
        SourceError: it is no regular file, is too large, or cannot be read.
    """
    try:
        # Without O_NONBLOCK the opening of a FIFO would wait for a writer, should it have taken the file's place.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError) as error:
        raise SourceError(reason_of(error)) from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise SourceError("not a regular file")
        limit = SOURCE_SIZE_LIMIT if limit is None else limit
        if status.st_size > limit:
            raise SourceError(f"larger than {limit / 1_000_000:g} MB, see the setting 'max-file-size'")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(limit)
    except OSError as error:
        raise SourceError(reason_of(error)) from error
    finally:
        os.close(descriptor)


def decode_source(data: bytes) -> str:
    """The text of a source file, by its byte order mark or coding comment (PEP 263), else UTF-8.

    Line ends are left as they are.

    Raises:
        SourceError: the encoding is unknown or does not fit, or there is a null byte.
    """
    if b"\0" in data:
        raise SourceError("null byte in the source")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        raise SourceError(str(error.msg)) from error
    body = data.removeprefix(_UTF8_MARK) if encoding == "utf-8-sig" else data
    encoding = "utf-8" if encoding == "utf-8-sig" else encoding
    try:
        return body.decode(encoding)
    except (UnicodeError, LookupError, ValueError) as error:
        raise SourceError(f"not valid {encoding}") from error


def unify_line_ends(text: str) -> str:
    """The text with a line feed at the end of each line, whatever it had."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def may_exhaust_parser(text: str) -> bool:
    """Whether a parser may end the process by a stack overflow on this text.

    Chains such as ``1+1+1`` or ``a.b.c`` become trees as deep as they are long. Parsers written in C or Rust take some
    fifty thousand links and then crash with no exception. Few files that people write have nearly so many operators;
    those that machines write have them in many short chains.
    """
    if len(text) <= PARSER_OPERATOR_LIMIT or sum(map(text.count, _OPERATORS)) <= PARSER_OPERATOR_LIMIT:
        return False
    return _has_long_chain(text)


def _has_long_chain(text: str) -> bool:
    """Whether one expression, with those that it stands in, has more operators than a parser is trusted with."""
    open_chains: list[int] = []
    chain = total = 0
    for match in _CHAIN_TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "operator":
            links = match.end() - match.start()
        else:
            # A call or a subscript is a link, a bracket of its own is none.
            links = int(kind == "opening" and _follows_value(text, match.start()))
        chain += links
        total += links
        if total > PARSER_OPERATOR_LIMIT:
            return True
        if kind == "opening":
            open_chains.append(chain)
            chain = 0
        elif kind == "closing":
            total -= chain
            chain = open_chains.pop() if open_chains else 0
        elif kind == "comma" or (kind == "end" and not open_chains):
            total -= chain
            chain = 0
    return False


def _follows_value(text: str, position: int) -> bool:
    position -= 1
    while position >= 0 and text[position] in " \t":
        position -= 1
    return position >= 0 and text[position] not in _BEFORE_BRACKETS


def reason_of(error: OSError | ValueError) -> str:
    """The reason in an operating system error, without the path."""
    text = error.strerror if isinstance(error, OSError) else str(error)
    return (text or type(error).__name__).lower()
