"""String literals in the syntax of any version: f-strings may hold whatever they like since 3.12."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

_MOST_NESTED = 60
"""Strings in replacement fields of strings; Python itself gives up sooner."""
_IN_FIELD = re.compile(
    r"""
      (?P<blank>[ \t\f\n]+ | \\\n | \#[^\n]*)
    | (?P<string>(?:[rRbBuUfFtT]|[rR][bBfFtT]|[bBfFtT][rR])?(?:\"{3}|'{3}|"|'))
    | (?P<operator>[!=<>]= | :=)
    | (?P<other>\w+ | .)
    """,
    re.VERBOSE | re.DOTALL,
)
_DEBUG_END = re.compile(r"=(?:\s|#[^\n]*\n)*(?=[!:}])")
_CONVERSION = re.compile(r"!\s*([^\W\d]\w*)\s*")
_NAMED_CHARACTER = re.compile(r"\\N\{[^{}\n]*\}")


class UnclearError(Exception):
    """A string or a bracket has no end: the text is no Python of any version."""


@dataclass(frozen=True, slots=True)
class Field:
    """A replacement field: its expression by offsets, and how it is formatted."""

    start: int
    end: int
    conversion: str
    """One letter, or nothing."""
    specification: tuple[str | Field, ...] | None


@dataclass(frozen=True, slots=True)
class StringToken:
    """A string literal."""

    start: int
    end: int
    is_formatted: bool
    is_template: bool
    parts: tuple[str | Field, ...]
    """The text, decoded, and the replacement fields in it."""


def read_string(text: str, start: int, opened: int, nesting: int = 0) -> StringToken:
    """The string literal that starts at an offset, and whose opening quotes end at another.

    Raises:
        UnclearError: it has no end.
    """
    if nesting > _MOST_NESTED:
        raise UnclearError
    return _StringReader(text, start, opened, nesting).read()


class _StringReader:
    def __init__(self, text: str, start: int, opened: int, nesting: int) -> None:
        self._text = text
        self._start = start
        opening = text[start:opened]
        self._prefix = opening.rstrip("\"'").lower()
        self._quote = opening[len(self._prefix) :]
        self._position = opened
        self._nesting = nesting

    def read(self) -> StringToken:
        is_formatted, is_template = "f" in self._prefix, "t" in self._prefix
        parts = self._parts(has_fields=is_formatted or is_template, in_specification=False)
        self._position += len(self._quote)
        return StringToken(self._start, self._position, is_formatted, is_template, tuple(parts))

    def _parts(self, *, has_fields: bool, in_specification: bool) -> list[str | Field]:
        """What follows, up to the closing quotes or, in a format specification, the closing brace."""
        text = self._text
        ending = self._chunk_ends(has_fields)
        parts: list[str | Field] = []
        begin = self._position
        while True:
            match = ending.search(text, self._position)
            if match is None:
                raise UnclearError
            self._position = match.end()
            found = match.group()
            if found[0] == "\\" or found in ("{{", "}}"):
                if found in ("{{", "}}") and in_specification:
                    self._position = match.start() + 1
                    found = found[0]
                else:
                    continue
            if found == "\n":
                if len(self._quote) == 1:
                    raise UnclearError
                continue
            if found == "}" and not in_specification:
                continue
            self._add_text(parts, text[begin : match.start()])
            if found == "{":
                self._position = match.start() + 1
                parts += self._field()
                begin = self._position
                continue
            self._position = match.start()
            return parts

    def _chunk_ends(self, has_fields: bool) -> re.Pattern[str]:
        """What ends or interrupts the text: quotes, ends of lines, escapes, and braces."""
        if not has_fields:
            return re.compile(rf"\\.|{self._quote}|\n", re.DOTALL)
        escape = r"\\[^{}]" if "r" in self._prefix else rf"{_NAMED_CHARACTER.pattern}|\\[^{{}}]"
        return re.compile(rf"{escape}|\{{\{{|\}}\}}|[{{}}]|{self._quote}|\n", re.DOTALL)

    def _add_text(self, parts: list[str | Field], chunk: str) -> None:
        if chunk:
            parts.append(self._decoded(chunk))

    def _decoded(self, chunk: str) -> str:
        if self._prefix in ("f", "fr", "rf", "t", "tr", "rt"):
            chunk = chunk.replace("{{", "{").replace("}}", "}")
        prefix = "r" if "r" in self._prefix else ""
        if "b" in self._prefix or (prefix and "\\" not in chunk) or ("\\" not in chunk):
            return chunk
        try:
            return str(ast.literal_eval(f"{prefix}{self._quote}{chunk}{self._quote}"))
        except (SyntaxError, ValueError):
            return chunk

    def _field(self) -> list[str | Field]:
        """A replacement field, behind its opening brace; with the text that ``=`` puts before it."""
        start = self._position
        end, debug_end = self._expression()
        conversion = ""
        specification: tuple[str | Field, ...] | None = None
        if self._text[self._position] == "!":
            match = _CONVERSION.match(self._text, self._position)
            if match is None:
                raise UnclearError
            conversion = match[1][0]
            self._position = match.end()
        if self._text[self._position : self._position + 1] == ":":
            self._position += 1
            specification = tuple(self._parts(has_fields=True, in_specification=True))
        if self._text[self._position : self._position + 1] != "}":
            raise UnclearError
        self._position += 1
        if debug_end is None:
            return [Field(start, end, conversion, specification)]
        if not conversion and specification is None:
            conversion = "r"
        return [self._text[start:debug_end], Field(start, end, conversion, specification)]

    def _expression(self) -> tuple[int, int | None]:
        """Go to the end of an expression; gives its end, and that of the ``=`` which shows it, if there is one."""
        depth = 0
        while match := _IN_FIELD.match(self._text, self._position):
            found = match.group()
            if match.lastgroup == "string":
                nested = read_string(self._text, match.start(), match.end(), self._nesting + 1)
                self._position = nested.end
                continue
            if depth == 0 and match.lastgroup in ("other", "operator"):
                if found in ("}", "!", ":", ":="):
                    return match.start(), None
                debug = _DEBUG_END.match(self._text, match.start()) if found == "=" else None
                if debug is not None:
                    self._position = debug.end()
                    return match.start(), debug.end()
            depth += (found in ("(", "[", "{")) - (found in (")", "]", "}"))
            self._position = match.end()
        raise UnclearError
