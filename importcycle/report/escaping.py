"""Text that comes from the target is data: nothing in it may steer a terminal, or the runner of a CI job."""

from __future__ import annotations

import re
import unicodedata

_HARMFUL_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Control and format characters (terminal sequences, direction overrides), lone surrogates, separators of lines."""

_RUNNER_COMMAND = re.compile(r"^(\s*):(?=:)|#(?=#\[)")
"""How GitHub Actions tells commands in what a job prints: ``::command`` first on a line, ``##[command]`` anywhere."""


def printable(text: str) -> str:
    """The text with tabs as spaces, and what could act on a terminal or as a command in a CI job as escapes."""
    if not (text.isascii() and text.isprintable()):
        text = "".join(_escaped(character) for character in text.replace("\t", "    "))
    if "::" in text or "##[" in text:
        text = _RUNNER_COMMAND.sub(lambda found: f"{found[1] or ''}\\x{ord(found[0][-1]):02x}", text)
    return text


def _escaped(character: str) -> str:
    if unicodedata.category(character) in _HARMFUL_CATEGORIES:
        return character.encode("unicode_escape").decode("ascii")
    return character
