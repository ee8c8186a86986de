"""inspect.signature: what a program asks of the parameters of its own functions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.values.model import (
    NONE,
    BoundMethod,
    ClassValue,
    Constant,
    DictValue,
    FunctionValue,
    InstanceValue,
    NativeFunction,
    PartialValue,
    TupleValue,
    Value,
    WrapperValue,
)

_EMPTY = Constant(inspect.Parameter.empty)
_KINDS = ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD", "VAR_POSITIONAL", "KEYWORD_ONLY", "VAR_KEYWORD")


def _kind(name: str) -> Constant:
    return Constant(getattr(inspect.Parameter, name))


def _parameters(function: FunctionValue) -> Iterator[tuple[str, Constant, Value]]:
    """Name, kind and default of each parameter, in order."""
    parameters = function.code.parameters
    named = (*parameters.positional_only, *parameters.positional)
    defaults = dict(zip(reversed(named), reversed(function.defaults), strict=False))
    for name in parameters.positional_only:
        yield name, _kind("POSITIONAL_ONLY"), defaults.get(name, _EMPTY)
    for name in parameters.positional:
        yield name, _kind("POSITIONAL_OR_KEYWORD"), defaults.get(name, _EMPTY)
    if parameters.variadic is not None:
        yield parameters.variadic, _kind("VAR_POSITIONAL"), _EMPTY
    for name in parameters.keyword_only:
        yield name, _kind("KEYWORD_ONLY"), function.keyword_defaults.get(name, _EMPTY)
    if parameters.keywords is not None:
        yield parameters.keywords, _kind("VAR_KEYWORD"), _EMPTY


def _annotation(machine: Core, function: FunctionValue, name: str) -> Value:
    annotation = function.annotations.get(name, _EMPTY)
    return annotation if isinstance(annotation, Value) else machine.unknown(f"the annotation of {name}")


def _object(machine: Core, name: str, attributes: dict[str, Value], shared: dict[str, Value]) -> InstanceValue:
    """An instance of a class of inspect; its ``replace`` gives another with some attributes exchanged."""
    cls = ClassValue(name, (machine.builtins["object"],))
    cls.code_module = "inspect"
    cls.namespace.update(shared)
    instance = InstanceValue(cls)
    instance.is_open = True
    instance.attributes.update(attributes)

    def replace(inner: Core, arguments: Arguments) -> Value:
        return _object(inner, name, {**attributes, **_by_name(inner, arguments.keywords)}, shared)

    instance.attributes["replace"] = NativeFunction("replace", replace)
    return instance


def _by_name(machine: Core, given: dict[str, Value]) -> dict[str, Value]:
    """``parameters`` are given as a sequence and kept by name."""
    changed = dict(given)
    items = machine.items_of(changed["parameters"]) if "parameters" in changed else None
    if items is not None:
        named = [(machine.get_attribute(item, "name"), item) for item in items]
        changed["parameters"] = DictValue(named)
    return changed


def _parameter(machine: Core, name: str, kind: Value, default: Value, annotation: Value) -> InstanceValue:
    attributes = {"name": Constant(name), "kind": kind, "default": default, "annotation": annotation}
    shared: dict[str, Value] = {each: _kind(each) for each in _KINDS}
    return _object(machine, "Parameter", attributes, {**shared, "empty": _EMPTY})


def _new_parameter(machine: Core, arguments: Arguments) -> Value:
    name, kind = arguments.get(0, "name") or NONE, arguments.get(1, "kind") or NONE
    default = arguments.keywords.get("default", _EMPTY)
    annotation = arguments.keywords.get("annotation", _EMPTY)
    return _parameter(machine, machine.text_of(name) or "?", kind, default, annotation)


def _signature_of(machine: Core, parameters: DictValue, returned: Value) -> InstanceValue:
    return _object(machine, "Signature", {"parameters": parameters, "return_annotation": returned}, {"empty": _EMPTY})


def _new_signature(machine: Core, arguments: Arguments) -> Value:
    given = _by_name(machine, {"parameters": arguments.get(0, "parameters") or TupleValue()})
    parameters = given["parameters"]
    returned = arguments.keywords.get("return_annotation", _EMPTY)
    return _signature_of(machine, parameters if isinstance(parameters, DictValue) else DictValue(), returned)


def _function_of(machine: Core, value: Value, is_wrapping: bool) -> tuple[FunctionValue, int] | None:
    """The function whose parameters count, and how many of its first ones are bound."""
    bound = 0
    for _ in range(MOST_LAYERS):
        match value:
            case FunctionValue(attributes={"__wrapped__": inner}) if is_wrapping:
                value = inner
            case FunctionValue():
                return value, bound
            case BoundMethod(function=inner):
                value, bound = inner, bound + 1
            case PartialValue(function=inner, keywords=keywords, arguments=given) if not keywords:
                value, bound = inner, bound + len(given)
            case WrapperValue(function=inner):
                value = inner
            case ClassValue(metaclass=None):
                initialise = machine.class_attribute(value, "__init__")
                if initialise is None:
                    return None
                value, bound = initialise, bound + 1
            case InstanceValue():
                method = machine.method_of(value, "__call__")
                if method is None:
                    return None
                value = method
            case _:
                return None
    return None


MOST_LAYERS = 20
"""Wrappers around one another that are looked through."""


def _signature(machine: Core, arguments: Arguments) -> Value:
    value = arguments.get(0, "obj") or NONE
    declared = machine.find_attribute(value, "__signature__") if isinstance(value, FunctionValue) else None
    if isinstance(declared, InstanceValue):
        return declared
    is_wrapping = machine.known_truth(arguments.keywords.get("follow_wrapped", Constant(True))) is not False
    found = _function_of(machine, value, is_wrapping)
    if found is None:
        return machine.unknown(f"inspect.signature({machine.describe(value)})")
    function, bound = found
    rows = []
    for name, kind, default in _parameters(function):
        is_positional = kind.value in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        if bound and is_positional:
            bound -= 1
            continue
        parameter = _parameter(machine, name, kind, default, _annotation(machine, function, name))
        rows.append((Constant(name), parameter))
    return _signature_of(machine, DictValue(rows), _annotation(machine, function, "return"))


def _given(value: Value) -> Callable[[Any], Value]:
    return lambda machine: value


MODELS: dict[str, Model] = {
    "inspect.signature": _signature,
    "inspect.Parameter": _new_parameter,
    "inspect.Signature": _new_signature,
    "inspect.Signature.from_callable": _signature,
}
VALUES: dict[str, Callable[[Any], Value]] = {
    "inspect.Parameter.empty": _given(_EMPTY),
    "inspect.Signature.empty": _given(_EMPTY),
    "inspect._empty": _given(_EMPTY),
    **{f"inspect.{owner}.{name}": _given(_kind(name)) for name in _KINDS for owner in ("Parameter", "_ParameterKind")},
}
