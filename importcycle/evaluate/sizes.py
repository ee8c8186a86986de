"""How large the result of an operation on plain values would be, told before it is done: few words can ask for much."""

from __future__ import annotations

import fractions
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

LARGEST_TEXT = 200_000
"""Characters or bytes of a result that is still computed."""
LONGEST_SEQUENCE = 100_000
"""Items of a list, tuple, set or dictionary that are still kept apart."""
LONGEST_ITERATION = 5_000
"""Items that are asked of an iterator of the program's own, which may have no end."""
LARGEST_NUMBER_BITS = 10_000

_WIDTH = re.compile(r"\d{6,}")
_NESTED_FIELD = re.compile(r"\{[^{}]*\{")
_LARGE_EXPONENT = re.compile(r"[eE][+-]?[\d_]{5,}")
_FIELDS = re.compile(r"[@=<>!]?(?:\d*[a-zA-Z?]|\s)+")
_PADDING = frozenset(["ljust", "rjust", "center", "zfill", "expandtabs", "to_bytes"])


def is_large_result(operator: str, left: Any, right: Any) -> bool:
    """Whether a binary operator would give a value that is too large."""
    if operator == "%" and isinstance(left, str | bytes):
        return is_large_format(left, right if isinstance(right, tuple) else (right,))
    if operator == "*":
        for text, count in ((left, right), (right, left)):
            if isinstance(text, str | bytes) and isinstance(count, int):
                return len(text) * count > LARGEST_TEXT
    if operator == "+" and isinstance(left, str | bytes) and isinstance(right, str | bytes):
        return len(left) + len(right) > LARGEST_TEXT
    if operator == "**":
        if isinstance(left, float | complex) or isinstance(right, float | complex):
            return False
        return isinstance(right, int) and bits(left) * abs(right) > LARGEST_NUMBER_BITS
    if operator == "<<":
        return isinstance(right, int) and right > LARGEST_NUMBER_BITS
    return bits(left) + bits(right) > LARGEST_NUMBER_BITS


def bits(value: Any) -> int:
    """The size of an exact number in bits; 0 for all else."""
    match value:
        case int():
            return value.bit_length()
        case fractions.Fraction():
            return value.numerator.bit_length() + value.denominator.bit_length()
    return 0


def is_large_method(name: str, content: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """Whether a method of a string, of bytes or of a number would give a value that is too large."""
    every = [*arguments, *keywords.values()]
    if name in _PADDING:
        tabs = content.count("\t" if isinstance(content, str) else b"\t") if name == "expandtabs" else 1
        return any(isinstance(each, int) and each * max(tabs, 1) > LARGEST_TEXT for each in every)
    if not isinstance(content, str | bytes):
        return False
    occurrences: Any = content.count
    match name:
        case "join" if every and isinstance(every[0], Iterable):
            parts = [len(each) + len(content) for each in every[0] if isinstance(each, str | bytes)]
            return sum(parts) > LARGEST_TEXT
        case "replace" if len(every) > 1 and isinstance(every[1], str | bytes):
            old: Any = every[0]
            times = occurrences(old) if isinstance(old, type(content)) else 0
            return len(content) + times * len(every[1]) > LARGEST_TEXT
        case "translate" if every and isinstance(every[0], Mapping):
            longest = max((len(each) for each in every[0].values() if isinstance(each, str)), default=1)
            return len(content) * longest > LARGEST_TEXT
        case "format" | "format_map":
            return is_large_format(content, every)
        case "hex":
            return len(content) * (2 + sum(len(each) for each in every if isinstance(each, str))) > LARGEST_TEXT
    return False


def is_large_format(template: str | bytes, arguments: Sequence[Any]) -> bool:
    """Whether a template, of ``%`` or of ``format``, would give a text that is too large."""
    text = template.decode("latin-1") if isinstance(template, bytes) else template
    fields = text.count("{") + text.count("%")
    if _WIDTH.search(text) or len(text) > LARGEST_TEXT:
        return True
    if "*" in text or _NESTED_FIELD.search(text):
        return any(isinstance(each, int) and abs(each) > LARGEST_TEXT for each in arguments)
    longest = max((len(each) for each in arguments if isinstance(each, str | bytes)), default=0)
    return len(text) + fields * longest > LARGEST_TEXT


def is_large_request(values: Iterable[Any]) -> bool:
    """Whether texts ask for numbers of many digits (``1e999999999``) or for wide fields (as in formats of struct)."""
    texts = [each.decode("latin-1") if isinstance(each, bytes) else each for each in values]
    return any(
        isinstance(each, str) and (_LARGE_EXPONENT.search(each) or (_FIELDS.fullmatch(each) and _WIDTH.search(each)))
        for each in texts
    )
