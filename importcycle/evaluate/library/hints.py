"""typing.get_type_hints: annotations that are kept as text, evaluated when they are asked for."""

from __future__ import annotations

from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.evaluate.frames import Frame, FrameKind
from importcycle.ir import UnparsableError, lower_module, nodes
from importcycle.values.model import (
    ClassValue,
    Constant,
    DictValue,
    FunctionValue,
    ModuleValue,
    Value,
    WrapperValue,
)


def _type_hints(machine: Core, arguments: Arguments) -> Value:
    """``typing.get_type_hints(obj)`` of a function, a class with its bases, or a module."""
    value = arguments.positional[0]
    while isinstance(value, WrapperValue):
        value = value.function
    hints: dict[str, Value] = {}
    match value:
        case FunctionValue():
            for name, annotation in machine.annotations_of(value).items():
                hints[name] = _evaluated(machine, annotation, value.module)
        case ClassValue():
            for each in reversed(list(value.class_mro)):
                module = machine.import_system.loaded_modules().get(each.code_module)
                hints.update(_hints_in(machine, each.namespace.get("__annotations__"), module))
        case ModuleValue():
            hints = _hints_in(machine, value.namespace.get("__annotations__"), value)
        case _:
            return machine.unknown(f"typing.get_type_hints({machine.describe(value)})")
    return DictValue((Constant(name), hint) for name, hint in hints.items())


def _hints_in(machine: Core, annotations: Value | None, module: Value | None) -> dict[str, Value]:
    if not isinstance(annotations, DictValue) or not isinstance(module, ModuleValue):
        return {}
    pairs = [(machine.text_of(key) or "", annotation) for key, annotation in annotations.items.values()]
    return {name: _evaluated(machine, annotation, module) for name, annotation in pairs}


def _evaluated(machine: Core, annotation: Value, module: ModuleValue) -> Value:
    """What a text stands for in a module; other annotations as they are."""
    text = machine.text_of(annotation)
    if text is None:
        return annotation
    try:
        code = lower_module(module.name, machine.running.code.path, text)
    except UnparsableError:
        return machine.unknown(text)
    statement = code.body[0] if code.body else None
    if not isinstance(statement, nodes.ExpressionStatement):
        return machine.unknown(text)
    frame = Frame(FrameKind.COMPREHENSION, module, code, machine.running.name, {}, None)
    machine.push(frame)
    try:
        return machine.evaluate(statement.value, frame)
    finally:
        machine.pop()


MODELS: dict[str, Model] = {"typing.get_type_hints": _type_hints, "typing_extensions.get_type_hints": _type_hints}
