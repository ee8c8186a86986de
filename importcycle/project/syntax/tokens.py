"""Tokens of Python source in the syntax of any version, as far as it takes to find what is new in it.

The tokenizer of the standard library takes only what the running Python knows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from importcycle.project.syntax.strings import StringToken, UnclearError, read_string

__all__ = ["Token", "TokenKind", "UnclearError", "tokens_of"]

_TOKEN = re.compile(
    r"""
      (?P<blank>[ \t\f]+ | \\\n | \#[^\n]*)
    | (?P<newline>\n)
    | (?P<string>(?:[rRbBuUfFtT]|[rR][bBfFtT]|[bBfFtT][rR])?(?:\"{3}|'{3}|"|'))
    | (?P<name>[^\W\d]\w*)
    | (?P<other>\d[\w.]* | .)
    """,
    re.VERBOSE | re.DOTALL,
)


class TokenKind(Enum):
    """What a token is."""

    NAME = "name"
    """A name or keyword."""
    STRING = "string"
    NEWLINE = "newline"
    """The end of a logical line."""
    OTHER = "other"
    """A number, or one character of an operator."""


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text; white space and comments are none."""

    kind: TokenKind
    start: int
    end: int
    text: str
    """Empty for strings."""
    string: StringToken | None = None


def tokens_of(text: str) -> list[Token]:
    """The tokens of a text whose lines end with a line feed, and a last end of line.

    Raises:
        UnclearError: a string or a replacement field has no end.
    """
    tokens: list[Token] = []
    position = depth = 0
    while match := _TOKEN.match(text, position):
        position = match.end()
        match match.lastgroup:
            case "newline" if depth == 0:
                tokens.append(Token(TokenKind.NEWLINE, match.start(), position, "\n"))
            case "string":
                string = read_string(text, match.start(), position)
                position = string.end
                tokens.append(Token(TokenKind.STRING, string.start, string.end, "", string))
            case "name":
                tokens.append(Token(TokenKind.NAME, match.start(), position, match.group()))
            case "other":
                word = match.group()
                depth = max(0, depth + (word in "([{") - (word in ")]}"))
                tokens.append(Token(TokenKind.OTHER, match.start(), position, word))
    # Whoever looks ahead finds ends of lines behind the last token.
    return [*tokens, *[Token(TokenKind.NEWLINE, len(text), len(text), "\n")] * 4]
