"""functools, itertools, operator, contextlib, collections, copy: helpers that call what they are given."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.values.model import (
    FALSE,
    NONE,
    TRUE,
    BoundMethod,
    Choice,
    ClassValue,
    Constant,
    CoroutineValue,
    DictValue,
    External,
    FunctionValue,
    GeneratorValue,
    GenericAlias,
    InstanceValue,
    ListValue,
    ModuleValue,
    NativeFunction,
    PartialValue,
    PropertyValue,
    Symbolic,
    TupleValue,
    Value,
    WrapperValue,
    is_none,
)


def first(machine: Core, arguments: Arguments) -> Value:
    """The first argument itself: decorators that mark, casts, registrations."""
    return arguments.positional[0] if arguments.positional else machine.unknown("...")


def decorator_or_first(machine: Core, arguments: Arguments) -> Value:
    """A marking decorator, with or without arguments of its own."""
    if len(arguments.positional) == 1 and isinstance(arguments.positional[0], FunctionValue | ClassValue | BoundMethod):
        return arguments.positional[0]
    return NativeFunction("decorator", first)


def nothing(machine: Core, arguments: Arguments) -> Value:
    """Returns None and does nothing that matters here."""
    return NONE


def second(machine: Core, arguments: Arguments) -> Value:
    """``cast(type, value)``"""
    return arguments.get(1, "val") or machine.unknown("cast")


def _abstract_method(machine: Core, arguments: Arguments) -> Value:
    """Marks a function, or what wraps one, as to be overridden."""
    function = arguments.positional[0]
    if isinstance(function, FunctionValue | WrapperValue):
        machine.trail.set_item(function.attributes, "__isabstractmethod__", TRUE)
    return function


# ------------------------------------------------------------------------------------------------ functools
def _wraps(machine: Core, arguments: Arguments) -> Value:
    wrapped = arguments.get(0, "wrapped") or NONE

    def decorate(inner: Core, given: Arguments) -> Value:
        wrapper = given.positional[0]
        _copy_identity(inner, wrapper, wrapped)
        return wrapper

    return NativeFunction("wraps", decorate)


def _update_wrapper(machine: Core, arguments: Arguments) -> Value:
    wrapper, wrapped = arguments.get(0, "wrapper") or NONE, arguments.get(1, "wrapped") or NONE
    _copy_identity(machine, wrapper, wrapped)
    return wrapper


def _copy_identity(machine: Core, wrapper: Value, wrapped: Value) -> None:
    if isinstance(wrapper, FunctionValue):
        for name in ("__name__", "__qualname__", "__module__", "__doc__"):
            value = machine.find_attribute(wrapped, name)
            if value is not None:
                machine.trail.set_item(wrapper.attributes, name, value)
        if isinstance(wrapped, FunctionValue):
            for name, value in wrapped.attributes.items():
                machine.trail.set_item(wrapper.attributes, name, value)
        machine.trail.set_item(wrapper.attributes, "__wrapped__", wrapped)
    elif isinstance(wrapper, InstanceValue):
        machine.set_attribute(wrapper, "__wrapped__", wrapped)


def _wrapper(kind: str) -> Model:
    def model(machine: Core, arguments: Arguments) -> Value:
        if arguments.positional and not isinstance(arguments.positional[0], Constant | Symbolic | Choice):
            return WrapperValue(kind, arguments.positional[0])
        return NativeFunction(kind, lambda inner, given: WrapperValue(kind, given.positional[0]))

    return model


def _cached_property(machine: Core, arguments: Arguments) -> Value:
    getter = arguments.positional[0]
    name = getter.code.name if isinstance(getter, FunctionValue) else None
    return PropertyValue(getter, is_cached=True, name=name)


def _partial(is_method: bool) -> Model:
    def model(machine: Core, arguments: Arguments) -> Value:
        function, *rest = arguments.positional
        return PartialValue(function, tuple(rest), dict(arguments.keywords), is_method)

    return model


def _reduce(machine: Core, arguments: Arguments) -> Value:
    function, iterable, *initial = arguments.positional
    items = machine.items_of(iterable)
    if items is None:
        machine.call_in_passing(function, 2)
        return machine.unknown("functools.reduce(...)")
    if not initial and not items:
        machine.raise_error("TypeError", "reduce() of empty iterable with no initial value")
    result = initial[0] if initial else items.pop(0)
    for item in items:
        result = machine.call(function, Arguments((result, item)))
    return result


def _total_ordering(machine: Core, arguments: Arguments) -> Value:
    """The comparisons that a class lacks, from the one that it has."""
    cls = arguments.positional[0]
    given = ("__lt__", "__le__", "__gt__", "__ge__")
    root = next((name for name in given if isinstance(cls, ClassValue) and machine.class_attribute(cls, name)), None)
    if not isinstance(cls, ClassValue) or root is None:
        return cls
    for name in given:
        if machine.class_attribute(cls, name) is None:
            machine.trail.set_item(cls.namespace, name, NativeFunction(name, _derived_comparison(root, name)))
    return cls


def _derived_comparison(root: str, name: str) -> Model:
    is_same_direction = root[2] == name[2]
    is_strict = name.endswith("t__")
    is_opposite = not is_same_direction and is_strict is not root.endswith("t__")

    def compare(machine: Core, arguments: Arguments) -> Value:
        left, right = arguments.positional
        result = machine.call_method(left, root, right)
        truth = machine.known_truth(result)
        if truth is None or (isinstance(result, Constant) and result.value is NotImplemented):
            return result
        truth = truth is is_same_direction
        if not is_opposite:  # "less or equal" from "less", "greater" from "less", ...
            equal = machine.known_truth(machine.compare("==", left, right))
            if equal is None:
                return machine.unknown(f"{machine.describe(left)}.{name}(...)")
            truth = (truth and not equal) if is_strict else (truth or equal)
        return TRUE if truth else FALSE

    return compare


def _key_by_comparison(machine: Core, arguments: Arguments) -> Value:
    """``cmp_to_key(function)``"""
    function = arguments.positional[0]
    cls = ClassValue("K", (machine.builtins["object"],))

    def make(inner: Core, given: Arguments) -> Value:
        key = InstanceValue(cls)
        key.attributes["obj"] = given.positional[0]
        return key

    def less(inner: Core, given: Arguments) -> Value:
        contents = tuple(inner.get_attribute(each, "obj") for each in given.positional)
        return inner.compare("<", inner.call(function, Arguments(contents)), Constant(0))

    cls.namespace["__lt__"] = NativeFunction("__lt__", less)
    return NativeFunction("K", make)


# ------------------------------------------------------------------------------------------------ contextlib
def _suppress(machine: Core, arguments: Arguments) -> Value:
    return WrapperValue("suppress", TupleValue(arguments.positional))


def _null_context(machine: Core, arguments: Arguments) -> Value:
    return WrapperValue("nullcontext", arguments.get(0, "enter_result") or NONE)


# ------------------------------------------------------------------------------------------------ itertools
def _chain(machine: Core, arguments: Arguments) -> Value:
    def items() -> Iterator[Value]:
        for each in arguments.positional:
            yield from machine.iterate(each) or ()

    if all(isinstance(each, Symbolic | External) for each in arguments.positional):
        return machine.unknown("itertools.chain(...)")
    return GeneratorValue(items(), "iterator")


def _chain_from_iterable(machine: Core, arguments: Arguments) -> Value:
    outer = machine.iterate(arguments.positional[0])
    if outer is None:
        return machine.unknown("itertools.chain.from_iterable(...)")
    return GeneratorValue((item for each in outer for item in machine.iterate(each) or ()), "iterator")


def _product(machine: Core, arguments: Arguments) -> Value:
    pools = [machine.sequence_of(each) for each in arguments.positional]
    known = [pool for pool in pools if pool is not None]
    repeat = arguments.keywords.get("repeat")
    times = repeat.value if isinstance(repeat, Constant) and isinstance(repeat.value, int) else 1
    if len(known) < len(pools):
        return machine.unknown("itertools.product(...)")
    combinations = itertools.islice(itertools.product(*known, repeat=times), 10_000)
    return GeneratorValue((TupleValue(each) for each in combinations), "iterator")


def _star_map(machine: Core, arguments: Arguments) -> Value:
    function, iterable = arguments.positional
    items = machine.iterate(iterable)
    if items is None:
        machine.call_in_passing(function, 1)
        return machine.unknown("itertools.starmap(...)")
    results = (machine.call(function, Arguments(tuple(machine.items_of(item) or ()))) for item in items)
    return GeneratorValue(results, "iterator")


def _slice_iterator(machine: Core, arguments: Arguments) -> Value:
    items = machine.iterate(arguments.positional[0])
    bounds = [each.value if isinstance(each, Constant) else None for each in arguments.positional[1:]]
    if items is None:
        return machine.unknown("itertools.islice(...)")
    return GeneratorValue(itertools.islice(items, *bounds), "iterator")


def _selection(choose: Callable[[Callable[[Value], bool], Iterator[Value]], Iterator[Value]]) -> Model:
    """itertools.filterfalse, takewhile, dropwhile: a test whose truth is not known counts as true."""

    def model(machine: Core, arguments: Arguments) -> Value:
        function, iterable = arguments.positional
        items = machine.iterate(iterable)
        if items is None:
            machine.call_in_passing(function, 1)
            return machine.unknown("itertools(...)")

        def test(item: Value) -> bool:
            return machine.known_truth(machine.call(function, Arguments((item,)))) is not False

        return GeneratorValue(choose(test, items), "iterator")

    return model


def _plain_iterator(function: Callable[..., Iterator[Any]]) -> Model:
    """Those of itertools that only pass on what they are given, lazily."""

    def model(machine: Core, arguments: Arguments) -> Value:
        iterators = [machine.iterate(each) for each in arguments.positional]
        known = [each for each in iterators if each is not None]
        if len(known) < len(iterators):
            return machine.unknown("itertools(...)")
        found = function(*known, **arguments.keywords)
        return GeneratorValue((_as_value(each) for each in found), "iterator")

    return model


def _as_value(item: Any) -> Value:
    if isinstance(item, tuple):
        return TupleValue(item)
    return item if isinstance(item, Value) else NONE


def _count(machine: Core, arguments: Arguments) -> Value:
    def numbers() -> Iterator[Value]:
        number = arguments.get(0, "start") or Constant(0)
        while True:
            yield number
            number = machine.binary("+", number, arguments.get(1, "step") or Constant(1))

    return GeneratorValue(numbers(), "iterator")


def _repeat(machine: Core, arguments: Arguments) -> Value:
    times = arguments.get(1, "times")
    number = times.value if isinstance(times, Constant) and isinstance(times.value, int) else None
    item = arguments.positional[0]
    return GeneratorValue(itertools.repeat(item) if number is None else itertools.repeat(item, number), "iterator")


def _accumulate(machine: Core, arguments: Arguments) -> Value:
    items = machine.iterate(arguments.positional[0])
    function, initial = arguments.get(1, "func"), arguments.keywords.get("initial")
    if items is None:
        return machine.unknown("itertools.accumulate(...)")

    def add(left: Value, right: Value) -> Value:
        return machine.call(function, Arguments((left, right))) if function else machine.binary("+", left, right)

    return GeneratorValue(itertools.accumulate(items, add, initial=initial), "iterator")


def _group_by(machine: Core, arguments: Arguments) -> Value:
    items = machine.iterate(arguments.positional[0])
    function = arguments.get(1, "key")
    if items is None:
        return machine.unknown("itertools.groupby(...)")

    def groups() -> Iterator[Value]:
        current: list[Value] = []
        last: Value | None = None
        for item in items:
            key = machine.call(function, Arguments((item,))) if function is not None else item
            if last is not None and machine.known_truth(machine.compare("==", last, key)) is False:
                yield TupleValue((last, ListValue(current)))
                current = []
            last = key
            current.append(item)
        if last is not None:
            yield TupleValue((last, ListValue(current)))

    return GeneratorValue(groups(), "iterator")


def _copied_iterator(machine: Core, arguments: Arguments) -> Value:
    items = machine.items_of(arguments.positional[0])
    return (
        machine.unknown("itertools.tee(...)") if items is None else TupleValue((TupleValue(items), TupleValue(items)))
    )


# ------------------------------------------------------------------------------------------------ operator
def _attribute_getter(machine: Core, arguments: Arguments) -> Value:
    names = [machine.text_of(each) for each in arguments.positional]

    def get(inner: Core, given: Arguments) -> Value:
        results = []
        for name in names:
            value = given.positional[0]
            for part in (name or "").split("."):
                value = inner.get_attribute(value, part) if part else inner.unknown("attribute")
            results.append(value)
        return results[0] if len(results) == 1 else TupleValue(results)

    return NativeFunction("attrgetter", get)


def _item_getter(machine: Core, arguments: Arguments) -> Value:
    def get(inner: Core, given: Arguments) -> Value:
        results = [inner.get_item(given.positional[0], index) for index in arguments.positional]
        return results[0] if len(results) == 1 else TupleValue(results)

    return NativeFunction("itemgetter", get)


def _method_caller(machine: Core, arguments: Arguments) -> Value:
    name = machine.text_of(arguments.positional[0])

    def call(inner: Core, given: Arguments) -> Value:
        method = inner.get_attribute(given.positional[0], name) if name else inner.unknown("method")
        return inner.call(method, arguments.after_first())

    return NativeFunction("methodcaller", call)


def _binary(operator: str) -> Model:
    return lambda machine, arguments: machine.binary(operator, *arguments.positional[:2])


def _comparison(operator: str) -> Model:
    return lambda machine, arguments: machine.compare(operator, *arguments.positional[:2])


def _index(machine: Core, arguments: Arguments) -> Value:
    value = arguments.positional[0]
    if isinstance(value, Constant) and isinstance(value.value, int):
        return value
    method = machine.method_of(value, "__index__")
    if method is not None:
        return machine.call(method, Arguments())
    if isinstance(value, Symbolic | External):
        return machine.unknown(f"operator.index({machine.describe(value)})")
    machine.raise_error("TypeError", f"'{machine.describe(value)}' object cannot be interpreted as an integer")


def _truth_of(machine: Core, arguments: Arguments, is_negated: bool) -> Value:
    truth = machine.known_truth(arguments.positional[0])
    return machine.unknown("operator.truth(...)") if truth is None else Constant(truth is not is_negated)


def _get_item(machine: Core, arguments: Arguments) -> Value:
    return machine.get_item(*arguments.positional[:2])


# ------------------------------------------------------------------------------------------------ collections
def _ordered_dict(machine: Core, arguments: Arguments) -> Value:
    cls = machine.builtins["dict"]
    assert isinstance(cls, ClassValue)
    result = machine.create_instance(cls, arguments)
    if isinstance(result, DictValue):
        result.attributes = {}
    return result


def _default_dict(machine: Core, arguments: Arguments) -> Value:
    factory = arguments.get(0, "default_factory")
    result = _ordered_dict(machine, arguments.after_first())
    if isinstance(result, DictValue) and factory is not None and not isinstance(factory, Constant):
        result.default = factory
    return result


def _deque(machine: Core, arguments: Arguments) -> Value:
    items = machine.items_of(arguments.positional[0]) if arguments.positional else []
    return ListValue(items or (), items is None)


def _named_tuple(machine: Core, arguments: Arguments) -> Value:
    name = machine.text_of(arguments.positional[0]) if arguments.positional else None
    fields = arguments.get(1, "field_names")
    text = machine.text_of(fields) if fields is not None else None
    if text is not None:
        names: list[str] = text.replace(",", " ").split()
    else:
        items = machine.items_of(fields) if fields is not None else None
        if items is None:
            return machine.unknown("namedtuple(...)")
        names = [machine.text_of(each.items[0] if isinstance(each, TupleValue) else each) or "?" for each in items]
    return make_named_tuple(machine, name or "?", names, arguments.keywords.get("defaults"))


def make_named_tuple(machine: Core, name: str, names: list[str], defaults: Value | None) -> Value:
    """A class whose instances have the given fields."""
    namespace: dict[str, Value] = {"__module__": Constant(machine.running.module.name), "__qualname__": Constant(name)}
    annotations = DictValue((Constant(field), machine.unknown(field)) for field in names)
    namespace["__annotations__"] = annotations
    namespace["_fields"] = TupleValue(Constant(field) for field in names)
    values = machine.items_of(defaults) if defaults is not None and not isinstance(defaults, Constant) else []
    namespace.update(zip(reversed(names), reversed(values or []), strict=False))
    cls = machine.build_class(name, (External("typing.NamedTuple"),), namespace, {}, None)
    cls.is_open = True
    return cls


# ------------------------------------------------------------------------------------------------ others
def _reference(machine: Core, arguments: Arguments) -> Value:
    """weakref.ref: nothing that initialisation refers to goes away meanwhile, as a rule."""
    value = arguments.positional[0]
    return NativeFunction("ref", lambda inner, given: value)


def _run_coroutine(machine: Core, arguments: Arguments) -> Value:
    value = arguments.get(0, "main")
    return value.run() if isinstance(value, CoroutineValue) else machine.unknown("asyncio.run(...)")


def _alias_arguments(machine: Core, arguments: Arguments) -> Value:
    """typing.get_args"""
    value = arguments.positional[0] if arguments.positional else NONE
    if isinstance(value, GenericAlias):
        none = machine.class_of(NONE) or NONE
        return TupleValue(none if is_none(each) else each for each in value.arguments)
    return TupleValue() if isinstance(value, ClassValue | Constant) else machine.unknown("typing.get_args(...)")


def _alias_origin(machine: Core, arguments: Arguments) -> Value:
    """typing.get_origin"""
    value = arguments.positional[0] if arguments.positional else NONE
    return value.origin if isinstance(value, GenericAlias) else NONE


def _bound_method(machine: Core, arguments: Arguments) -> Value:
    return BoundMethod(*arguments.positional[:2])


def _simple_namespace(machine: Core, arguments: Arguments) -> Value:
    cls = ClassValue("SimpleNamespace", (machine.builtins["object"],))
    instance = InstanceValue(cls)
    instance.attributes.update(arguments.keywords)
    instance.is_open = arguments.is_open or bool(arguments.positional)
    return instance


def _module_type(machine: Core, arguments: Arguments) -> Value:
    name = arguments.get(0, "name")
    module = ModuleValue((machine.text_of(name) if name is not None else None) or "?", False)
    module.namespace["__name__"] = name or NONE
    module.namespace["__doc__"] = arguments.get(1, "doc") or NONE
    return module


_MARKERS = (
    "typing.overload typing.final typing.no_type_check typing.runtime_checkable typing.override "
    "typing_extensions.overload typing_extensions.final typing_extensions.runtime_checkable typing_extensions.override "
    "weakref.proxy"
).split()
"""Decorators and functions that give back what they are given."""
_MARKERS_WITH_ARGUMENTS = (
    "typing.dataclass_transform typing_extensions.dataclass_transform typing_extensions.deprecated warnings.deprecated"
).split()
MODELS: dict[str, Model] = {
    "functools.wraps": _wraps,
    "functools.update_wrapper": _update_wrapper,
    "functools.lru_cache": _wrapper("cache"),
    "functools.cache": _wrapper("cache"),
    "functools.singledispatch": _wrapper("singledispatch"),
    "functools.singledispatchmethod": _wrapper("singledispatchmethod"),
    "functools.cached_property": _cached_property,
    "functools.partial": _partial(False),
    "functools.partialmethod": _partial(True),
    "functools.reduce": _reduce,
    "functools.cmp_to_key": _key_by_comparison,
    "functools.total_ordering": _total_ordering,
    "contextlib.contextmanager": _wrapper("contextmanager"),
    "contextlib.suppress": _suppress,
    "contextlib.nullcontext": _null_context,
    "contextlib.closing": lambda machine, arguments: WrapperValue("closing", arguments.positional[0]),
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": _chain_from_iterable,
    "itertools.product": _product,
    "itertools.starmap": _star_map,
    "itertools.islice": _slice_iterator,
    "itertools.filterfalse": _selection(itertools.filterfalse),
    "itertools.takewhile": _selection(itertools.takewhile),
    "itertools.dropwhile": _selection(itertools.dropwhile),
    "itertools.count": _count,
    "itertools.repeat": _repeat,
    "itertools.accumulate": _accumulate,
    "itertools.groupby": _group_by,
    "itertools.cycle": _plain_iterator(itertools.cycle),
    "itertools.pairwise": _plain_iterator(itertools.pairwise),
    "itertools.zip_longest": _plain_iterator(itertools.zip_longest),
    "itertools.tee": _copied_iterator,
    "operator.attrgetter": _attribute_getter,
    "operator.itemgetter": _item_getter,
    "operator.methodcaller": _method_caller,
    "operator.getitem": _get_item,
    **{f"operator.{name}": _binary(sign) for name, sign in (
        ("add", "+"), ("sub", "-"), ("mul", "*"), ("truediv", "/"), ("or_", "|"), ("and_", "&"), ("xor", "^"),
        ("mod", "%"), ("concat", "+"), ("floordiv", "//"), ("pow", "**"), ("lshift", "<<"), ("rshift", ">>"),
        ("matmul", "@"))},
    **{f"operator.{name}": _comparison(sign) for name, sign in (
        ("eq", "=="), ("ne", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">="), ("is_", "is"),
        ("is_not", "is not"))},
    "operator.index": _index,
    "operator.contains": lambda machine, arguments: machine.compare("in", *reversed(arguments.positional[:2])),
    "operator.not_": lambda machine, arguments: _truth_of(machine, arguments, True),
    "operator.truth": lambda machine, arguments: _truth_of(machine, arguments, False),
    "operator.setitem": lambda machine, arguments: machine.set_item(*arguments.positional[:3]) or NONE,
    "operator.delitem": lambda machine, arguments: machine.delete_item(*arguments.positional[:2]) or NONE,
    "operator.call": lambda machine, arguments: machine.call(arguments.positional[0], arguments.after_first()),
    "collections.OrderedDict": _ordered_dict,
    "collections.defaultdict": _default_dict,
    "collections.deque": _deque,
    "collections.namedtuple": _named_tuple,
    "weakref.ref": _reference,
    "asyncio.run": _run_coroutine,
    "types.MethodType": _bound_method,
    "types.MappingProxyType": first,
    "types.SimpleNamespace": _simple_namespace,
    "types.ModuleType": _module_type,
    "types.DynamicClassAttribute": lambda machine, arguments: PropertyValue(arguments.get(0, "fget")),
    "enum.property": lambda machine, arguments: PropertyValue(arguments.get(0, "fget")),
    "enum.unique": first,
    "typing.get_args": _alias_arguments,
    "typing.get_origin": _alias_origin,
    "typing_extensions.get_args": _alias_arguments,
    "typing_extensions.get_origin": _alias_origin,
    "typing.NewType": lambda machine, arguments: NativeFunction(machine.describe(arguments.positional[0]), first),
    "typing.cast": second,
    "typing_extensions.cast": second,
    "atexit.register": first,
    "warnings.warn": nothing,
    "warnings.filterwarnings": nothing,
    "warnings.simplefilter": nothing,
    "sys.setrecursionlimit": nothing,
    "gc.collect": nothing,
    **dict.fromkeys(_MARKERS, first),
    "abc.abstractmethod": _abstract_method,
    **dict.fromkeys(_MARKERS_WITH_ARGUMENTS, decorator_or_first),
    "abc.abstractproperty": lambda machine, arguments: PropertyValue(arguments.get(0, "fget")),
}  # fmt: skip
