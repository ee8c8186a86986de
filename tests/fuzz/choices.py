"""Where the generator's decisions come from: a seeded random generator, or hypothesis, which can shrink them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Choices(Protocol):
    """A source of decisions.  Smaller numbers stand for simpler packages."""

    def below(self, limit: int) -> int:
        """A number from 0 up to, not including, the limit."""


class RandomChoices:
    """Decisions of a seeded random generator."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def below(self, limit: int) -> int:
        return self._random.randrange(limit)


class DrawnChoices:
    """Decisions that hypothesis draws."""

    def __init__(self, draw_below: Callable[[int], int]) -> None:
        self._draw_below = draw_below

    def below(self, limit: int) -> int:
        return self._draw_below(limit) if limit > 1 else 0


def chance(choices: Choices, percent: int) -> bool:
    """True in so many of a hundred cases; false is the simpler answer."""
    return choices.below(100) >= 100 - percent


def pick(choices: Choices, items: Sequence[Item]) -> Item:
    """One of the items, the first being the simplest."""
    return items[choices.below(len(items))]


def weighted(choices: Choices, items: Sequence[tuple[Item, int]]) -> Item:
    """One of the items, as often as its weight says."""
    number = choices.below(sum(weight for _, weight in items))
    for item, weight in items:
        number -= weight
        if number < 0:
            return item
    raise AssertionError("weights are positive")
