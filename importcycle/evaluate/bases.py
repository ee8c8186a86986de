"""What is known of base classes outside the target, and of the namespaces that classes are made from."""

from __future__ import annotations

from importcycle.values.model import ClassValue, Constant, DictValue, External, InstanceValue, Namespace, Value

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
