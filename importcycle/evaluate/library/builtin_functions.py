"""Builtin functions and classes."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import lru_cache
from typing import Any

from importcycle.evaluate.core import Arguments, Core, Model, library_class, library_object
from importcycle.evaluate.environment import environment_view, is_environment
from importcycle.evaluate.frames import Frame, FrameKind
from importcycle.evaluate.library import syntax, texts
from importcycle.evaluate.library.imports import name_in_this_world
from importcycle.evaluate.sizes import is_large_result
from importcycle.evaluate.symbols import UnknownError, apply, plain
from importcycle.values.model import (
    FALSE,
    NONE,
    NOT_IMPLEMENTED,
    TRUE,
    Choice,
    ClassMethod,
    ClassValue,
    Constant,
    DictValue,
    External,
    FunctionValue,
    GeneratorValue,
    InstanceValue,
    ListValue,
    ModuleValue,
    Namespace,
    NamespaceValue,
    NativeFunction,
    PropertyValue,
    SetValue,
    SliceValue,
    StaticMethod,
    SuperValue,
    Symbolic,
    TupleValue,
    Value,
    constant,
    is_none,
    key_of,
)

LONGEST_RANGE = 10_000
LARGEST_OWN_HASH = 10**12


# ------------------------------------------------------------------------------------------------ attributes
def _getattr(machine: Core, arguments: Arguments) -> Value:
    value, name, *default = arguments.positional
    text = machine.text_of(_attribute_in_this_world(machine, value, name))
    if text is None:
        machine.uncertain_events += 1
        return machine.unknown(f"getattr({machine.describe(value)}, {machine.describe(name)})")
    if default:
        if isinstance(value, External):
            return _external_attribute(machine, value, text, default[0])
        found = machine.probe_attribute(value, text)
        if found is None:
            return default[0]
        if isinstance(found, Symbolic) and _is_own_protocol(machine, value, text):
            return machine.unknown(f"getattr({machine.describe(value)}, {text!r})", default[0])
        return found
    return machine.get_attribute(value, text)


def _is_own_protocol(machine: Core, value: Value, name: str) -> bool:
    """Whether a value of others is asked for a private name: only objects of the target itself will have that."""
    if not (isinstance(value, Symbolic) and value.inferred is None and name.startswith("_")):
        return False
    is_special = name.startswith("__") and name.endswith("__")
    return not is_special or any(package.strip("_") in name for package in machine.project.packages)


def _attribute_in_this_world(machine: Core, value: Value, name: Value) -> Value:
    """The name of an attribute that the value has, where an input decides which it is."""
    if not isinstance(name, Symbolic):
        return name
    names: set[str] = set()
    match value:
        case InstanceValue(cls=cls, attributes=attributes):
            names |= {key for each in cls.class_mro for key in each.namespace} | attributes.keys()
        case ClassValue():
            names |= {key for each in value.class_mro for key in each.namespace}
        case ModuleValue(namespace=namespace):
            names |= namespace.keys()
    return machine.settled_among(name, {each for each in names if not each.startswith("__")}) if names else name


def _external_attribute(machine: Core, value: External, name: str, default: Value) -> Value:
    """``getattr(module, name, default)`` for a module of others: of a standard one it is known what it has."""
    if name in value.attributes:
        return value.attributes[name]
    exists = _exists_in_library(value.name, name)
    if exists is not None:
        return machine.get_attribute(value, name) if exists else default
    if isinstance(default, Constant):
        return machine.unknown(f"getattr({value.name}, {name!r}, {machine.describe(default)})", default)
    return machine.get_attribute(value, name)


def _exists_in_library(module: str, name: str) -> bool | None:
    """Whether a standard module, or what it defines, has a name; None where the running Python has not loaded it."""
    loaded = library_object(module)
    return None if loaded is None else hasattr(loaded, name)


def _hasattr(machine: Core, arguments: Arguments) -> Value:
    value, name = arguments.positional
    text = machine.text_of(_attribute_in_this_world(machine, value, name))
    if text is None:
        return machine.unknown(f"hasattr({machine.describe(value)}, {machine.describe(name)})")
    if isinstance(value, External) and text not in value.attributes:
        exists = _exists_in_library(value.name, text)
        if exists is not None:
            return TRUE if exists else FALSE
    found = machine.probe_attribute(value, text)
    if isinstance(found, Symbolic | External) and isinstance(value, Symbolic | External | InstanceValue):
        likely = FALSE if _is_own_protocol(machine, value, text) else TRUE
        return machine.unknown(f"hasattr({machine.describe(value)}, {text!r})", likely)
    return FALSE if found is None else TRUE


def _setattr(machine: Core, arguments: Arguments) -> Value:
    value, name, content = arguments.positional
    text = machine.text_of(name)
    if text is not None:
        machine.set_attribute(value, text, content)
    elif isinstance(value, ModuleValue | ClassValue | InstanceValue):
        machine.trail.set_attribute(value, "is_open", True)
    return NONE


def _delattr(machine: Core, arguments: Arguments) -> Value:
    text = machine.text_of(arguments.positional[1])
    if text is not None:
        machine.delete_attribute(arguments.positional[0], text)
    return NONE


def _callable(machine: Core, arguments: Arguments) -> Value:
    value = arguments.positional[0]
    if isinstance(value, External) and (found := library_object(value.name)) is not None:
        return TRUE if callable(found) else FALSE
    if isinstance(value, Symbolic | External | Choice):
        return machine.unknown(f"callable({machine.describe(value)})", TRUE)
    if isinstance(value, InstanceValue):
        return TRUE if machine.method_of(value, "__call__") is not None else FALSE
    return FALSE if isinstance(value, _NEVER_CALLABLE) else TRUE


_NEVER_CALLABLE = (
    Constant, TupleValue, ListValue, DictValue, SetValue, ModuleValue, ClassMethod, PropertyValue, GeneratorValue,
    NamespaceValue, SliceValue,
)  # fmt: skip


# ------------------------------------------------------------------------------------------------ classes
def _isinstance(machine: Core, arguments: Arguments) -> Value:
    return machine.test_of_instance(*arguments.positional[:2])


def _issubclass(machine: Core, arguments: Arguments) -> Value:
    value, cls = arguments.positional
    if isinstance(value, Constant | FunctionValue | InstanceValue | ModuleValue):
        machine.raise_error("TypeError", "issubclass() arg 1 must be a class")
    result = machine.is_subclass(value, cls)
    if result is None:
        return machine.unknown(f"issubclass({machine.describe(value)}, {machine.describe(cls)})")
    return TRUE if result else FALSE


def _type(machine: Core, arguments: Arguments) -> Value:
    if len(arguments.positional) == 1:
        value = arguments.positional[0]
        return machine.class_of(value) or machine.unknown(f"type({machine.describe(value)})")
    if len(arguments.positional) == 3:
        name, bases, namespace = arguments.positional
        values = dict(_string_items(namespace))
        frame = machine.running
        values.setdefault("__module__", Constant(frame.module.name))
        text = machine.text_of(name) or "?"
        parents = tuple(machine.items_of(bases) or ())
        return machine.make_class(text, parents, values, dict(arguments.keywords), frame, frame.line, text)
    return machine.unknown("type(...)")


def _string_items(value: Value) -> list[tuple[str, Value]]:
    if isinstance(value, InstanceValue) and value.payload is not None:
        value = value.payload
    if isinstance(value, NamespaceValue):
        return list(value.namespace.items())
    if not isinstance(value, DictValue):
        return []
    return [
        (key.value, item)
        for key, item in value.items.values()
        if isinstance(key, Constant) and isinstance(key.value, str)
    ]


def _super(machine: Core, arguments: Arguments) -> Value:
    if arguments.positional:
        cls = arguments.positional[0]
        receiver = arguments.positional[1] if len(arguments.positional) > 1 else None
        return SuperValue(cls, receiver) if isinstance(cls, ClassValue) else machine.unknown("super()")
    frame = machine.running
    while frame.function is None and frame.parent is not None:
        frame = frame.parent
    function = frame.function
    owner = _class_around(function) if function is not None else None
    if function is None or owner is None:
        return machine.unknown("super()")
    names = function.code.parameters.names
    receiver = frame.locals.get(names[0]) if names else None
    if receiver is None and function.code.parameters.variadic:
        rest = frame.locals.get(function.code.parameters.variadic)
        receiver = rest.items[0] if isinstance(rest, TupleValue) and rest.items else None
    return SuperValue(owner, receiver)


def _class_around(function: FunctionValue) -> ClassValue | None:
    """The class in whose body the function stands, decorated or not."""
    if function.owner is not None:
        return function.owner
    frame = function.closure
    return frame.created_class if isinstance(frame, Frame) and frame.kind is FrameKind.CLASS else None


def _property(machine: Core, arguments: Arguments) -> Value:
    getter, setter, deleter = (arguments.get(i, name) for i, name in enumerate(("fget", "fset", "fdel")))
    return PropertyValue(getter, setter, deleter)


# ------------------------------------------------------------------------------------------------ iteration
def _iter(machine: Core, arguments: Arguments) -> Value:
    if len(arguments.positional) > 1:
        return GeneratorValue(_until(machine, *arguments.positional), "iterator")
    value = arguments.positional[0]
    if isinstance(value, GeneratorValue):
        return value
    items = machine.iterate(value)
    return machine.unknown(f"iter({machine.describe(value)})") if items is None else GeneratorValue(items, "iterator")


def _until(machine: Core, function: Value, sentinel: Value) -> Iterator[Value]:
    """``iter(function, sentinel)``"""
    for _ in range(LONGEST_RANGE):
        item = machine.call(function, Arguments())
        if machine.known_truth(machine.compare("==", item, sentinel)) is not False:
            return
        yield item


def _next(machine: Core, arguments: Arguments) -> Value:
    value = arguments.positional[0]
    if isinstance(value, InstanceValue):
        method = machine.method_of(value, "__next__")
        if method is not None:
            return machine.call(method, Arguments())
    if not isinstance(value, GeneratorValue):
        if isinstance(value, ListValue | TupleValue | DictValue | SetValue | Constant):
            machine.raise_error("TypeError", f"'{machine.describe(value)}' object is not an iterator")
        return machine.unknown(f"next({machine.describe(value)})")
    try:
        return next(value.iterator)
    except StopIteration:
        if len(arguments.positional) > 1:
            return arguments.positional[1]
        machine.raise_error("StopIteration")


def _map(machine: Core, arguments: Arguments) -> Value:
    function, *iterables = arguments.positional
    iterators = [machine.iterate(each) for each in iterables]
    known = [each for each in iterators if each is not None]
    if len(known) < len(iterators):
        machine.call_in_passing(function, len(iterables))
        return machine.unknown("map(...)")
    return GeneratorValue((machine.call(function, Arguments(items)) for items in zip(*known, strict=False)), "iterator")


def _filter(machine: Core, arguments: Arguments) -> Value:
    function, iterable = arguments.positional
    items = machine.iterate(iterable)
    if items is None:
        machine.call_in_passing(function, 1)
        return machine.unknown("filter(...)")
    by_truth = is_none(function)

    def chosen() -> Iterator[Value]:
        for item in items:
            result = item if by_truth else machine.call(function, Arguments((item,)))
            if machine.settled_truth(result) is not False:
                yield item

    return GeneratorValue(chosen(), "iterator")


def _zip(machine: Core, arguments: Arguments) -> Value:
    iterators = [machine.iterate(each) for each in arguments.positional]
    known = [each for each in iterators if each is not None]
    if len(known) < len(iterators) or arguments.is_open:
        return machine.unknown("zip(...)")
    return GeneratorValue((TupleValue(items) for items in zip(*known, strict=False)), "iterator")


def _enumerate(machine: Core, arguments: Arguments) -> Value:
    items = machine.iterate(arguments.positional[0])
    start = arguments.get(1, "start")
    first = start.value if isinstance(start, Constant) and isinstance(start.value, int) else 0
    if items is None:
        return machine.unknown("enumerate(...)")
    return GeneratorValue((TupleValue((Constant(i), item)) for i, item in enumerate(items, first)), "iterator")


def _reversed(machine: Core, arguments: Arguments) -> Value:
    method = machine.method_of(arguments.positional[0], "__reversed__")
    if method is not None:
        return _iter(machine, Arguments((machine.call(method, Arguments()),)))
    items = machine.items_of(arguments.positional[0])
    return machine.unknown("reversed(...)") if items is None else GeneratorValue(reversed(items), "iterator")


def _sorted(machine: Core, arguments: Arguments) -> Value:
    items = machine.sequence_of(arguments.positional[0])
    key = arguments.keywords.get("key")
    if items is None:
        if key is not None:
            machine.call_in_passing(key, 1)
        return machine.unknown("sorted(...)")
    return ListValue(sort_items(machine, items, key, arguments.keywords.get("reverse", FALSE)))


def sort_items(machine: Core, items: list[Value], key: Value | None, is_reversed: Value) -> list[Value]:
    """Sorted where the keys are plain; in the given order where they are not."""
    keys = [item if key is None or is_none(key) else machine.call(key, Arguments((item,))) for item in items]
    try:
        plain_keys = [plain(each, {}) for each in keys]
    except UnknownError:
        order = _order_by_methods(machine, keys)
    else:
        try:
            order = sorted(range(len(items)), key=lambda index: plain_keys[index])
        except TypeError as error:
            machine.raise_error("TypeError", str(error))
    if machine.known_truth(is_reversed):
        order.reverse()
    return [items[index] for index in order]


def _order_by_methods(machine: Core, keys: list[Value]) -> list[int]:
    """The positions in the order that the keys' own comparisons give; as they are where that is not known."""
    order: list[int] = []
    for index, key in enumerate(keys):
        place = len(order)
        if any(isinstance(each, InstanceValue | TupleValue) for each in keys):
            while place and machine.known_truth(machine.compare("<", key, keys[order[place - 1]])):
                place -= 1
        order.insert(place, index)
    return order


def _range(machine: Core, arguments: Arguments) -> Value:
    given = [machine.settled(machine.as_index(each)) for each in arguments.positional]
    numbers = [each.value for each in given if isinstance(each, Constant) and isinstance(each.value, int)]
    if len(numbers) < len(arguments.positional) or not numbers:
        return machine.unknown("range(...)")
    span = range(*numbers)
    if span[LONGEST_RANGE : LONGEST_RANGE + 1]:  # ``len`` knows no more than a machine's word holds
        return machine.unknown("a long range")
    return TupleValue(_numbers(span))


@lru_cache(maxsize=16)
def _numbers(span: range) -> tuple[Constant, ...]:
    return tuple(map(Constant, span))


def _any(machine: Core, arguments: Arguments) -> Value:
    return _first_truth(machine, arguments, True)


def _all(machine: Core, arguments: Arguments) -> Value:
    return _first_truth(machine, arguments, False)


def _first_truth(machine: Core, arguments: Arguments, stop: bool) -> Value:
    name = "any" if stop else "all"
    value = arguments.positional[0]
    items = machine.iterate(value)
    if items is None:
        return machine.unknown(f"{name}({machine.describe(value)})")
    unknown: list[Value] = []
    for item in items:
        truth = machine.known_truth(item)
        if truth is stop:
            return TRUE if stop else FALSE
        if truth is None:
            unknown.append(item)
    if unknown:
        text = f"{name}([{', '.join(machine.describe(item) for item in unknown[:20])}])"
        return apply(text, lambda *contents: any(contents) if stop else all(contents), *unknown)
    return FALSE if stop else TRUE


def _extreme(name: str) -> Model:
    choose = {"min": min, "max": max}[name]

    def model(machine: Core, arguments: Arguments) -> Value:
        items = list(arguments.positional)
        is_open = True
        if len(items) == 1:
            known = machine.items_of(items[0])
            is_open = known is None or getattr(items[0], "is_open", False) is True
            items = known or []
        key = arguments.keywords.get("key")
        keys = [item if key is None else machine.call(key, Arguments((item,))) for item in items]
        if not items:
            default = arguments.keywords.get("default")
            if default is None and machine.is_exact and not is_open:
                machine.raise_error("ValueError", f"{name}() iterable argument is empty")
            return default if default is not None else machine.unknown(f"{name}(...)")
        try:
            contents = [plain(each, {}) for each in keys]
        except UnknownError:
            if key is None and all(isinstance(item, Constant | Symbolic) for item in items):
                shown = ", ".join(map(machine.describe, items))
                return apply(f"{name}([{shown}])", lambda *each: choose(each), *items)
            return _extreme_by_methods(machine, items, keys, "<" if name == "min" else ">")
        try:
            return items[contents.index(choose(contents))]
        except TypeError as error:
            machine.raise_error("TypeError", str(error))

    return model


def _extreme_by_methods(machine: Core, items: list[Value], keys: list[Value], operator: str) -> Value:
    best = 0
    for index in range(1, len(items)):
        truth = machine.settled_truth(machine.compare(operator, keys[index], keys[best]))
        if truth is None:
            return machine.unknown("an extreme")
        best = index if truth else best
    return items[best]


def _sum(machine: Core, arguments: Arguments) -> Value:
    items = machine.items_of(arguments.positional[0])
    result: Value = arguments.get(1, "start") or Constant(0)
    if items is None:
        return machine.unknown("sum(...)")
    for item in items:
        result = machine.binary("+", result, item)
    return result


def _len(machine: Core, arguments: Arguments) -> Value:
    value = arguments.positional[0]
    if isinstance(value, Choice):
        value = value.main
    match value:
        case Constant(value=content):
            try:
                return Constant(len(content))
            except TypeError as error:
                machine.raise_error("TypeError", str(error))
        case TupleValue(items=items):
            return Constant(len(items))
        case (
            ListValue(items=items, is_open=False)
            | DictValue(items=items, is_open=False)
            | SetValue(items=items, is_open=False)
        ):
            return Constant(len(items))
        case ListValue() | DictValue() | SetValue():
            return machine.unknown(f"len({machine.describe(value)})", Constant(len(value.items)))
        case InstanceValue():
            method = machine.method_of(value, "__len__")
            if method is not None:
                return machine.call(method, Arguments())
            if value.payload is not None:
                return _len(machine, Arguments((value.payload,)))
        case ClassValue():
            method = machine.method_of(value, "__len__")
            if method is not None:
                return machine.call(method, Arguments())
            members = machine.members_of(value)
            if members is not None:
                return Constant(len(members))
        case Symbolic() if value.compute is not None:
            text = f"len({value.text})"
            machine.raise_where_none(value, "TypeError", text)
            return apply(text, len, value)
    return machine.unknown(f"len({machine.describe(value)})")


# ------------------------------------------------------------------------------------------------ namespaces
def _globals(machine: Core, arguments: Arguments) -> Value:
    return machine.namespace_of(machine.running.module)


def _locals(machine: Core, arguments: Arguments) -> Value:
    frame = machine.running
    is_module = frame.caller is None or frame.name is None
    return machine.namespace_of(frame.module) if is_module else NamespaceValue(frame.locals, None)


def _vars(machine: Core, arguments: Arguments) -> Value:
    if not arguments.positional:
        return _locals(machine, arguments)
    return machine.get_attribute(arguments.positional[0], "__dict__")


def _dir(machine: Core, arguments: Arguments) -> Value:
    value = arguments.positional[0] if arguments.positional else machine.running.module
    match value:
        case ModuleValue(namespace=namespace, is_open=is_open):
            machine.asked.listed.add(value.name)
            custom = namespace.get("__dir__")
            if custom is not None:
                return machine.call(custom, Arguments())
            return ListValue((Constant(name) for name in sorted(namespace)), is_open)
        case ClassValue():
            names = {name for each in value.class_mro for name in each.namespace}
            return ListValue((Constant(name) for name in sorted(names)), value.is_open)
        case InstanceValue(cls=cls, attributes=attributes):
            method = machine.method_of(value, "__dir__")
            if method is not None:
                return _sorted(machine, Arguments((machine.call(method, Arguments()),)))
            names = {name for each in cls.class_mro for name in each.namespace} | set(attributes)
            return ListValue((Constant(name) for name in sorted(names)), cls.is_open)
    return machine.unknown(f"dir({machine.describe(value)})")


def _import(machine: Core, arguments: Arguments) -> Value:
    name = arguments.get(0, "name")
    if name is not None:
        name = name_in_this_world(machine, name)
    text = machine.text_of(name) if name is not None else None
    if text is None:
        machine.import_system.note_opaque_import(f"__import__({machine.describe(name or NONE)})")
        return machine.unknown("__import__(...)")
    from_list = arguments.get(3, "fromlist")
    names = (
        [machine.text_of(item) or "" for item in machine.items_of(from_list) or ()]
        if from_list is not None and not (isinstance(from_list, Constant))
        else []
    )
    level = arguments.get(4, "level")
    depth = level.value if isinstance(level, Constant) and isinstance(level.value, int) else 0
    return machine.import_system.import_builtin(text, names, depth)


# ------------------------------------------------------------------------------------------------ constructors
def _list(machine: Core, arguments: Arguments) -> Value:
    if not arguments.positional:
        return ListValue()
    items = machine.sequence_of(arguments.positional[0])
    is_open = items is None or getattr(arguments.positional[0], "is_open", False) is True
    return ListValue(items or (), is_open)


def _tuple(machine: Core, arguments: Arguments) -> Value:
    if not arguments.positional:
        return TupleValue()
    items = machine.sequence_of(arguments.positional[0])
    return machine.unknown("tuple(...)") if items is None else TupleValue(items)


def _set(is_frozen: bool) -> Model:
    def model(machine: Core, arguments: Arguments) -> Value:
        if not arguments.positional:
            return SetValue((), is_frozen)
        items = machine.items_of(arguments.positional[0])
        is_open = items is None or getattr(arguments.positional[0], "is_open", False) is True
        for item in items or ():
            machine.hash_key(item)
        return SetValue(items or (), is_frozen, is_open)

    return model


def _dict(machine: Core, arguments: Arguments) -> Value:
    if len(arguments.positional) == 1 and not arguments.keywords and is_environment(arguments.positional[0]):
        return arguments.positional[0]  # what is written to the one or the other is not told apart
    result = DictValue(is_open=arguments.is_open)
    for given in arguments.positional[:1]:
        update_dict(machine, result, given)
    for name, value in arguments.keywords.items():
        result.items[("str", name)] = (Constant(name), value)
    return result


def update_dict(machine: Core, result: DictValue, given: Value) -> None:
    """``result.update(given)``"""
    if isinstance(given, InstanceValue) and given.payload is not None:
        given = given.payload
    if isinstance(given, DictValue):
        for key, pair in given.items.items():
            machine.trail.set_item(result.items, key, pair)
        if given.is_open:
            machine.trail.set_attribute(result, "is_open", True)
        return
    if isinstance(given, NamespaceValue):
        for name, value in given.namespace.items():
            machine.trail.set_item(result.items, ("str", name), (Constant(name), value))
        return
    keys = machine.method_of(given, "keys") if isinstance(given, InstanceValue) else None
    if keys is not None:
        for key in machine.items_of(machine.call(keys, Arguments())) or ():
            machine.trail.set_item(result.items, machine.hash_key(key), (key, machine.get_item(given, key)))
        return
    if machine.is_exact and is_environment(given):
        update_dict(machine, result, environment_view(machine))
        return
    pairs = machine.items_of(given) if not isinstance(given, Symbolic | External) else None
    if pairs is None:
        machine.trail.set_attribute(result, "is_open", True)
        return
    for given_pair in pairs:
        parts = machine.items_of(given_pair)
        if parts is not None and len(parts) == 2:
            machine.trail.set_item(result.items, machine.hash_key(parts[0]), (parts[0], parts[1]))


def _bool(machine: Core, arguments: Arguments) -> Value:
    if not arguments.positional:
        return FALSE
    value = arguments.positional[0]
    truth = machine.known_truth(value)
    if truth is not None:
        return TRUE if truth else FALSE
    if isinstance(value, Symbolic):
        return apply(f"bool({value.text})", bool, value)
    return machine.unknown(f"bool({machine.describe(value)})")


def _convert(function: Callable[..., Any]) -> Model:
    name = function.__name__

    def model(machine: Core, arguments: Arguments) -> Value:
        if not arguments.positional:
            return constant(function())
        value = arguments.positional[0]
        if isinstance(value, InstanceValue):
            found = (machine.method_of(value, special) for special in _SPECIAL_METHODS.get(name, (f"__{name}__",)))
            method = next((each for each in found if each is not None), None)
            if method is not None:
                result = machine.call(method, arguments.after_first())
                return model(machine, Arguments((result,))) if name in ("hex", "oct", "bin") else result
            if value.payload is not None:
                return model(machine, Arguments((value.payload,)))
            if name == "str" and "args" in value.attributes:
                parts = value.attributes["args"]
                if isinstance(parts, TupleValue):
                    return _text_of_exception(machine, value, parts)
            if name == "repr" and "args" in value.attributes:
                text = machine.text_of(_convert(repr)(machine, Arguments((value.attributes["args"],))))
                inner = text[:-2] + ")" if text is not None and text.endswith(",)") else text
                return machine.unknown("repr(...)") if inner is None else Constant(value.cls.name + inner)
        if name in ("str", "repr"):
            _show_items(machine, value, set())
            text = _text_of_class(value)
            if text is not None:
                return Constant(text)
        if any(isinstance(each, Symbolic) for each in arguments.positional):
            shown = ", ".join(machine.describe(each) for each in arguments.positional)
            if name not in _ACCEPT_NONE:
                machine.raise_where_none(value, "TypeError", f"{name}({shown})")
            if name in _VALID and len(arguments.positional) == 1:
                machine.raise_where(value, function, f"str({shown}){_VALID[name]}", "ValueError", f"{name}({shown})")
            result = apply(f"{name}({shown})", function, *arguments.positional)
            result.inferred = machine.builtins.get(name) if isinstance(function, type) else None
            return result
        try:
            contents = [plain(each, {}) for each in arguments.positional]
        except UnknownError:
            inferred = machine.builtins.get(name) if isinstance(function, type) else None
            return machine.unknown(f"{name}({machine.describe(value)})", None, inferred)
        if name == "pow" and len(contents) == 2 and is_large_result("**", *contents):
            return machine.unknown("a large value")
        try:
            return constant(function(*contents))
        except Exception as error:
            machine.raise_error(type(error).__name__, str(error))

    return model


def _text_of_class(value: Value) -> str | None:
    """What ``str`` and ``repr`` give for a class whose metaclass says nothing else; None for other values."""
    match value:
        case ClassValue(is_builtin=True):
            return f"<class '{value.name}'>"
        case ClassValue(metaclass=None):
            return f"<class '{value.code_module}.{value.qualified_name}'>"
        case External(name=name) if (loaded := library_class(name)) is not None:
            return repr(loaded)
    return None


def _slice(machine: Core, arguments: Arguments) -> Value:
    parts = arguments.positional
    if len(parts) == 1:
        return SliceValue(NONE, parts[0], NONE)
    return SliceValue(parts[0], parts[1], parts[2] if len(parts) > 2 else NONE)


def _text_of_exception(machine: Core, value: InstanceValue, parts: TupleValue) -> Value:
    """``str(exception)``: of several arguments, their tuple."""
    if not parts.items:
        return Constant("")
    if len(parts.items) > 1:
        return _convert(str)(machine, Arguments((parts,)))
    shows_content = any(each.name == "KeyError" for each in value.cls.class_mro)
    return _convert(repr if shows_content else str)(machine, Arguments(parts.items))


def _show_items(machine: Core, value: Value, shown: set[int]) -> None:
    """The text of a container is made of that of its items; each is looked at once, however often it is held."""
    if id(value) in shown:
        return
    shown.add(id(value))
    items: Iterable[Value] = ()
    match value:
        case TupleValue(items=known) | ListValue(items=known):
            items = known
        case SetValue(items=members):
            items = members.values()
        case DictValue(items=pairs):
            items = [each for pair in pairs.values() for each in pair]
    for item in items:
        if isinstance(item, InstanceValue):
            machine.text_by(item, "repr")
        else:
            _show_items(machine, item, shown)


_ACCEPT_NONE = frozenset(["ascii", "bool", "format", "hash", "id", "print", "repr", "str", "type"])
"""Functions that take None as well as anything."""
_VALID = {
    "int": ".strip().lstrip('+-').isdecimal()",
    "float": ".strip().lstrip('+-').replace('.', '', 1).isdecimal()",
}
"""What texts have that are numbers, as far as users write them."""
_SPECIAL_METHODS = {
    "str": ("__str__", "__repr__"), "repr": ("__repr__",), "ascii": ("__repr__",), "int": ("__int__", "__index__"),
    "float": ("__float__", "__index__"), "complex": ("__complex__", "__float__", "__index__"),
    "hex": ("__index__",), "oct": ("__index__",), "bin": ("__index__",),
}  # fmt: skip


def _format(machine: Core, arguments: Arguments) -> Value:
    value = arguments.positional[0]
    specification = arguments.positional[1] if len(arguments.positional) > 1 else Constant("")
    method = machine.method_of(value, "__format__") if isinstance(value, InstanceValue) else None
    if method is not None:
        return machine.call(method, Arguments((specification,)))
    if isinstance(value, InstanceValue):
        return _convert(str)(machine, Arguments((value,)))
    return _convert(format)(machine, arguments)


def _by_operator(name: str, function: Callable[..., Any]) -> Model:
    """pow and divmod: methods of either operand, else the operation on plain values."""

    def model(machine: Core, arguments: Arguments) -> Value:
        left, right = arguments.positional[:2]
        for receiver, argument, special in ((left, right, f"__{name}__"), (right, left, f"__r{name}__")):
            method = machine.method_of(receiver, special) if isinstance(receiver, InstanceValue) else None
            if method is not None:
                return machine.call(method, Arguments((argument, *arguments.positional[2:])))
        return _convert(function)(machine, arguments)

    return model


def _print(machine: Core, arguments: Arguments) -> Value:
    for value in arguments.positional:
        if isinstance(value, InstanceValue):
            _convert(str)(machine, Arguments((value,)))
    return NONE


def _object(machine: Core, arguments: Arguments) -> Value:
    cls = machine.builtins["object"]
    assert isinstance(cls, ClassValue)
    return InstanceValue(cls)


def _none(machine: Core, arguments: Arguments) -> Value:
    return NONE


def _unknown_call(name: str) -> Model:
    return lambda machine, arguments: machine.unknown(f"{name}(...)")


# ------------------------------------------------------------------------------------------------ object and type
def _object_new(machine: Core, arguments: Arguments) -> Value:
    if arguments.positional and isinstance(arguments.positional[0], ClassValue):
        cls = arguments.positional[0]
        if any(each.is_builtin and each.name == "type" for each in cls.class_mro):
            return _type_new(machine, arguments)
        return machine.allocate(cls, arguments.after_first())
    return machine.unknown("object.__new__(...)")


def _object_init(machine: Core, arguments: Arguments) -> Value:
    """``object.__init__``; that of exceptions keeps the arguments."""
    receiver = arguments.positional[0] if arguments.positional else NONE
    if isinstance(receiver, InstanceValue) and "args" in receiver.attributes:
        machine.trail.set_item(receiver.attributes, "args", TupleValue(arguments.positional[1:]))
    return NONE


def _object_setattr(machine: Core, arguments: Arguments) -> Value:
    receiver, name, content = arguments.positional
    text = machine.text_of(name)
    if isinstance(receiver, InstanceValue) and text is not None:
        machine.set_instance_attribute(receiver, text, content)
    elif isinstance(receiver, ClassValue) and text is not None:
        machine.trail.set_item(receiver.namespace, text, content)
    return NONE


def _object_getattribute(machine: Core, arguments: Arguments) -> Value:
    receiver, name = arguments.positional
    text = machine.text_of(name)
    found: Value | None = None
    if isinstance(receiver, InstanceValue | ClassValue) and text is not None:
        if isinstance(receiver, ClassValue):
            found = machine.type_attribute(receiver, text)
        else:
            found = machine.instance_attribute(receiver, text)
        if found is None:
            machine.raise_error("AttributeError", text)
        return found
    return machine.unknown("object.__getattribute__(...)")


def _object_delattr(machine: Core, arguments: Arguments) -> Value:
    receiver, name = arguments.positional
    text = machine.text_of(name)
    if isinstance(receiver, InstanceValue) and text is not None:
        machine.delete_instance_attribute(receiver, text)
    return NONE


def _type_new(machine: Core, arguments: Arguments) -> Value:
    if len(arguments.positional) < 4:
        return machine.unknown("type.__new__(...)")
    meta, name, bases, namespace = arguments.positional[:4]
    values: Namespace = dict(_string_items(namespace))
    parents = tuple(machine.items_of(bases) or ())
    return machine.build_class(machine.text_of(name) or "?", parents, values, arguments.keywords, meta)


def _type_call(machine: Core, arguments: Arguments) -> Value:
    cls = arguments.positional[0]
    if isinstance(cls, ClassValue):
        return machine.create_instance(cls, arguments.after_first())
    return machine.unknown("type.__call__(...)")


def _hash(machine: Core, arguments: Arguments) -> Value:
    """A number of its own for each content: which one it is, CPython does not say either, but for small integers."""
    value = arguments.positional[0]
    if isinstance(value, Symbolic | External | Choice):
        return machine.unknown(f"hash({machine.describe(value)})")
    if isinstance(value, Constant) and isinstance(value.value, int) and abs(value.value) < LARGEST_OWN_HASH:
        return Constant(hash(value.value))
    method = machine.method_of(value, "__hash__") if isinstance(value, InstanceValue) else None
    return machine.call(method, Arguments()) if method is not None else _identity(machine, key_of(value))


def _identity(machine: Core, key: Hashable) -> Value:
    return Constant(machine.identities.setdefault(key, LARGEST_OWN_HASH + 7919 * len(machine.identities)))


def _identity_key(value: Value) -> Hashable:
    return key_of(value) if isinstance(value, Constant) else value


OBJECT_METHODS: dict[str, Model] = {
    "__init__": _object_init,
    "__new__": _object_new,
    "__setattr__": _object_setattr,
    "__getattribute__": _object_getattribute,
    "__delattr__": _object_delattr,
    "__init_subclass__": _none,
    "__subclasshook__": lambda machine, arguments: NOT_IMPLEMENTED,
    "__repr__": _unknown_call("repr"),
    "__str__": _unknown_call("str"),
    "__format__": _unknown_call("format"),
    "__hash__": lambda machine, arguments: _identity(machine, ("id", _identity_key(arguments.positional[0]))),
    "__eq__": lambda machine, arguments: NOT_IMPLEMENTED,
    "__ne__": lambda machine, arguments: NOT_IMPLEMENTED,
    "__dir__": _dir,
    "__reduce__": _unknown_call("reduce"),
    "__reduce_ex__": _unknown_call("reduce"),
    "__sizeof__": _unknown_call("sizeof"),
}
TYPE_METHODS: dict[str, Model] = {
    "__new__": _type_new,
    "__init__": _none,
    "__call__": _type_call,
    "__prepare__": lambda machine, arguments: DictValue(),
    "__setattr__": _object_setattr,
}

CONSTRUCTORS: dict[str, Model] = {
    "list": _list,
    "tuple": _tuple,
    "set": _set(False),
    "frozenset": _set(True),
    "dict": _dict,
    "bool": _bool,
    "str": _convert(str),
    "int": _convert(int),
    "float": _convert(float),
    "complex": _convert(complex),
    "bytes": _convert(bytes),
    "type": _type,
    "object": _object,
    "property": _property,
    "staticmethod": lambda machine, arguments: StaticMethod(arguments.positional[0]),
    "classmethod": lambda machine, arguments: ClassMethod(arguments.positional[0]),
    "super": _super,
    "range": _range,
    "map": _map,
    "filter": _filter,
    "zip": _zip,
    "enumerate": _enumerate,
    "reversed": _reversed,
    "slice": _slice,
    "memoryview": _unknown_call("memoryview"),
    "bytearray": _unknown_call("bytearray"),
}

FUNCTIONS: dict[str, Model] = {
    "getattr": _getattr,
    "hasattr": _hasattr,
    "setattr": _setattr,
    "delattr": _delattr,
    "callable": _callable,
    "isinstance": _isinstance,
    "issubclass": _issubclass,
    "iter": _iter,
    "next": _next,
    "sorted": _sorted,
    "any": _any,
    "all": _all,
    "min": _extreme("min"),
    "max": _extreme("max"),
    "sum": _sum,
    "len": _len,
    "globals": _globals,
    "locals": _locals,
    "vars": _vars,
    "dir": _dir,
    "__import__": _import,
    "print": _print,
    "repr": _convert(repr),
    "ascii": _convert(ascii),
    "abs": _convert(abs),
    "round": _convert(round),
    "ord": _convert(ord),
    "chr": _convert(chr),
    "hex": _convert(hex),
    "oct": _convert(oct),
    "bin": _convert(bin),
    "divmod": _by_operator("divmod", divmod),
    "pow": _by_operator("pow", pow),
    "format": _format,
    "hash": _hash,
    "id": lambda machine, arguments: _identity(machine, ("id", *map(_identity_key, arguments.positional))),
    "input": _unknown_call("input"),
    "aiter": _unknown_call("aiter"),
    "anext": _unknown_call("anext"),
    "breakpoint": _none,
    **syntax.FUNCTIONS,
    **texts.FUNCTIONS,
    "__build_class__": _unknown_call("__build_class__"),
}


def builtin_namespace() -> Namespace:
    """The names of the builtins module, with the class hierarchy of the running Python."""
    namespace: Namespace = {
        "None": NONE,
        "True": TRUE,
        "False": FALSE,
        "NotImplemented": NOT_IMPLEMENTED,
        "__debug__": TRUE,
    }
    namespace["Ellipsis"] = Constant(...)
    namespace.update({name: NativeFunction(name, model) for name, model in FUNCTIONS.items()})
    for name, value in vars(builtins).items():
        if isinstance(value, type) and name != "__loader__":
            _add_class(namespace, name, value)
    namespace["exit"] = namespace["quit"] = External("sys.exit")
    return namespace


def _add_class(namespace: Namespace, name: str, value: type) -> ClassValue:
    known = namespace.get(name)
    if isinstance(known, ClassValue):
        return known
    bases = tuple(_add_class(namespace, base.__name__, base) for base in value.__bases__)
    cls = ClassValue(value.__name__, bases, is_builtin=True)
    if name != value.__name__:  # IOError is OSError
        cls = _add_class(namespace, value.__name__, value)
        namespace[name] = cls
        return cls
    mro = [cls, *(_add_class(namespace, each.__name__, each) for each in value.__mro__[1:])]
    cls.linearize(tuple(mro))
    namespace[name] = cls
    return cls
