"""Methods of the builtin containers and iterators."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Hashable
from typing import Any

from importcycle.evaluate.core import Arguments, Core
from importcycle.evaluate.library.builtin_functions import sort_items, update_dict
from importcycle.evaluate.signals import Raised
from importcycle.values.model import (
    FALSE,
    NONE,
    TRUE,
    ClassValue,
    Constant,
    CoroutineValue,
    DictValue,
    External,
    GeneratorValue,
    InstanceValue,
    ListValue,
    ModuleValue,
    NamespaceValue,
    SetValue,
    Symbolic,
    TupleValue,
    Value,
    is_none,
    key_of,
)

Method = Callable[[Any, Any, Arguments], Value]


# ------------------------------------------------------------------------------------------------ list
def _append(machine: Core, value: ListValue, arguments: Arguments) -> Value:
    machine.note_mutation(value)
    machine.trail.append(value.items, arguments.positional[0])
    return NONE


def _extend(machine: Core, value: ListValue, arguments: Arguments) -> Value:
    machine.note_mutation(value)
    items = machine.iterate(arguments.positional[0])
    machine.ask_length(arguments.positional[0])
    if items is None:
        machine.trail.set_attribute(value, "is_open", True)
    for item in items or ():
        machine.trail.append(value.items, item)
    return NONE


def _insert(machine: Core, value: ListValue, arguments: Arguments) -> Value:
    machine.note_mutation(value)
    index, item = arguments.positional
    items = list(value.items)
    items.insert(index.value if isinstance(index, Constant) and isinstance(index.value, int) else len(items), item)
    machine.trail.replace(value.items, items)
    return NONE


def _remove(machine: Core, value: ListValue, arguments: Arguments) -> Value:
    wanted = _settled_member(machine, value, arguments.positional[0])
    items = list(value.items)
    for index, item in enumerate(items):
        if _is_equal(machine, item, wanted):
            del items[index]
            machine.trail.replace(value.items, items)
            return NONE
    if not value.is_open:
        machine.raise_error("ValueError", "list.remove(x): x not in list")
    return NONE


def _list_pop(machine: Core, value: ListValue, arguments: Arguments) -> Value:
    index = arguments.get(0, "index")
    position = index.value if isinstance(index, Constant) and isinstance(index.value, int) else -1
    items = list(value.items)
    if not items:
        if value.is_open:
            return machine.unknown("list.pop()")
        machine.raise_error("IndexError", "pop from empty list")
    try:
        item = items.pop(position)
    except IndexError:
        machine.raise_error("IndexError", "pop index out of range")
    machine.trail.replace(value.items, items)
    return item


def _list_clear(machine: Core, value: ListValue, arguments: Arguments) -> Value:
    machine.trail.replace(value.items, ())
    return NONE


def _reverse(machine: Core, value: ListValue, arguments: Arguments) -> Value:
    machine.trail.replace(value.items, list(reversed(value.items)))
    return NONE


def _sort(machine: Core, value: ListValue, arguments: Arguments) -> Value:
    key, is_reversed = arguments.keywords.get("key"), arguments.keywords.get("reverse", FALSE)
    machine.trail.replace(value.items, sort_items(machine, list(value.items), key, is_reversed))
    return NONE


def _index(machine: Core, value: ListValue | TupleValue, arguments: Arguments) -> Value:
    wanted = _settled_member(machine, value, arguments.positional[0])
    for index, item in enumerate(value.items):
        if _is_equal(machine, item, wanted):
            return Constant(index)
    if isinstance(value, ListValue) and value.is_open:
        return machine.unknown("list.index(...)")
    machine.raise_error("ValueError", "not in list")


def _count(machine: Core, value: ListValue | TupleValue, arguments: Arguments) -> Value:
    wanted = _settled_member(machine, value, arguments.positional[0])
    return Constant(sum(_is_equal(machine, item, wanted) for item in value.items))


def _settled_member(machine: Core, value: ListValue | TupleValue, wanted: Value) -> Value:
    """What is looked for in a sequence, in this world where an input decides it."""
    if isinstance(wanted, Symbolic) and wanted.inputs:
        machine.constraints.note_constant(wanted, value)
    return machine.settled(wanted)


def _is_equal(machine: Core, one: Value, other: Value) -> bool:
    """Whether a list takes one for the other: a comparison that is not known counts as false."""
    if machine.is_exact and (isinstance(one, Symbolic) or isinstance(other, Symbolic)):
        return machine.settled_truth(machine.compare("==", one, other)) is True
    if isinstance(one, InstanceValue) or isinstance(other, InstanceValue):
        return one is other or machine.known_truth(machine.compare("==", one, other)) is True
    return key_of(one) == key_of(other)


# ------------------------------------------------------------------------------------------------ dict
def _get(machine: Core, value: DictValue, arguments: Arguments) -> Value:
    key = arguments.positional[0]
    found = machine.find_item(value, key)
    default = arguments.get(1, "default") or NONE
    if found is not None:
        return found[1]
    is_unknown = isinstance(key, External) or (isinstance(key, Symbolic) and key.compute is None)
    if value.is_open or is_unknown:
        return machine.unknown(f"dict.get({machine.describe(arguments.positional[0])})", default)
    return default


def _set_default(machine: Core, value: DictValue, arguments: Arguments) -> Value:
    machine.note_mutation(value)
    key = arguments.positional[0]
    place = machine.hash_key(key)
    found = value.items.get(place)
    if found is not None:
        return found[1]
    content = arguments.get(1, "default") or NONE
    machine.trail.set_item(value.items, place, (key, content))
    return content


def _dict_pop(machine: Core, value: DictValue, arguments: Arguments) -> Value:
    found = machine.find_item(value, arguments.positional[0])
    if found is not None:
        machine.trail.delete_item(value.items, machine.hash_key(found[0]))
        return found[1]
    if len(arguments.positional) > 1:
        return arguments.positional[1]
    if value.is_open:
        return machine.unknown("dict.pop(...)")
    machine.raise_error("KeyError", machine.describe(arguments.positional[0]), content=arguments.positional[0])


def _pop_item(machine: Core, value: DictValue, arguments: Arguments) -> Value:
    if not value.items:
        if value.is_open:
            return machine.unknown("dict.popitem()")
        machine.raise_error("KeyError", "popitem(): dictionary is empty")
    key, pair = list(value.items.items())[-1]
    machine.trail.delete_item(value.items, key)
    return TupleValue(pair)


def _update(machine: Core, value: DictValue, arguments: Arguments) -> Value:
    machine.note_mutation(value)
    for given in arguments.positional[:1]:
        update_dict(machine, value, given)
    for name, content in arguments.keywords.items():
        machine.trail.set_item(value.items, ("str", name), (Constant(name), content))
    return NONE


def _keys(machine: Core, value: DictValue, arguments: Arguments) -> Value:
    return SetValue((key for key, _ in value.items.values()), is_open=value.is_open)


def _values(machine: Core, value: DictValue, arguments: Arguments) -> Value:
    return ListValue((content for _, content in value.items.values()), value.is_open)


def _items(machine: Core, value: DictValue, arguments: Arguments) -> Value:
    return ListValue((TupleValue(pair) for pair in value.items.values()), value.is_open)


def _dict_copy(machine: Core, value: DictValue, arguments: Arguments) -> Value:
    copy = DictValue(default=value.default, is_open=value.is_open)
    copy.items = dict(value.items)
    return copy


def _dict_clear(machine: Core, value: DictValue, arguments: Arguments) -> Value:
    machine.trail.clear(value.items)
    return NONE


def _move_to_end(machine: Core, value: DictValue, arguments: Arguments) -> Value:
    """That of ``OrderedDict``."""
    key = machine.hash_key(arguments.positional[0])
    pair = value.items.get(key)
    if pair is None:
        if not value.is_open:
            machine.raise_error("KeyError", machine.describe(arguments.positional[0]))
        return NONE
    others = [(other, content) for other, content in value.items.items() if other != key]
    is_last = machine.known_truth(arguments.get(1, "last") or TRUE) is not False
    machine.trail.clear(value.items)
    for place, content in [*others, (key, pair)] if is_last else [(key, pair), *others]:
        machine.trail.set_item(value.items, place, content)
    return NONE


# ------------------------------------------------------------------------------------------------ set
def _add(machine: Core, value: SetValue, arguments: Arguments) -> Value:
    machine.note_mutation(value)
    item = arguments.positional[0]
    key = machine.hash_key(item)
    if key not in value.items:
        machine.trail.set_item(value.items, key, item)
    return NONE


def _discard(machine: Core, value: SetValue, arguments: Arguments) -> Value:
    key = _member(machine, value, arguments.positional[0])
    if key in value.items:
        machine.trail.delete_item(value.items, key)
    return NONE


def _set_remove(machine: Core, value: SetValue, arguments: Arguments) -> Value:
    wanted = arguments.positional[0]
    key = _member(machine, value, wanted)
    if key not in value.items and not value.is_open:
        machine.raise_error("KeyError", machine.describe(wanted), content=wanted)
    if key in value.items:
        machine.trail.delete_item(value.items, key)
    return NONE


def _member(machine: Core, value: SetValue, wanted: Value) -> Hashable:
    """The key of the member that equals a value in this world; that of the value itself where none does."""
    key = key_of(wanted)
    if key not in value.items and isinstance(wanted, Symbolic) and wanted.compute is not None:
        for other, member in list(value.items.items()):
            if machine.settled_truth(machine.compare("==", wanted, member)):
                return other
    return key


def _set_update(machine: Core, value: SetValue, arguments: Arguments) -> Value:
    machine.note_mutation(value)
    for given in arguments.positional:
        items = machine.items_of(given)
        if items is None:
            machine.trail.set_attribute(value, "is_open", True)
        for item in items or ():
            machine.trail.set_item(value.items, key_of(item), item)
    return NONE


def _combined(operator: str) -> Method:
    def method(machine: Core, value: SetValue, arguments: Arguments) -> Value:
        result: Value = SetValue(value.items.values(), value.is_frozen, value.is_open)
        for given in arguments.positional:
            items = machine.items_of(given)
            result = machine.binary(operator, result, SetValue(items or (), is_open=items is None))
        return result

    return method


def _set_pop(machine: Core, value: SetValue, arguments: Arguments) -> Value:
    if not value.items:
        machine.raise_error("KeyError", "pop from an empty set")
    key = next(iter(value.items))
    item = value.items[key]
    machine.trail.delete_item(value.items, key)
    return item


def _is_disjoint(machine: Core, value: SetValue, arguments: Arguments) -> Value:
    items = machine.items_of(arguments.positional[0])
    common = [machine.settled_truth(machine.compare("in", item, value)) for item in items or ()]
    if True in common:
        return FALSE
    return machine.unknown("isdisjoint(...)") if items is None or value.is_open or None in common else TRUE


def _updated(operator: str) -> Method:
    """``a -= b`` and its like under their names."""

    def method(machine: Core, value: SetValue, arguments: Arguments) -> Value:
        result = _combined(operator)(machine, value, arguments)
        if isinstance(result, SetValue):
            machine.note_mutation(value)
            for key in [key for key in value.items if key not in result.items]:
                machine.trail.delete_item(value.items, key)
            for key, item in result.items.items():
                if key not in value.items:
                    machine.trail.set_item(value.items, key, item)
            machine.trail.set_attribute(value, "is_open", result.is_open)
        return NONE

    return method


def _compared(operator: str) -> Method:
    def method(machine: Core, value: SetValue, arguments: Arguments) -> Value:
        items = machine.items_of(arguments.positional[0])
        if items is None:
            return machine.unknown("a comparison of sets")
        return machine.compare(operator, value, SetValue(items))

    return method


# ------------------------------------------------------------------------------------------------ generators
def _send(machine: Core, value: GeneratorValue, arguments: Arguments) -> Value:
    sent = arguments.positional[0] if arguments.positional else None
    is_nothing = sent is None or is_none(sent)
    try:
        if is_nothing or not isinstance(value.iterator, Generator):
            return next(value.iterator)
        return value.iterator.send(sent)  # type: ignore[no-any-return]
    except StopIteration as stop:
        machine.raise_stop(stop.value)
    except TypeError:
        machine.raise_error("TypeError", "can't send non-None value to a just-started generator")


def _throw(machine: Core, value: GeneratorValue, arguments: Arguments) -> Value:
    """``generator.throw(error)``, or with the class of the error."""
    given = arguments.positional[0]
    thrown = machine.call(given, arguments.after_first()) if isinstance(given, ClassValue) else given
    error = Raised(thrown, machine.exception_name(thrown), None, is_explicit=True)
    if not isinstance(value.iterator, Generator):
        raise error
    try:
        return value.iterator.throw(error)  # type: ignore[no-any-return]
    except StopIteration as stop:
        machine.raise_stop(stop.value)


def _close(machine: Core, value: GeneratorValue, arguments: Arguments) -> Value:
    """Its ``finally`` blocks run."""
    if not isinstance(value.iterator, Generator) or getattr(value.iterator, "gi_frame", None) is None:
        return NONE
    if inspect.getgeneratorstate(value.iterator) == inspect.GEN_CREATED:
        value.iterator.close()
        return NONE
    leaving = machine.call(machine.builtins["GeneratorExit"], Arguments())
    try:
        value.iterator.throw(Raised(leaving, "GeneratorExit", None, is_explicit=True))
    except StopIteration:
        return NONE
    except Raised as error:
        if error.type_name != "GeneratorExit":
            raise
        return NONE
    machine.raise_error("RuntimeError", "generator ignored GeneratorExit")


# ------------------------------------------------------------------------------------------------ coroutines
def _start(machine: Core, value: CoroutineValue, arguments: Arguments) -> Value:
    """``coroutine.send(None)``: nothing in it waits for the world outside."""
    machine.raise_stop(value.run())


# ------------------------------------------------------------------------------------------------ namespaces
def _namespace_update(machine: Core, value: NamespaceValue, arguments: Arguments) -> Value:
    given = DictValue()
    for each in arguments.positional[:1]:
        update_dict(machine, given, each)
    for key, content in given.items.values():
        name = machine.text_of(key)
        if name is not None:
            machine.trail.set_item(value.namespace, name, content)
    for name, content in arguments.keywords.items():
        machine.trail.set_item(value.namespace, name, content)
    if given.is_open and isinstance(value.owner, ModuleValue | InstanceValue):
        machine.trail.set_attribute(value.owner, "is_open", True)
    return NONE


def _as_dict(value: NamespaceValue) -> DictValue:
    is_open = isinstance(value.owner, ModuleValue) and value.owner.is_open
    return DictValue(((Constant(name), content) for name, content in value.namespace.items()), is_open=is_open)


def _read(method: Method) -> Method:
    return lambda machine, value, arguments: method(machine, _as_dict(value), arguments)


def _namespace_set_default(machine: Core, value: NamespaceValue, arguments: Arguments) -> Value:
    name = machine.text_of(arguments.positional[0])
    if name is not None and name not in value.namespace:
        machine.trail.set_item(value.namespace, name, arguments.get(1, "default") or NONE)
    return value.namespace.get(name or "", NONE)


def _namespace_pop(machine: Core, value: NamespaceValue, arguments: Arguments) -> Value:
    name = machine.text_of(arguments.positional[0])
    if name is not None and name in value.namespace:
        content = value.namespace[name]
        machine.trail.delete_item(value.namespace, name)
        return content
    if len(arguments.positional) > 1:
        return arguments.positional[1]
    machine.raise_error("KeyError", str(name))


def _get_item(machine: Core, value: Value, arguments: Arguments) -> Value:
    return machine.get_item(value, arguments.positional[0])


def _set_item(machine: Core, value: Value, arguments: Arguments) -> Value:
    machine.set_item(value, *arguments.positional[:2])
    return NONE


def _delete_item(machine: Core, value: Value, arguments: Arguments) -> Value:
    machine.delete_item(value, arguments.positional[0])
    return NONE


def _contains(machine: Core, value: Value, arguments: Arguments) -> Value:
    return machine.compare("in", arguments.positional[0], value)


def _iter(machine: Core, value: Value, arguments: Arguments) -> Value:
    items = machine.iterate(value)
    return machine.unknown("iter") if items is None else GeneratorValue(items, "iterator")


_COMMON: dict[str, Method] = {"__getitem__": _get_item, "__contains__": _contains, "__iter__": _iter}
_MUTABLE: dict[str, Method] = {"__setitem__": _set_item, "__delitem__": _delete_item}
_LIST: dict[str, Method] = {
    **_COMMON, **_MUTABLE, "append": _append, "extend": _extend, "insert": _insert, "remove": _remove, "pop": _list_pop,
    "clear": _list_clear, "reverse": _reverse, "sort": _sort, "index": _index, "count": _count,
    "copy": lambda machine, value, arguments: ListValue(value.items, value.is_open),
    "appendleft": lambda machine, value, arguments: _insert(machine, value, arguments.with_first(Constant(0))),
    "popleft": lambda machine, value, arguments: _list_pop(machine, value, Arguments((Constant(0),))),
}  # fmt: skip
_DICT: dict[str, Method] = {
    **_COMMON, **_MUTABLE, "get": _get, "setdefault": _set_default, "pop": _dict_pop, "popitem": _pop_item,
    "update": _update, "keys": _keys, "values": _values, "items": _items, "copy": _dict_copy, "clear": _dict_clear,
    "move_to_end": _move_to_end,
}  # fmt: skip
_SET: dict[str, Method] = {
    **_COMMON, "add": _add, "discard": _discard, "remove": _set_remove, "update": _set_update, "pop": _set_pop,
    "union": _combined("|"), "intersection": _combined("&"), "difference": _combined("-"),
    "symmetric_difference": _combined("^"), "issubset": _compared("<="), "issuperset": _compared(">="),
    "difference_update": _updated("-"), "intersection_update": _updated("&"),
    "symmetric_difference_update": _updated("^"), "isdisjoint": _is_disjoint,
    "copy": lambda machine, value, arguments: SetValue(value.items.values(), value.is_frozen, value.is_open),
    "clear": lambda machine, value, arguments: machine.trail.clear(value.items) or NONE,
}  # fmt: skip
NATIVE_METHODS: dict[type[Value], dict[str, Method]] = {
    ListValue: _LIST,
    TupleValue: {**_COMMON, "index": _index, "count": _count},
    DictValue: _DICT,
    SetValue: _SET,
    GeneratorValue: {
        "send": _send, "__next__": _send, "throw": _throw, "close": _close, "__iter__": lambda m, value, a: value,
    },
    CoroutineValue: {"send": _start, "close": lambda m, v, a: NONE, "__await__": lambda m, value, a: value},
    NamespaceValue: {
        **_COMMON, **_MUTABLE, "update": _namespace_update, "get": _read(_get), "keys": _read(_keys),
        "values": _read(_values), "items": _read(_items), "copy": _read(_dict_copy),
        "setdefault": _namespace_set_default, "pop": _namespace_pop,
    },
}  # fmt: skip
