"""What the abstract classes of ``collections.abc`` give to the classes that derive from them."""

from __future__ import annotations

from collections.abc import Callable

from importcycle.evaluate.core import Arguments, Core
from importcycle.evaluate.signals import Raised
from importcycle.values.model import (
    FALSE,
    NONE,
    TRUE,
    BoundMethod,
    Constant,
    DictValue,
    External,
    InstanceValue,
    ListValue,
    NativeFunction,
    TupleValue,
    Value,
)

Method = Callable[[Core, InstanceValue, Arguments], Value]


def mixed_in_method(instance: InstanceValue, name: str) -> Value | None:
    """The method that an abstract class brings for an instance; None if none does."""
    for each in instance.cls.mro:
        kind = each.name.removeprefix("collections.abc.").removeprefix("typing.") if isinstance(each, External) else ""
        method = _METHODS.get(kind, {}).get(name)
        if method is not None:
            return BoundMethod(NativeFunction(name, _model(method)), instance)
    return None


def _model(method: Method) -> Callable[[Core, Arguments], Value]:
    def model(machine: Core, arguments: Arguments) -> Value:
        receiver = arguments.positional[0]
        assert isinstance(receiver, InstanceValue)
        return method(machine, receiver, arguments.after_first())

    return model


def _item(machine: Core, receiver: InstanceValue, key: Value, error: str = "KeyError") -> Value | None:
    try:
        return machine.get_item(receiver, key)
    except Raised as raised:
        if raised.type_name != error:
            raise
        return None


# ------------------------------------------------------------------------------------------------ mappings
def _get(machine: Core, receiver: InstanceValue, arguments: Arguments) -> Value:
    found = _item(machine, receiver, arguments.positional[0])
    return found if found is not None else arguments.get(1, "default") or NONE


def _contains(machine: Core, receiver: InstanceValue, arguments: Arguments) -> Value:
    return TRUE if _item(machine, receiver, arguments.positional[0]) is not None else FALSE


def _pairs(machine: Core, receiver: InstanceValue) -> list[tuple[Value, Value]]:
    return [(key, machine.get_item(receiver, key)) for key in machine.items_of(receiver) or ()]


def _keys(machine: Core, receiver: InstanceValue, arguments: Arguments) -> Value:
    return ListValue(machine.items_of(receiver) or ())


def _values(machine: Core, receiver: InstanceValue, arguments: Arguments) -> Value:
    return ListValue(content for _, content in _pairs(machine, receiver))


def _items(machine: Core, receiver: InstanceValue, arguments: Arguments) -> Value:
    return ListValue(TupleValue(pair) for pair in _pairs(machine, receiver))


def _pop(machine: Core, receiver: InstanceValue, arguments: Arguments) -> Value:
    key = arguments.positional[0]
    found = _item(machine, receiver, key)
    if found is not None:
        machine.delete_item(receiver, key)
        return found
    default = arguments.get(1, "default")
    return default if default is not None else machine.get_item(receiver, key)


def _set_default(machine: Core, receiver: InstanceValue, arguments: Arguments) -> Value:
    key, default = arguments.positional[0], arguments.get(1, "default") or NONE
    found = _item(machine, receiver, key)
    if found is None:
        machine.set_item(receiver, key, default)
    return found if found is not None else default


def _update(machine: Core, receiver: InstanceValue, arguments: Arguments) -> Value:
    given = DictValue()
    machine.call_method(given, "update", *arguments.positional[:1])
    for key, content in given.items.values():
        machine.set_item(receiver, key, content)
    for name, content in arguments.keywords.items():
        machine.set_item(receiver, Constant(name), content)
    return NONE


def _clear(machine: Core, receiver: InstanceValue, arguments: Arguments) -> Value:
    for key in machine.items_of(receiver) or ():
        machine.delete_item(receiver, key)
    return NONE


# ------------------------------------------------------------------------------------------------ sequences
def _index(machine: Core, receiver: InstanceValue, arguments: Arguments) -> Value:
    return machine.call_method(ListValue(machine.items_of(receiver) or ()), "index", *arguments.positional)


def _count(machine: Core, receiver: InstanceValue, arguments: Arguments) -> Value:
    return machine.call_method(ListValue(machine.items_of(receiver) or ()), "count", *arguments.positional)


def _append(machine: Core, receiver: InstanceValue, arguments: Arguments) -> Value:
    length = machine.call(machine.builtins["len"], Arguments((receiver,)))
    return machine.call_method(receiver, "insert", length, arguments.positional[0])


def _extend(machine: Core, receiver: InstanceValue, arguments: Arguments) -> Value:
    for item in machine.items_of(arguments.positional[0]) or ():
        machine.call_method(receiver, "append", item)
    return NONE


# ------------------------------------------------------------------------------------------------ sets
def _add_all(machine: Core, receiver: InstanceValue, arguments: Arguments) -> Value:
    for item in machine.items_of(arguments.positional[0]) or ():
        machine.call_method(receiver, "add", item)
    return receiver


_MAPPING: dict[str, Method] = {
    "get": _get, "__contains__": _contains, "keys": _keys, "values": _values, "items": _items,
}  # fmt: skip
_SEQUENCE: dict[str, Method] = {"index": _index, "count": _count}
_METHODS: dict[str, dict[str, Method]] = {
    "Mapping": _MAPPING,
    "MutableMapping": {
        **_MAPPING, "pop": _pop, "setdefault": _set_default, "update": _update, "clear": _clear,
    },
    "Sequence": _SEQUENCE,
    "MutableSequence": {**_SEQUENCE, "append": _append, "extend": _extend},
    "MutableSet": {"__ior__": _add_all},
}  # fmt: skip
