"""dataclasses, attrs, typing and six: callables that make or remake classes."""

from __future__ import annotations

from importcycle.evaluate import fields
from importcycle.evaluate.bases import namespace_of
from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.evaluate.fields import new_field
from importcycle.evaluate.library.functional import make_named_tuple
from importcycle.values.model import (
    ClassValue,
    Constant,
    DictValue,
    External,
    ListValue,
    NativeFunction,
    TupleValue,
    Value,
    is_none,
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
    options = dict(arguments.keywords)
    factory = options.pop("factory", None)
    if factory is not None:
        options.setdefault("default_factory", factory)
    if arguments.positional:
        options["default"] = arguments.positional[0]
    return new_field(machine, options)


def _made_dataclass(machine: Core, arguments: Arguments) -> Value:
    """``make_dataclass(name, fields, bases=(), namespace=None, **options)``"""
    name, given = arguments.positional[:2]
    options = dict(arguments.keywords)
    bases, own = options.pop("bases", None), options.pop("namespace", None)
    namespace: dict[str, Value] = {"__module__": Constant(machine.running.module.name)}
    namespace |= namespace_of(own) if own is not None else {}
    annotations = DictValue()
    for each in machine.items_of(given) or ():
        parts = each.items if isinstance(each, TupleValue | ListValue) else (each, External("typing.Any"))
        annotations.items[("str", machine.text_of(parts[0]) or "?")] = (parts[0], parts[1])
        if len(parts) > 2:
            namespace[machine.text_of(parts[0]) or "?"] = parts[2]
    namespace["__annotations__"] = annotations
    text = machine.text_of(name) or "?"
    frame = machine.running
    parents = tuple(machine.items_of(bases) or ()) if bases is not None else ()
    cls = machine.make_class(text, parents, namespace, {}, frame, frame.line, text)
    if isinstance(cls, ClassValue):
        machine.synthesize_fields(cls, Arguments((), options))
    return cls


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
    namespace = DictValue([(Constant("__module__"), Constant(frame.module.name))])
    fill, keywords = arguments.get(3, "exec_body"), arguments.get(2, "kwds")
    if fill is not None and not is_none(fill):
        machine.call(fill, Arguments((namespace,)))
    options = namespace_of(keywords) if keywords is not None else {}
    return machine.make_class(name, parents, namespace_of(namespace), options, frame, frame.line, name)


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
    "dataclasses.make_dataclass": _made_dataclass,
    **fields.MODELS,
}  # fmt: skip
VALUES = fields.VALUES
