"""Programs in text: ``exec``, ``eval``, and annotations that are evaluated when they are asked for."""

from __future__ import annotations

import string
from dataclasses import dataclass

from importcycle.evaluate.bases import namespace_of
from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.evaluate.frames import Frame, FrameKind
from importcycle.evaluate.symbols import apply
from importcycle.ir import UnparsableError, lower_module, nodes
from importcycle.values.model import (
    NONE,
    ClassValue,
    Constant,
    DictValue,
    External,
    FunctionValue,
    InstanceValue,
    ModuleValue,
    Namespace,
    NamespaceValue,
    NativeFunction,
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
    if names is not module.namespace:
        frame.local_names = names.keys()  # as in the body of a class, what is bound is seen from then on
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


@dataclass(frozen=True, slots=True)
class _Scope:
    """What a text is run with: a module, or a stand-in for one, and the names that it sees and binds first."""

    module: ModuleValue
    names: Namespace
    kept: tuple[tuple[DictValue, Namespace], ...] = ()
    """Dictionaries of the program that hold these names, to be filled again afterwards."""

    def keep(self, machine: Core) -> None:
        for content, names in self.kept:
            for key, (name, _) in list(content.items.items()):
                if machine.text_of(name) not in names:
                    machine.trail.delete_item(content.items, key)
            for text, value in names.items():
                machine.trail.set_item(content.items, ("str", text), (Constant(text), value))


def _scope(machine: Core, arguments: Arguments) -> _Scope | None:
    """None where the names that a text is run with are not known."""
    given, own = arguments.get(1, "globals"), arguments.get(2, "locals")
    frame = machine.running
    if given is None or is_none(given):
        is_body = frame.kind is FrameKind.MODULE
        scope = _Scope(frame.module, frame.module.namespace if is_body else dict(frame.locals))
    elif isinstance(given, NamespaceValue) and isinstance(given.owner, ModuleValue):
        scope = _Scope(given.owner, given.owner.namespace)
    elif isinstance(given, DictValue) and not given.is_open:
        scope = _stand_in(given, frame)
    else:
        return None
    match own:
        case None | Constant(value=None):
            return scope
        case NamespaceValue(namespace=names):
            return _Scope(scope.module, names, scope.kept)
        case DictValue(is_open=False):
            names = namespace_of(own)
            return _Scope(scope.module, names, (*scope.kept, (own, names)))
    return None


def _stand_in(given: DictValue, frame: Frame) -> _Scope:
    """A dictionary as the names of a module; it is called as the dictionary says, or as the one that runs."""
    names = namespace_of(given)
    names.setdefault("__builtins__", External("builtins"))
    name = names.get("__name__")
    is_named = isinstance(name, Constant) and isinstance(name.value, str)
    module = ModuleValue(name.value if is_named else frame.module.name, False)  # type: ignore[union-attr]
    module.namespace = names
    return _Scope(module, names, ((given, names),))


def _source(machine: Core, value: Value) -> str | None:
    """The text that is to be run; None where it is not known, or long."""
    if isinstance(value, InstanceValue) and value.cls.name == "code":
        value = value.attributes.get("source", NONE)
    text = machine.text_of(value)
    return text if text is not None and len(text) <= LONGEST_TEXT else None


def _exec(machine: Core, arguments: Arguments) -> Value:
    """``exec(text, globals)``; what a text binds that is not known, is not known: the module's names become open."""
    text, scope = _source(machine, arguments.positional[0]), _scope(machine, arguments)
    if text is not None and scope is not None:
        try:
            done = _run(machine, text, scope.module, scope.names)
        finally:
            scope.keep(machine)
        if done is not None:
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
    text, scope = _source(machine, arguments.positional[0]), _scope(machine, arguments)
    if text is None or scope is None:
        return machine.unknown(f"eval({machine.describe(arguments.positional[0])})")
    found = _run(machine, text.strip(), scope.module, scope.names)
    scope.keep(machine)
    return found if found is not None else machine.unknown(f"eval({text!r})")


# ------------------------------------------------------------------------------------------------ templates
def _template(machine: Core, arguments: Arguments) -> Value:
    """``string.Template(text)``"""
    instance = machine.allocate(ClassValue("Template", (machine.builtins["object"],)), Arguments())
    instance.attributes["template"] = arguments.get(0, "template") or NONE
    for name in ("substitute", "safe_substitute"):
        instance.attributes[name] = NativeFunction(name, _substitution(instance, name))
    instance.is_open = True
    return instance


def _substitution(instance: InstanceValue, name: str) -> Model:
    def model(machine: Core, arguments: Arguments) -> Value:
        template = instance.attributes["template"]
        contents: dict[str, Value] = {}
        for given in arguments.positional[:1]:
            contents.update(namespace_of(given))
        contents.update(arguments.keywords)
        texts = [machine.text_by(each, "str") for each in contents.values()]

        def substituted(text: str, *parts: str) -> str:
            result: str = getattr(string.Template(text), name)(dict(zip(contents, parts, strict=True)))
            return result

        if isinstance(template, Constant) and all(isinstance(each, Constant) for each in texts):
            try:
                return Constant(
                    substituted(template.value, *(each.value for each in texts if isinstance(each, Constant)))
                )
            except (KeyError, ValueError) as error:
                machine.raise_error(type(error).__name__, str(error))
        return apply(f"string.Template({machine.describe(template)}).{name}(...)", substituted, template, *texts)

    return model


MODELS: dict[str, Model] = {
    "string.Template": _template,
    "typing.get_type_hints": _type_hints,
    "typing_extensions.get_type_hints": _type_hints,
}
FUNCTIONS: dict[str, Model] = {"exec": _exec, "eval": _eval}
"""The same for builtins."""
