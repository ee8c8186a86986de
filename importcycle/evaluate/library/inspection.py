"""inspect: what a program reads of its own functions, classes and modules."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.values.model import (
    FALSE,
    NONE,
    TRUE,
    BoundMethod,
    ClassValue,
    Constant,
    External,
    FunctionValue,
    InstanceValue,
    ModuleValue,
    NativeFunction,
    Symbolic,
    Value,
    WrapperValue,
    constant,
)

MOST_LAYERS = 20
"""Wrappers around one function that are taken off."""


def _function_in(value: Value) -> FunctionValue | None:
    """The function that a method is made of."""
    while isinstance(value, BoundMethod):
        value = value.function
    return value if isinstance(value, FunctionValue) else None


def _module_of(machine: Core, value: Value) -> ModuleValue | None:
    """The module in which a function or class is defined."""
    if isinstance(value, ModuleValue):
        return value
    function = _function_in(value)
    if function is not None:
        return function.module
    if isinstance(value, ClassValue):
        module = machine.import_system.loaded_modules().get(value.code_module)
        return module if isinstance(module, ModuleValue) else None
    return None


def _file(machine: Core, arguments: Arguments) -> Value:
    value = arguments.positional[0]
    module = _module_of(machine, value)
    found = module.namespace.get("__file__") if module is not None else None
    if found is not None:
        return found
    if isinstance(value, Constant) or (isinstance(value, InstanceValue) and not value.is_open):
        machine.raise_error("TypeError", "module, class, method, function, ... was expected")
    return machine.unknown(f"inspect.getfile({machine.describe(value)})")


def _module(machine: Core, arguments: Arguments) -> Value:
    value = arguments.positional[0]
    return _module_of(machine, value) or machine.unknown(f"inspect.getmodule({machine.describe(value)})")


def _documentation(machine: Core, arguments: Arguments) -> Value:
    text = machine.find_attribute(arguments.positional[0], "__doc__")
    if isinstance(text, Constant) and isinstance(text.value, str):
        return Constant(inspect.cleandoc(text.value))
    return NONE if isinstance(text, Constant) else machine.unknown("inspect.getdoc(...)")


def _unwrap(machine: Core, arguments: Arguments) -> Value:
    value = arguments.positional[0]
    for _ in range(MOST_LAYERS):
        if isinstance(value, External | Symbolic):
            return value
        inner = machine.find_attribute(value, "__wrapped__")
        if inner is None or isinstance(inner, Symbolic):
            return value
        value = inner
    return value


def _is_function_with(flag: str) -> Model:
    """Whether calling the function gives a coroutine or a generator."""

    def model(machine: Core, arguments: Arguments) -> Value:
        value = arguments.positional[0]
        if isinstance(value, External | Symbolic):
            return machine.unknown(f"inspect({machine.describe(value)})")
        function = _function_in(value)
        if function is None:
            return FALSE
        is_generator = function.code.body.is_generator
        kinds = {
            "coroutine": function.code.is_coroutine and not is_generator,
            "generator": is_generator and not function.code.is_coroutine,
            "asynchronous generator": is_generator and function.code.is_coroutine,
        }
        return TRUE if kinds[flag] else FALSE

    return model


def _is_routine(machine: Core, arguments: Arguments) -> Value:
    value = arguments.positional[0]
    if isinstance(value, External | Symbolic):
        return machine.unknown(f"inspect.isroutine({machine.describe(value)})")
    return TRUE if isinstance(value, FunctionValue | BoundMethod | NativeFunction) else FALSE


def _is_abstract(machine: Core, arguments: Arguments) -> Value:
    value = arguments.positional[0]
    if not isinstance(value, ClassValue):
        return FALSE
    names = {name for each in value.class_mro for name in each.namespace}
    for name in sorted(names):
        found = machine.class_attribute(value, name)
        if isinstance(found, FunctionValue | WrapperValue) and "__isabstractmethod__" in found.attributes:
            return TRUE
    return machine.unknown(f"inspect.isabstract({machine.describe(value)})", FALSE)


def _static_attribute(machine: Core, arguments: Arguments) -> Value:
    """``inspect.getattr_static``: without descriptors."""
    value, name = arguments.positional[0], machine.text_of(arguments.positional[1])
    found: Value | None = None
    if name is not None and isinstance(value, ClassValue):
        found = machine.class_attribute(value, name)
    elif name is not None and isinstance(value, InstanceValue):
        found = value.attributes.get(name) or machine.class_attribute(value.cls, name)
    elif name is not None and isinstance(value, ModuleValue):
        found = value.namespace.get(name)
    if found is not None:
        return found
    default = arguments.get(2, "default")
    return default if default is not None else machine.unknown("inspect.getattr_static(...)")


MODELS: dict[str, Model] = {
    "inspect.getfile": _file,
    "inspect.getsourcefile": _file,
    "inspect.getabsfile": _file,
    "inspect.getmodule": _module,
    "inspect.getdoc": _documentation,
    "inspect.cleandoc": lambda machine, arguments: (
        constant(inspect.cleandoc(text))
        if (text := machine.text_of(arguments.positional[0])) is not None
        else machine.unknown("inspect.cleandoc(...)")
    ),
    "inspect.unwrap": _unwrap,
    "inspect.iscoroutinefunction": _is_function_with("coroutine"),
    "asyncio.iscoroutinefunction": _is_function_with("coroutine"),
    "inspect.isgeneratorfunction": _is_function_with("generator"),
    "inspect.isasyncgenfunction": _is_function_with("asynchronous generator"),
    "inspect.isroutine": _is_routine,
    "inspect.iscode": lambda machine, arguments: (
        TRUE if machine.is_instance(arguments.positional[0], External("types.CodeType")) else FALSE
    ),
    "inspect.isabstract": _is_abstract,
    "inspect.getattr_static": _static_attribute,
}


def _flag(number: int) -> Callable[[Any], Value]:
    return lambda machine: Constant(number)


VALUES: dict[str, Callable[[Any], Value]] = {
    f"inspect.{name}": _flag(getattr(inspect, name)) for name in vars(inspect) if name.startswith("CO_")
}
