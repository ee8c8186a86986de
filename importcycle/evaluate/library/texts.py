"""Programs in text: ``exec``, ``eval``, and annotations that are evaluated when they are asked for."""

from __future__ import annotations

from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.evaluate.frames import Frame, FrameKind
from importcycle.ir import UnparsableError, lower_module, nodes
from importcycle.values.model import (
    NONE,
    ClassValue,
    Constant,
    DictValue,
    FunctionValue,
    ModuleValue,
    Namespace,
    NamespaceValue,
    Value,
    WrapperValue,
    is_none,
)

LONGEST_TEXT = 100_000
"""Characters of a text that is run."""


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
    return _run(machine, text, module, module.namespace) or machine.unknown(text)


# ------------------------------------------------------------------------------------------------ exec and eval
def _run(machine: Core, text: str, module: ModuleValue, names: Namespace) -> Value | None:
    """Run statements, or evaluate an expression: its value; None where the text is no Python that can be read here.

    The frame is left out of paths, as that of a comprehension: its lines are none of the file.
    """
    try:
        code = lower_module(module.name, machine.running.code.path, text)
    except UnparsableError:
        return None
    frame = Frame(FrameKind.COMPREHENSION, module, code, machine.running.name, names, None)
    frame.local_names = frozenset(names) if names is not module.namespace else frozenset()
    frame.line = 1
    statement = code.body[0] if len(code.body) == 1 else None
    machine.push(frame)
    try:
        if isinstance(statement, nodes.ExpressionStatement):
            return machine.evaluate(statement.value, frame)
        machine.execute(code.body, frame)
        return NONE
    finally:
        machine.pop()


def _scope(machine: Core, arguments: Arguments) -> tuple[ModuleValue, Namespace] | None:
    """The module and the names that a text is run with; None where they are others than those of a module."""
    given = arguments.get(1, "globals")
    frame = machine.running
    if given is None or is_none(given):
        is_body = frame.kind is FrameKind.MODULE
        return frame.module, frame.module.namespace if is_body else dict(frame.locals)
    if isinstance(given, NamespaceValue) and isinstance(given.owner, ModuleValue) and len(arguments.positional) < 3:
        return given.owner, given.owner.namespace
    return None


def _exec(machine: Core, arguments: Arguments) -> Value:
    """``exec(text, globals)``; what a text binds that is not known, is not known: the module's names become open."""
    text, scope = machine.text_of(arguments.positional[0]), _scope(machine, arguments)
    if text is not None and scope is not None and len(text) <= LONGEST_TEXT:
        if _run(machine, text, *scope) is not None:
            return NONE
        machine.raise_error("SyntaxError", "invalid syntax")
    given = arguments.get(1, "globals")
    if isinstance(given, DictValue):
        machine.trail.set_attribute(given, "is_open", True)
    else:
        owner = given.owner if isinstance(given, NamespaceValue) else machine.running.module
        if isinstance(owner, ModuleValue):
            machine.trail.set_attribute(owner, "is_open", True)
    machine.uncertain_events += 1
    return NONE


def _eval(machine: Core, arguments: Arguments) -> Value:
    text, scope = machine.text_of(arguments.positional[0]), _scope(machine, arguments)
    if text is None or scope is None or len(text) > LONGEST_TEXT:
        return machine.unknown(f"eval({machine.describe(arguments.positional[0])})")
    found = _run(machine, text.strip(), *scope)
    return found if found is not None else machine.unknown(f"eval({text!r})")


MODELS: dict[str, Model] = {"typing.get_type_hints": _type_hints, "typing_extensions.get_type_hints": _type_hints}
FUNCTIONS: dict[str, Model] = {"exec": _exec, "eval": _eval}
"""The same for builtins."""
