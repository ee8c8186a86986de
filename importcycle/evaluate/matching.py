"""How long a match of a regular expression can take: some take exponential time, and nothing can interrupt them."""

from __future__ import annotations

import importlib
import math
import re
import sys
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

MOST_MATCHING_STEPS = 10_000_000

# The parser of the standard library; nobody else's reads these patterns just as it does.
_parser: Any = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
_ALPHABET = frozenset([*map(chr, range(128)), "é", "ß", "İ", "中", "٣", "\u2003", "\ud800"])
"""Characters that stand for all."""
_END = frozenset([""])
"""The end of the text, as what comes next."""
_CATEGORIES = {
    "CATEGORY_DIGIT": frozenset(each for each in _ALPHABET if re.match(r"\d", each)),
    "CATEGORY_SPACE": frozenset(each for each in _ALPHABET if re.match(r"\s", each)),
    "CATEGORY_WORD": frozenset(each for each in _ALPHABET if re.match(r"\w", each)),
}
_REPEATS = frozenset(["MAX_REPEAT", "MIN_REPEAT"])
_EMPTY = frozenset(["AT", "ASSERT", "ASSERT_NOT"])
_Item = tuple[Any, Any]


def is_quick(pattern: re.Pattern[Any], text: str | bytes, method: str) -> bool:
    """Whether the pattern is done with any text of this length in a moment."""
    tree = _tree(pattern.pattern, pattern.flags)
    if tree is None:
        return False
    length = len(text)
    starts = 1 if method in ("match", "fullmatch") else length + 1
    follow = _END if method == "fullmatch" else frozenset()
    return starts * _Estimate(length, bool(pattern.flags & re.IGNORECASE)).ways(tree, follow) <= MOST_MATCHING_STEPS


@lru_cache(maxsize=256)
def _tree(pattern: str | bytes, flags: int) -> list[_Item] | None:
    try:
        # The flags of a compiled pattern hold those that are written in it.
        return list(_parser.parse(pattern, flags & ~re.DEBUG))
    except (re.error, RecursionError, OverflowError, ValueError):
        return None


class _Estimate:
    """Counts the ways in which a pattern can be held against a text."""

    def __init__(self, length: int, ignores_case: bool) -> None:
        self._length = length
        self._ignores_case = ignores_case

    def ways(self, items: Sequence[_Item], follow: frozenset[str]) -> float:
        """An upper bound; ``follow`` are the characters that may come next behind the items."""
        product = 1.0
        for index, item in enumerate(items):
            product *= self._ways_of(item, self._first(items[index + 1 :], follow))
            if product > MOST_MATCHING_STEPS:
                return math.inf
        return product

    def _ways_of(self, item: _Item, follow: frozenset[str]) -> float:
        name, content = str(item[0]), item[1]
        if name in _REPEATS:
            least, most, inner = content
            return self._ways_of_repeat(int(least), int(most), list(inner), follow)
        if name == "BRANCH":
            ways = [self.ways(list(branch), follow) for branch in content[1]]
            firsts = [self._first(list(branch), follow) for branch in content[1]]
            is_plain = sum(map(len, firsts)) == len(frozenset().union(*firsts))
            return max(ways) if is_plain else sum(ways)
        return math.prod((self.ways(inner, follow) for inner in _inside(item)), start=1.0)

    def _ways_of_repeat(self, least: int, most: int, inner: list[_Item], follow: frozenset[str]) -> float:
        first = self._first(inner, frozenset())
        count = min(most, self._length) - min(least, self._length) + 1
        # Where nothing that may follow could also go on with the repetition, it can end at one place only.
        ends = count if first & follow or _may_be_empty(inner) else 1
        once = self.ways(inner, follow | first)
        if once == 1:
            return max(1, ends)
        times = min(most, self._length)
        return math.inf if times * math.log(once) > 50 else max(1, ends) * once**times

    def _first(self, items: Sequence[_Item], follow: frozenset[str]) -> frozenset[str]:
        """The characters that the items, and what follows them, may begin with."""
        found: frozenset[str] = frozenset()
        for item in items:
            found |= self._first_of(item)
            if not _may_be_empty([item]):
                return found
        return found | follow

    def _first_of(self, item: _Item) -> frozenset[str]:
        name, content = str(item[0]), item[1]
        match name:
            case "LITERAL" | "NOT_LITERAL" | "IN" | "RANGE" | "CATEGORY":
                return self._characters(name, content)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                return self._first(list(content[2]), frozenset())
            case "BRANCH":
                return frozenset().union(*(self._first(list(branch), frozenset()) for branch in content[1]))
            case "SUBPATTERN" | "ATOMIC_GROUP":
                return frozenset().union(*(self._first(inner, frozenset()) for inner in _inside(item)))
            case "AT":  # all but the end may stand before anything
                return _END | {"\n"} if "END" in str(content) else _ALPHABET
        return frozenset() if name in _EMPTY else _ALPHABET

    def _characters(self, name: str, content: Any) -> frozenset[str]:
        match name:
            case "LITERAL":
                return self._cases([chr(content)])
            case "NOT_LITERAL":
                return _ALPHABET - {chr(content)}
            case "RANGE":
                return self._cases(each for each in _ALPHABET if content[0] <= ord(each) <= content[1])
            case "CATEGORY":
                positive = str(content).replace("NOT_", "").replace("UNI_", "").replace("LOC_", "")
                found = _CATEGORIES.get(positive, _ALPHABET)
                return _ALPHABET - found if "NOT_" in str(content) else found
        parts = [(str(each[0]), each[1]) for each in content]
        chosen = frozenset().union(*(self._characters(*part) for part in parts if part[0] != "NEGATE"))
        return _ALPHABET - chosen if parts and parts[0][0] == "NEGATE" else chosen

    def _cases(self, characters: Iterable[str]) -> frozenset[str]:
        every = set(characters)
        if self._ignores_case:
            every |= {form for each in every for form in (each.lower(), each.upper(), each.swapcase())}
        return frozenset(every)


def _inside(item: _Item) -> list[list[_Item]]:
    """The sequences of items that stand inside an item."""
    name, content = str(item[0]), item[1]
    match name:
        case "SUBPATTERN":
            return [list(content[3])]
        case "ATOMIC_GROUP":
            return [list(content)]
        case "POSSESSIVE_REPEAT":
            return [list(content[2])]
        case "ASSERT" | "ASSERT_NOT":
            return [list(content[1])]
        case "GROUPREF_EXISTS":
            return [list(each) for each in content[1:] if each is not None]
    return []


def _may_be_empty(items: Iterable[_Item]) -> bool:
    return all(_is_optional(item) for item in items)


def _is_optional(item: _Item) -> bool:
    name, content = str(item[0]), item[1]
    match name:
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return content[0] == 0 or _may_be_empty(content[2])
        case "BRANCH":
            return any(_may_be_empty(branch) for branch in content[1])
        case "SUBPATTERN" | "ATOMIC_GROUP" | "GROUPREF_EXISTS":
            return all(_may_be_empty(inner) for inner in _inside(item))
    return name in _EMPTY or name == "GROUPREF"
