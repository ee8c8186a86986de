"""Text that comes from the target is data: nothing in it may steer a terminal."""

from __future__ import annotations

import unicodedata

_HARMFUL_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Control and format characters (terminal sequences, direction overrides), lone surrogates, separators of lines."""


def printable(text: str) -> str:
    """The text with tabs as spaces and each character that could act on a terminal shown as an escape."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(character) for character in text.replace("\t", "    "))


def _escaped(character: str) -> str:
    if unicodedata.category(character) in _HARMFUL_CATEGORIES:
        return character.encode("unicode_escape").decode("ascii")
    return character
