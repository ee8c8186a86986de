"""dataclasses, attrs, typing and six: callables that make or remake classes."""

from __future__ import annotations

from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.evaluate.library.functional import make_named_tuple
from importcycle.values.model import (
    NONE,
    ClassValue,
    Constant,
    InstanceValue,
    NativeFunction,
    TupleValue,
    Value,
)


def _dataclass(machine: Core, arguments: Arguments) -> Value:
    """``@dataclass``, with or without options."""
    options = Arguments((), arguments.keywords)

    def decorate(inner: Core, given: Arguments) -> Value:
        cls = given.positional[0]
        if isinstance(cls, ClassValue):
            inner.synthesize_fields(cls, options)
        return cls

    if arguments.positional and isinstance(arguments.positional[0], ClassValue):
        return decorate(machine, arguments)
    return NativeFunction("dataclass", decorate)


def _field(machine: Core, arguments: Arguments) -> Value:
    instance = InstanceValue(ClassValue("Field", (machine.builtins["object"],)))
    factory = arguments.keywords.get("default_factory") or arguments.keywords.get("factory")
    if factory is not None:
        instance.attributes["default_factory"] = factory
    default = arguments.get(0, "default")
    if default is not None:
        instance.attributes["default"] = default
    instance.is_open = True
    # The class body may use ``@field.default`` and ``@field.validator`` of attrs.
    for name in ("default", "validator"):
        instance.cls.namespace[name] = NativeFunction(name, lambda inner, given: given.positional[-1])
    return instance


def _typed_named_tuple(machine: Core, arguments: Arguments) -> Value:
    name = machine.text_of(arguments.positional[0]) or "?"
    fields = machine.items_of(arguments.positional[1]) if len(arguments.positional) > 1 else []
    names = [machine.text_of(each.items[0]) or "?" for each in fields or () if isinstance(each, TupleValue)]
    return make_named_tuple(machine, name, names, None)


def _with_metaclass(machine: Core, arguments: Arguments) -> Value:
    """six.with_metaclass(meta, *bases): a temporary base class that has the metaclass."""
    meta, *bases = arguments.positional
    cls = machine.build_class("temporary_class", tuple(bases), {}, {}, None)
    cls.metaclass = meta
    return cls


def _add_metaclass(machine: Core, arguments: Arguments) -> Value:
    meta = arguments.positional[0]

    def decorate(inner: Core, given: Arguments) -> Value:
        cls = given.positional[0]
        if not isinstance(cls, ClassValue):
            return cls
        keywords = {"metaclass": meta}
        frame = inner.running
        return inner.make_class(
            cls.name, cls.bases, dict(cls.namespace), keywords, frame, frame.line, cls.qualified_name
        )

    return NativeFunction("add_metaclass", decorate)


def _new_class(machine: Core, arguments: Arguments) -> Value:
    """types.new_class(name, bases, kwds, exec_body)"""
    name = machine.text_of(arguments.positional[0]) or "?"
    bases = arguments.get(1, "bases")
    parents = tuple(machine.items_of(bases) or ()) if bases is not None else ()
    frame = machine.running
    namespace: dict[str, Value] = {"__module__": Constant(frame.module.name)}
    return machine.make_class(name, parents, namespace, {}, frame, frame.line, name)


MODELS: dict[str, Model] = {
    "dataclasses.dataclass": _dataclass,
    "dataclasses.field": _field,
    "pydantic.dataclasses.dataclass": _dataclass,
    **{f"{module}.{name}": _dataclass for module, names in (
        ("attr", ("s", "attrs", "define", "mutable", "frozen", "dataclass", "attributes")),
        ("attrs", ("define", "mutable", "frozen")),
    ) for name in names},
    **dict.fromkeys(("attr.ib", "attr.attrib", "attr.field", "attrs.field", "attr.attr"), _field),
    "typing.NamedTuple": _typed_named_tuple,
    "six.with_metaclass": _with_metaclass,
    "six.add_metaclass": _add_metaclass,
    "types.new_class": _new_class,
    "dataclasses.replace": lambda machine, arguments: arguments.positional[0] if arguments.positional else NONE,
}  # fmt: skip
