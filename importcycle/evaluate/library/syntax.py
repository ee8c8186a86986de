"""The ast module, source text and frames: programs that read the source of the target, or look at who calls them.

Nodes of a syntax tree are plain constants: nothing but their own attributes is asked of them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.evaluate.frames import Frame, FrameKind
from importcycle.evaluate.symbols import apply
from importcycle.project import SourceError, decode_source, read_source
from importcycle.project.source import read_file
from importcycle.values.model import (
    NONE,
    ClassValue,
    Constant,
    FunctionValue,
    GeneratorValue,
    InstanceValue,
    ModuleValue,
    NamespaceValue,
    NativeFunction,
    PropertyValue,
    Symbolic,
    Value,
    constant,
)

LONGEST_SOURCE = 300_000
"""Characters of a source that is parsed for the program."""


# ------------------------------------------------------------------------------------------------ text
def _source(machine: Core, arguments: Arguments) -> Value:
    """inspect.getsource(module)"""
    value = arguments.get(0, "object") or NONE
    module = machine.project.modules.get(value.name) if isinstance(value, ModuleValue) else None
    if isinstance(value, Constant | InstanceValue):
        machine.raise_error("TypeError", "module, class, method, function, traceback, frame, or code object expected")
    if module is None:
        return machine.unknown(f"inspect.getsource({machine.describe(value)})")
    try:
        return Constant(_lines_joined(decode_source(read_source(module))))
    except SourceError:
        return machine.unknown(f"inspect.getsource({machine.describe(value)})")


def _lines_joined(text: str) -> str:
    return text.replace("\r\n", "\n")


def text_of_file(machine: Core, path: str) -> str | None:
    """The text of a file of the target; None for any other, and for one that cannot be read."""
    try:
        location = Path(path).resolve()
        if not any(location.is_relative_to(package) for package in _folders(machine)):
            return None
        data = read_file(location)
        return _lines_joined(data.decode()) if len(data) <= LONGEST_SOURCE else None
    except (SourceError, OSError, ValueError):
        return None


def _folders(machine: Core) -> list[Path]:
    return [module.path.parent.resolve() for name, module in machine.project.modules.items() if "." not in name]


# ------------------------------------------------------------------------------------------------ trees
def _parse(machine: Core, arguments: Arguments) -> Value:
    return _tree(machine, arguments.get(0, "source"), arguments.get(2, "mode"))


def _tree(machine: Core, source: Value | None, mode: Value | None) -> Value:
    text = machine.text_of(source) if source is not None else None
    how = machine.text_of(mode) if mode is not None else "exec"
    if text is None or len(text) > LONGEST_SOURCE or how not in ("exec", "eval", "single"):
        return machine.unknown("ast.parse(...)")
    try:
        return Constant(ast.parse(text, mode=how))
    except SyntaxError as error:
        machine.raise_error("SyntaxError", str(error))
    except (ValueError, RecursionError, MemoryError):
        return machine.unknown("ast.parse(...)")


def _compile(machine: Core, arguments: Arguments) -> Value:
    """``compile(source, filename, mode, ast.PyCF_ONLY_AST)``; code objects are not known."""
    flags = arguments.get(3, "flags")
    number = flags.value if isinstance(flags, Constant) and isinstance(flags.value, int) else 0
    if not number & ast.PyCF_ONLY_AST:
        text = machine.text_of(arguments.get(0, "source") or NONE)
        if text is None:
            return machine.unknown("compile(...)")
        code = InstanceValue(ClassValue("code", (machine.builtins["object"],)))
        code.attributes["source"] = Constant(text)
        code.is_open = True
        return code
    return _tree(machine, arguments.get(0, "source"), arguments.get(2, "mode"))


def _node_of(arguments: Arguments) -> ast.AST | None:
    first = arguments.get(0, "node")
    return first.value if isinstance(first, Constant) and isinstance(first.value, ast.AST) else None


def _nodes(name: str, function: Callable[[ast.AST], Any]) -> Model:
    def model(machine: Core, arguments: Arguments) -> Value:
        node = _node_of(arguments)
        if node is None:
            return machine.unknown(f"ast.{name}(...)")
        return GeneratorValue(iter([constant(each) for each in function(node)]), "iterator")

    return model


def _plain_result(name: str, function: Callable[[Any], Any]) -> Model:
    def model(machine: Core, arguments: Arguments) -> Value:
        first = arguments.get(0, "node_or_string") or arguments.get(0, "node")
        if isinstance(first, Symbolic):
            return apply(f"ast.{name}({first.text})", function, first)
        if not isinstance(first, Constant):
            return machine.unknown(f"ast.{name}(...)")
        try:
            return constant(function(first.value))
        except (ValueError, TypeError, SyntaxError) as error:
            machine.raise_error(type(error).__name__, str(error))
        except (RecursionError, MemoryError):
            return machine.unknown(f"ast.{name}(...)")

    return model


# ------------------------------------------------------------------------------------------------ frames
def _frame(machine: Core, depth: int) -> Value:
    frame: Frame | None = machine.running
    while frame is not None and (depth > 0 or frame.kind is FrameKind.COMPREHENSION):
        depth -= frame.kind is not FrameKind.COMPREHENSION
        frame = frame.caller
    return machine.unknown("a frame") if frame is None else _frame_value(machine, frame)


def _frame_value(machine: Core, frame: Frame) -> Value:
    value = InstanceValue(ClassValue("frame", (machine.builtins["object"],)))
    value.is_open = True
    module = frame.module
    is_body = frame.kind is FrameKind.MODULE
    value.attributes["f_globals"] = machine.namespace_of(module)
    value.attributes["f_locals"] = machine.namespace_of(module) if is_body else NamespaceValue(frame.locals, None)
    value.attributes["f_lineno"] = Constant(frame.line)

    def back(inner: Core, arguments: Arguments) -> Value:
        if is_body or frame.caller is None:  # those of the import system, written in Python
            return inner.unknown("frame.f_back")
        return _frame_value(inner, frame.caller)

    value.cls.namespace["f_back"] = PropertyValue(NativeFunction("f_back", back))
    return value


def _get_frame(machine: Core, arguments: Arguments) -> Value:
    depth = arguments.get(0, "depth") or Constant(0)
    if not isinstance(depth, Constant) or not isinstance(depth.value, int):
        return machine.unknown("sys._getframe(...)")
    return _frame(machine, depth.value)


def _get_module(machine: Core, arguments: Arguments) -> Value:
    """inspect.getmodule"""
    value = arguments.get(0, "object") or NONE
    if isinstance(value, ModuleValue):
        return value
    name = value.module.name if isinstance(value, FunctionValue) else None
    if isinstance(value, ClassValue):
        name = value.code_module
    loaded = machine.import_system.loaded_modules().get(name) if name is not None else None
    return loaded or machine.unknown(f"inspect.getmodule({machine.describe(value)})")


# ------------------------------------------------------------------------------------------------ files
def _open(machine: Core, arguments: Arguments) -> Value:
    """``open(path)`` of a file of the target, for reading."""
    path, mode = arguments.get(0, "file"), arguments.get(1, "mode")
    how = machine.text_of(mode) if mode is not None else "r"
    given = path.attributes.get("_text", path) if isinstance(path, InstanceValue) else path
    location = machine.text_of(given) if given is not None else None
    text = text_of_file(machine, location) if location is not None and how in ("r", "rt") else None
    if text is None:
        machine.uncertain_events += 1
        return machine.unknown(f"open({machine.describe(path or NONE)})")
    file = InstanceValue(ClassValue("TextIOWrapper", (machine.builtins["object"],)))
    file.is_open = True
    lines = text.splitlines(keepends=True)
    content = {"read": Constant(text), "readlines": constant(lines), "close": NONE}
    for name, value in content.items():
        file.attributes[name] = NativeFunction(name, _giving(value))
    special = file.cls.namespace
    special["__enter__"] = NativeFunction("__enter__", lambda inner, given: file)
    special["__exit__"] = NativeFunction("__exit__", _giving(NONE))
    special["__iter__"] = NativeFunction(
        "__iter__", lambda inner, given: GeneratorValue(iter([Constant(line) for line in lines]), "iterator")
    )
    return file


def _giving(value: Value) -> Model:
    return lambda machine, arguments: value


MODELS: dict[str, Model] = {
    "ast.parse": _parse,
    "ast.walk": _nodes("walk", ast.walk),
    "ast.iter_child_nodes": _nodes("iter_child_nodes", ast.iter_child_nodes),
    "ast.iter_fields": _nodes("iter_fields", ast.iter_fields),
    "ast.literal_eval": _plain_result("literal_eval", ast.literal_eval),
    "ast.get_docstring": _plain_result("get_docstring", ast.get_docstring),
    "ast.unparse": _plain_result("unparse", ast.unparse),
    "inspect.getsource": _source,
    "inspect.getmodule": _get_module,
    "inspect.currentframe": lambda machine, arguments: _frame(machine, 0),
    "sys._getframe": _get_frame,
    "io.open": _open,
}
FUNCTIONS: dict[str, Model] = {"compile": _compile, "open": _open}
"""The same for builtins."""


def _only_tree(machine: Any) -> Value:
    return Constant(ast.PyCF_ONLY_AST)


VALUES: dict[str, Callable[[Any], Value]] = {"ast.PyCF_ONLY_AST": _only_tree}
