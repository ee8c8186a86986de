"""Tests as their source texts, written in one way."""

from __future__ import annotations

import ast
import warnings
from functools import lru_cache

_LONGEST_PARSED = 2_000
"""Characters; a longer text could nest deep enough to exhaust the parser."""


@lru_cache(maxsize=4_096)
def canonical_test(text: str) -> str:
    """The expression in one way of writing: spaces, quotes, line breaks and needless brackets make no difference.

    A text that is no expression keeps its words, with one space between them.
    """
    words = " ".join(text.split())
    if len(words) > _LONGEST_PARSED:
        return words
    with warnings.catch_warnings():
        # Invalid escape sequences in a target's source are none of this run's warnings.
        warnings.simplefilter("ignore")
        try:
            return ast.unparse(ast.parse(words, mode="eval"))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return words
