"""itertools, heapq, bisect: with items that are known the functions are simply called on them."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.evaluate.symbols import UnknownError, plain
from importcycle.values.model import (
    NONE,
    Constant,
    GeneratorValue,
    ListValue,
    TupleValue,
    Value,
    is_none,
    key_of,
)

MOST_ITEMS = 10_000
"""Items of an iterator that has no end of its own."""


def _number(value: Value | None, default: int | None) -> int | None:
    return value.value if isinstance(value, Constant) and isinstance(value.value, int) else default


def _iterator(items: Iterable[Value]) -> Value:
    return GeneratorValue(itertools.islice(items, MOST_ITEMS), "iterator")


def _on_items(name: str, function: Callable[..., Iterable[tuple[Value, ...]]]) -> Model:
    """A function of an iterable, and perhaps of a number, that gives tuples of its items."""

    def model(machine: Core, arguments: Arguments) -> Value:
        items = machine.items_of(arguments.positional[0])
        if items is None:
            return machine.unknown(f"itertools.{name}(...)")
        numbers = [each.value for each in arguments.positional[1:] if isinstance(each, Constant)]
        return _iterator(TupleValue(each) for each in function(items, *numbers))

    return model


def _count(machine: Core, arguments: Arguments) -> Value:
    start, step = _number(arguments.get(0, "start"), 0), _number(arguments.get(1, "step"), 1)
    return _iterator(Constant(number) for number in itertools.count(start or 0, step or 1))


def _repeat(machine: Core, arguments: Arguments) -> Value:
    times = _number(arguments.get(1, "times"), MOST_ITEMS)
    return _iterator(itertools.repeat(arguments.positional[0], max(0, times or 0)))


def _cycle(machine: Core, arguments: Arguments) -> Value:
    items = machine.items_of(arguments.positional[0])
    return machine.unknown("itertools.cycle(...)") if items is None else _iterator(itertools.cycle(items))


def _accumulate(machine: Core, arguments: Arguments) -> Value:
    items, function = machine.items_of(arguments.positional[0]), arguments.get(1, "func")
    if items is None:
        return machine.unknown("itertools.accumulate(...)")

    def combine(left: Value, right: Value) -> Value:
        if function is None or is_none(function):
            return machine.binary("+", left, right)
        return machine.call(function, Arguments((left, right)))

    initial = arguments.keywords.get("initial")
    return _iterator(itertools.accumulate(items if initial is None else [initial, *items], combine))


def _zip_longest(machine: Core, arguments: Arguments) -> Value:
    pools = [machine.items_of(each) for each in arguments.positional]
    if any(pool is None for pool in pools):
        return machine.unknown("itertools.zip_longest(...)")
    filling = arguments.keywords.get("fillvalue", NONE)
    rows = itertools.zip_longest(*(pool or () for pool in pools), fillvalue=filling)
    return _iterator(TupleValue(row) for row in rows)


def _compress(machine: Core, arguments: Arguments) -> Value:
    items, selectors = (machine.items_of(each) for each in arguments.positional[:2])
    if items is None or selectors is None:
        return machine.unknown("itertools.compress(...)")
    pairs = zip(items, selectors, strict=False)
    return _iterator(item for item, selector in pairs if machine.known_truth(selector))


def _group_by(machine: Core, arguments: Arguments) -> Value:
    items, key = machine.items_of(arguments.positional[0]), arguments.get(1, "key")
    if items is None:
        return machine.unknown("itertools.groupby(...)")

    def key_for(item: Value) -> Value:
        if key is None or is_none(key):
            return item
        return machine.call(key, Arguments((item,)))

    def groups() -> Iterator[Value]:
        pairs = [(key_for(item), item) for item in items]
        for _, group in itertools.groupby(pairs, lambda pair: key_of(pair[0])):
            members = list(group)
            yield TupleValue((members[0][0], ListValue(item for _, item in members)))

    return _iterator(groups())


# ------------------------------------------------------------------------------------------------ heapq, bisect
def _sort_key(machine: Core, value: Value) -> Any:
    return plain(value.items[0] if isinstance(value, TupleValue) and value.items else value, {})


def _heap_push(machine: Core, arguments: Arguments) -> Value:
    machine.call_method(arguments.positional[0], "append", arguments.positional[1])
    return NONE


def _heap_pop(machine: Core, arguments: Arguments) -> Value:
    heap = arguments.positional[0]
    if not isinstance(heap, ListValue) or not heap.items:
        return machine.unknown("heapq.heappop(...)")
    try:
        least = min(range(len(heap.items)), key=lambda index: _sort_key(machine, heap.items[index]))
    except (UnknownError, TypeError):
        least = 0
    return machine.call_method(heap, "pop", Constant(least))


def _bisection(function: Callable[[list[Any], Any], int]) -> Model:
    def model(machine: Core, arguments: Arguments) -> Value:
        sequence, item = arguments.positional[:2]
        try:
            return Constant(function(plain(sequence, {}), plain(item, {})))
        except (UnknownError, TypeError):
            return machine.unknown("bisect(...)")

    return model


def _insort(machine: Core, arguments: Arguments) -> Value:
    sequence, item = arguments.positional[:2]
    position = _bisection(bisect.bisect_right)(machine, arguments)
    if isinstance(position, Constant):
        machine.call_method(sequence, "insert", position, item)
    else:
        machine.call_method(sequence, "append", item)
    return NONE


MODELS: dict[str, Model] = {
    "itertools.count": _count,
    "itertools.repeat": _repeat,
    "itertools.cycle": _cycle,
    "itertools.accumulate": _accumulate,
    "itertools.zip_longest": _zip_longest,
    "itertools.compress": _compress,
    "itertools.groupby": _group_by,
    "itertools.permutations": _on_items("permutations", itertools.permutations),
    "itertools.combinations": _on_items("combinations", itertools.combinations),
    "itertools.combinations_with_replacement": _on_items(
        "combinations_with_replacement", itertools.combinations_with_replacement
    ),
    "itertools.pairwise": _on_items("pairwise", itertools.pairwise),
    "heapq.heapify": lambda machine, arguments: NONE,
    "heapq.heappush": _heap_push,
    "heapq.heappop": _heap_pop,
    "bisect.bisect": _bisection(bisect.bisect_right),
    "bisect.bisect_right": _bisection(bisect.bisect_right),
    "bisect.bisect_left": _bisection(bisect.bisect_left),
    "bisect.insort": _insort,
    "bisect.insort_right": _insort,
    "bisect.insort_left": _insort,
}
