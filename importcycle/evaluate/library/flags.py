"""enum.Flag: members that combine."""

from __future__ import annotations

import operator
from collections.abc import Callable

from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.values.model import FALSE, NONE, TRUE, ClassValue, Constant, DictValue, InstanceValue, Value


def _number(value: Value) -> int | None:
    content = value.attributes.get("value") if isinstance(value, InstanceValue) else value
    return content.value if isinstance(content, Constant) and isinstance(content.value, int) else None


def _flag_of(cls: ClassValue, number: int) -> Value:
    """The member of that value, or a combination of members."""
    members = cls.namespace.get("_member_map_")
    for _, member in members.items.values() if isinstance(members, DictValue) else ():
        if _number(member) == number:
            return member
    made = InstanceValue(cls)
    names = {"name": NONE, "_name_": NONE, "value": Constant(number), "_value_": Constant(number)}
    made.attributes.update(names)
    return made


def _combined(combine: Callable[[int, int], int]) -> Model:
    def model(machine: Core, arguments: Arguments) -> Value:
        left, right = arguments.positional
        numbers = _number(left), _number(right)
        if numbers[0] is None or numbers[1] is None or not isinstance(left, InstanceValue):
            return machine.unknown(f"{machine.describe(left)}, {machine.describe(right)}")
        return _flag_of(left.cls, combine(numbers[0], numbers[1]))

    return model


def _inverted(machine: Core, arguments: Arguments) -> Value:
    value = arguments.positional[0]
    number = _number(value)
    if number is None or not isinstance(value, InstanceValue):
        return machine.unknown("~flag")
    members = value.cls.namespace.get("_member_map_")
    every = [_number(member) or 0 for _, member in members.items.values()] if isinstance(members, DictValue) else []
    return _flag_of(value.cls, sum({each for each in every if each.bit_count() == 1}) & ~number)


def _contains(machine: Core, arguments: Arguments) -> Value:
    whole, part = (_number(each) for each in arguments.positional[:2])
    if whole is None or part is None:
        return machine.unknown("a flag in another")
    return TRUE if whole & part == part else FALSE


def _is_set(machine: Core, arguments: Arguments) -> Value:
    number = _number(arguments.positional[0])
    return machine.unknown("bool(flag)") if number is None else (TRUE if number else FALSE)


METHODS: dict[str, Model] = {
    **dict.fromkeys(("__or__", "__ror__"), _combined(operator.or_)),
    **dict.fromkeys(("__and__", "__rand__"), _combined(operator.and_)),
    **dict.fromkeys(("__xor__", "__rxor__"), _combined(operator.xor)),
    "__invert__": _inverted,
    "__contains__": _contains,
    "__bool__": _is_set,
}
