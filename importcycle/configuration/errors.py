"""What can be wrong with a configuration."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class ConfigurationError(Exception):
    """A setting is unknown, has the wrong type or value, or its file cannot be read; the text names key and file."""


def did_you_mean(text: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` with the nearest of the known words, or nothing."""
    near = difflib.get_close_matches(text.replace("_", "-").lower(), list(known), 1)
    return f"; did you mean {near[0]!r}?" if near else ""
