"""``collections.Counter``: a dict of counts; those of what was not counted are 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.evaluate.library.builtin_functions import sort_items
from importcycle.values.model import (
    NONE,
    TRUE,
    Constant,
    DictValue,
    GeneratorValue,
    ListValue,
    NativeFunction,
    TupleValue,
    Value,
)

ZERO = Constant(0)


def _counter(machine: Core, arguments: Arguments) -> Value:
    counts = DictValue(default=NativeFunction("zero", lambda inner, given: ZERO), keeps_default=False)
    methods: dict[str, Callable[[Core, DictValue, Arguments], Value]] = {
        "update": _change("+"), "subtract": _change("-"), "most_common": _most_common, "elements": _elements,
        "total": _total, "copy": _copy,
    }  # fmt: skip
    counts.attributes = {name: NativeFunction(name, _bound(method, counts)) for name, method in methods.items()}
    counts.attributes["__add__"] = NativeFunction("__add__", _combined("+", counts))
    counts.attributes["__sub__"] = NativeFunction("__sub__", _combined("-", counts))
    _change("+")(machine, counts, arguments)
    return counts


def _bound(method: Callable[[Core, DictValue, Arguments], Value], counts: DictValue) -> Model:
    return lambda machine, arguments: method(machine, counts, arguments)


def _count_of(counts: DictValue, machine: Core, item: Value) -> Value:
    return counts.items.get(machine.hash_key(item), (item, ZERO))[1]


def _counted(machine: Core, given: Value | None, keywords: dict[str, Value]) -> list[tuple[Value, Value]] | None:
    """The items to count, with how often; None where they are not known."""
    pairs: list[tuple[Value, Value]] = []
    if isinstance(given, DictValue):
        if given.is_open:
            return None
        pairs += given.items.values()
    elif given is not None:
        items = machine.items_of(given)
        if items is None:
            return None
        pairs += [(item, Constant(1)) for item in items]
    return pairs + [(Constant(name), count) for name, count in keywords.items()]


def _change(operator: str) -> Callable[[Core, DictValue, Arguments], Value]:
    def method(machine: Core, counts: DictValue, arguments: Arguments) -> Value:
        machine.note_mutation(counts)
        pairs = _counted(machine, arguments.get(0, "iterable"), arguments.keywords)
        if pairs is None:
            machine.trail.set_attribute(counts, "is_open", True)
        for item, number in pairs or ():
            count = machine.binary(operator, _count_of(counts, machine, item), number)
            machine.trail.set_item(counts.items, machine.hash_key(item), (item, count))
        return NONE

    return method


def _combined(operator: str, left: DictValue) -> Model:
    """``a + b`` and ``a - b``: only counts above zero stay."""

    def method(machine: Core, arguments: Arguments) -> Value:
        right = arguments.positional[0]
        if not isinstance(right, DictValue) or left.is_open or right.is_open:
            return machine.unknown("a Counter")
        result = _counter(machine, Arguments())
        assert isinstance(result, DictValue)
        for key, (item, _) in {**left.items, **right.items}.items():
            count = machine.binary(operator, _count_of(left, machine, item), _count_of(right, machine, item))
            if machine.known_truth(machine.compare(">", count, ZERO)):
                result.items[key] = (item, count)
        return result

    return method


def _most_common(machine: Core, counts: DictValue, arguments: Arguments) -> Value:
    pairs: list[Value] = [TupleValue(pair) for pair in counts.items.values()]
    by_count = NativeFunction("count", lambda inner, given: inner.get_item(given.positional[0], Constant(1)))
    # Sorted from the last to the first and turned round, equal counts keep their order.
    ordered = sort_items(machine, pairs[::-1], by_count, TRUE)
    number: Any = arguments.get(0, "n")
    limit = number.value if isinstance(number, Constant) and isinstance(number.value, int) else len(ordered)
    return ListValue(ordered[: max(0, limit)], counts.is_open)


def _elements(machine: Core, counts: DictValue, arguments: Arguments) -> Value:
    pairs = list(counts.items.values())
    known = [(item, count.value) for item, count in pairs if isinstance(count, Constant)]
    if len(known) < len(pairs) or counts.is_open:
        return machine.unknown("Counter.elements()")
    return GeneratorValue((item for item, count in known for _ in range(count)), "iterator")


def _total(machine: Core, counts: DictValue, arguments: Arguments) -> Value:
    total: Value = ZERO
    for _, count in counts.items.values():
        total = machine.binary("+", total, count)
    return total


def _copy(machine: Core, counts: DictValue, arguments: Arguments) -> Value:
    return _counter(machine, Arguments((counts,)))


MODELS: dict[str, Model] = {"collections.Counter": _counter}
