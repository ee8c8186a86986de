"""What is known of base classes outside the target, and of the namespaces that classes are made from."""

from __future__ import annotations

from importcycle.ir import nodes
from importcycle.values.model import (
    ClassMethod,
    ClassValue,
    Constant,
    DictValue,
    External,
    FunctionValue,
    InstanceValue,
    ListValue,
    Namespace,
    PropertyValue,
    StaticMethod,
    TupleValue,
    Value,
    WrapperValue,
)

TRANSPARENT_BASES = frozenset(
    [
        "typing.Generic",
        "typing.Protocol",
        "typing_extensions.Protocol",
        "typing_extensions.Generic",
        "abc.ABC",
        "contextlib.AbstractContextManager",
        "contextlib.ContextDecorator",
    ]
)
"""External bases that add no attribute that user code reads, and no hook that runs user code."""


def is_abstract_base(cls: ClassValue) -> bool:
    """Whether a class has ``abc.ABCMeta`` as its metaclass, or a class derived from it."""
    metas = [meta for each in cls.class_mro if isinstance(meta := each.metaclass, ClassValue | External)]
    derived = [base for meta in metas for base in (meta.mro if isinstance(meta, ClassValue) else (meta,))]
    return any(isinstance(each, External) and each.name in ("abc.ABC", "abc.ABCMeta") for each in (*cls.mro, *derived))


def own_slots(cls: ClassValue) -> tuple[str, ...]:
    """The names in a class's own ``__slots__``, as they are kept: private ones with the name of the class."""
    declared = cls.namespace.get("__slots__")
    items = declared.items if isinstance(declared, TupleValue | ListValue) else (declared,)
    names = [item.value for item in items if isinstance(item, Constant) and isinstance(item.value, str)]
    prefix = cls.name.lstrip("_")
    return tuple(
        f"_{prefix}{name}" if prefix and name.startswith("__") and not name.endswith("__") else name for name in names
    )


def is_to_be_overridden(value: Value | None) -> bool:
    """Whether what a class holds is an abstract method."""
    match value:
        case FunctionValue(attributes=attributes) | WrapperValue(attributes=attributes):
            return "__isabstractmethod__" in attributes
        case StaticMethod(function=function) | ClassMethod(function=function):
            return is_to_be_overridden(function)
        case PropertyValue(getter=getter, setter=setter):
            return is_to_be_overridden(getter) or is_to_be_overridden(setter)
    return False


def is_left_to_subclasses(value: Value | None) -> bool:
    """Whether what a class holds is abstract, or does nothing but say so."""
    if isinstance(value, StaticMethod | ClassMethod):
        return is_left_to_subclasses(value.function)
    return is_to_be_overridden(value) or (isinstance(value, FunctionValue) and _is_stub(value))


def _is_stub(function: FunctionValue) -> bool:
    """Whether a function's body is ``...`` or raises NotImplementedError."""
    match function.code.body.statements[-1:]:
        case (nodes.ExpressionStatement(value=nodes.Literal(value=content)),):
            return content is ...
        case (nodes.Raise(exception=nodes.NameLoad(name=name)),):
            return name == "NotImplementedError" and len(function.code.body.statements) <= 2
        case (nodes.Raise(exception=nodes.Call(function=nodes.NameLoad(name=name))),):
            return name == "NotImplementedError" and len(function.code.body.statements) <= 2
    return False


def namespace_of(value: Value) -> Namespace:
    """The string keys of a dict, as a namespace for a class."""
    if isinstance(value, InstanceValue) and value.payload is not None:
        value = value.payload
    if not isinstance(value, DictValue):
        return {}
    return {
        key.value: item
        for key, item in value.items.values()
        if isinstance(key, Constant) and isinstance(key.value, str)
    }
