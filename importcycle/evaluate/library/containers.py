"""collections and weakref: containers that act like the builtin ones, and references to what is alive."""

from __future__ import annotations

from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.values.model import (
    NONE,
    DictValue,
    ListValue,
    NativeFunction,
    SetValue,
    Value,
)


def _ordered_from_keys(machine: Core, arguments: Arguments) -> Value:
    """``OrderedDict.fromkeys(iterable, value=None)``"""
    keys = machine.items_of(arguments.positional[0]) if arguments.positional else []
    content = arguments.get(1, "value") or NONE
    result = DictValue(((key, content) for key in keys or ()), is_open=keys is None)
    result.attributes = {}
    return result


def _chain_map(machine: Core, arguments: Arguments) -> Value:
    """Seen as the dict of what is found first; what is written later to the parts is not seen."""
    result = DictValue()
    for part in reversed(arguments.positional):
        if isinstance(part, DictValue):
            result.items.update(part.items)
            result.is_open = result.is_open or part.is_open
        else:
            result.is_open = True
    return result


def _weak_dict(machine: Core, arguments: Arguments) -> Value:
    """All that is put in stays: initialisation keeps what it registers."""
    result = DictValue()
    if arguments.positional:
        machine.call_method(result, "update", arguments.positional[0])
    return result


def _weak_set(machine: Core, arguments: Arguments) -> Value:
    items = machine.items_of(arguments.positional[0]) if arguments.positional else []
    return SetValue(items or (), is_open=items is None)


def _reference(machine: Core, arguments: Arguments) -> Value:
    """``weakref.ref(target)``: called, it gives the target."""
    target = arguments.positional[0]
    return NativeFunction("ref", lambda inner, given: target)


def _array(machine: Core, arguments: Arguments) -> Value:
    """``array.array(typecode, items)``, as a list."""
    given = arguments.get(1, "initializer")
    items = [] if given is None else machine.items_of(given)
    return ListValue(items or (), items is None)


MODELS: dict[str, Model] = {
    "array.array": _array,
    "collections.OrderedDict.fromkeys": _ordered_from_keys,
    "collections.defaultdict.fromkeys": _ordered_from_keys,
    "collections.ChainMap": _chain_map,
    "collections.UserDict": _weak_dict,
    "collections.UserList": lambda machine, arguments: ListValue(
        (machine.items_of(arguments.positional[0]) if arguments.positional else ()) or ()
    ),
    "weakref.WeakKeyDictionary": _weak_dict,
    "weakref.WeakValueDictionary": _weak_dict,
    "weakref.WeakSet": _weak_set,
    "weakref.ref": _reference,
    "weakref.WeakMethod": _reference,
    "weakref.ReferenceType": _reference,
    "weakref.finalize": lambda machine, arguments: NONE,
}
