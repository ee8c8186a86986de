"""sys, os, platform, pathlib, inspect: what a program asks of the world around it."""

from __future__ import annotations

import fnmatch
import os
import posixpath
from collections.abc import Callable
from pathlib import Path
from typing import Any

from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.evaluate.environment import ENVIRONMENT, environment_view
from importcycle.evaluate.symbols import apply, environment_variable, given
from importcycle.values.model import (
    FALSE,
    NONE,
    NOT_IMPLEMENTED,
    TRUE,
    BoundMethod,
    ClassValue,
    Constant,
    DictValue,
    External,
    FunctionValue,
    GeneratorValue,
    InstanceValue,
    ListValue,
    ModuleValue,
    NativeFunction,
    PropertyValue,
    Symbolic,
    TupleValue,
    Value,
    constant,
    is_none,
)

MOST_ENTRIES = 5_000
"""Entries of a folder that are listed."""
LARGEST_FILE = 100_000
"""Bytes of a file that is read."""


# ------------------------------------------------------------------------------------------------ environment
def _environment_get(machine: Core, arguments: Arguments) -> Value:
    name, default = arguments.get(0, "key"), arguments.get(1, "default")
    text = machine.text_of(name) if name is not None else None
    if text is None:
        shown = machine.describe(name) if name is not None else ""
        return machine.unknown(f"os.environ.get({shown})", default or NONE)
    shown = f"os.environ.get({text!r})"
    variable = machine.environment.get(text) or environment_variable(text, shown)
    if isinstance(variable, Constant):
        return variable if variable.value is not None else default or NONE
    if default is None or is_none(default):
        return variable
    shown = f"os.environ.get({text!r}, {machine.describe(default)})"
    if not isinstance(default, Constant | Symbolic):
        return machine.unknown(shown, default)
    return apply(shown, lambda content, other: other if content is None else content, variable, default)


def _environment_set_default(machine: Core, arguments: Arguments) -> Value:
    content = _environment_get(machine, arguments)
    machine.set_item(External("os.environ"), arguments.positional[0], content)
    return content


def _environment_pop(machine: Core, arguments: Arguments) -> Value:
    content = _environment_get(machine, arguments)
    machine.delete_item(External("os.environ"), arguments.positional[0])
    return content


def _environment_update(machine: Core, arguments: Arguments) -> Value:
    given = arguments.positional[0] if arguments.positional else None
    for name, content in given.items.values() if isinstance(given, DictValue) else ():
        machine.set_item(External("os.environ"), name, content)
    for key, content in arguments.keywords.items():
        machine.set_item(External("os.environ"), Constant(key), content)
    return NONE


def _environment_view(kind: str) -> Model:
    def model(machine: Core, arguments: Arguments) -> Value:
        if not machine.is_exact:
            return machine.unknown(f"os.environ.{kind}()")
        return machine.call_method(environment_view(machine), kind)

    return model


def _exit(machine: Core, arguments: Arguments) -> Value:
    machine.raise_error("SystemExit", explicit=True, content=arguments.get(0, "status"))


def _exception_info(machine: Core, arguments: Arguments) -> Value:
    """``sys.exc_info()``"""
    frame = machine.frame
    while frame is not None:
        if frame.handled:
            value = frame.handled[-1].value
            return TupleValue((machine.class_of(value) or NONE, value, machine.unknown("traceback")))
        frame = frame.caller
    return TupleValue((NONE, NONE, NONE))


def _platform_system(machine: Core, arguments: Arguments) -> Value:
    names = {"linux": "Linux", "darwin": "Darwin", "win32": "Windows", "cygwin": "CYGWIN"}
    return apply("platform.system()", lambda name: names.get(name, name), _sys_platform(machine))


def _sys_platform(machine: Core) -> Value:
    return Symbolic(
        "sys.platform",
        Constant(machine.project.platform),
        None,
        frozenset(("sys.platform",)),
        lambda inputs: given(inputs, "sys.platform"),
    )


def _os_name(machine: Core) -> Value:
    return apply("os.name", lambda name: "nt" if name == "win32" else "posix", _sys_platform(machine))


def _version_info(machine: Core) -> Value:
    major, minor = machine.project.python_version
    instance = machine.allocate(ClassValue("version_info", (machine.builtins["object"],)), Arguments())
    parts = [Constant(major), Constant(minor), Constant(0), Constant("final"), Constant(0)]
    instance.payload = TupleValue(parts)
    instance.attributes.update(zip(("major", "minor", "micro", "releaselevel", "serial"), parts, strict=True))
    return instance


def _hex_version(machine: Core) -> Value:
    major, minor = machine.project.python_version
    return Constant((major << 24) | (minor << 16) | 0xF0)


VALUES: dict[str, Callable[[Any], Value]] = {
    "typing.TYPE_CHECKING": lambda machine: FALSE,
    "typing_extensions.TYPE_CHECKING": lambda machine: FALSE,
    "sys.platform": _sys_platform,
    "sys.version_info": _version_info,
    "sys.hexversion": _hex_version,
    "sys.maxsize": lambda machine: Constant(2**63 - 1),
    "sys.byteorder": lambda machine: Constant("little"),
    "sys.implementation.name": lambda machine: Constant("cpython"),
    "sys.path": lambda machine: ListValue((), is_open=True),
    "sys.argv": lambda machine: ListValue((machine.unknown("sys.argv[0]"),), is_open=True),
    "os.name": _os_name,
    "os.sep": lambda machine: Constant("/"),
    "os.path.sep": lambda machine: Constant("/"),
    "os.linesep": lambda machine: Constant("\n"),
    "os.pathsep": lambda machine: Constant(":"),
    "os.curdir": lambda machine: Constant("."),
    "os.extsep": lambda machine: Constant("."),
}


# ------------------------------------------------------------------------------------------------ paths
def _text_function(name: str, function: Callable[..., Any]) -> Model:
    """A function of os.path that looks at text alone."""

    def model(machine: Core, arguments: Arguments) -> Value:
        texts = [machine.text_of(_path_text(each)) for each in arguments.positional]
        known = [text for text in texts if text is not None]
        if len(known) < len(texts):
            return machine.unknown(
                f"os.path.{name}({', '.join(machine.describe(each) for each in arguments.positional)})"
            )
        return constant(function(*known))

    return model


def _file_system_path(machine: Core, arguments: Arguments) -> Value:
    return file_system_path(machine, arguments.positional[0])


def file_system_path(machine: Core, value: Value) -> Value:
    """The text of a path: ``os.fspath(value)``"""
    method = machine.method_of(value, "__fspath__") if isinstance(value, InstanceValue) else None
    return machine.call(method, Arguments()) if method is not None else _path_text(value)


def _path_text(value: Value) -> Value:
    if isinstance(value, InstanceValue) and value.cls.name == "Path":
        return value.attributes.get("_text", value)
    return value


def _is_inside(machine: Core, path: str) -> bool:
    roots = [machine.project.root, *machine.project.search_paths]
    absolute = os.path.normpath(path)
    return any(absolute == str(root) or absolute.startswith(f"{root}{os.sep}") for root in roots)


def _file_test(name: str, test: Callable[[str], bool]) -> Model:
    def model(machine: Core, arguments: Arguments) -> Value:
        value = arguments.positional[0] if arguments.positional else NONE
        text = machine.text_of(_path_text(value))
        if text is not None and _is_inside(machine, text):
            return TRUE if test(text) else FALSE
        return machine.unknown(f"{name}({machine.describe(value)})")

    return model


def _entries(machine: Core, text: str | None) -> list[str] | None:
    """The names in a folder of the target; None for any other folder."""
    if text is None or not _is_inside(machine, text):
        return None
    try:
        return sorted(os.listdir(text))[:MOST_ENTRIES]
    except OSError:
        return None


def _list_directory(machine: Core, arguments: Arguments) -> Value:
    value = arguments.get(0, "path") or NONE
    names = _entries(machine, machine.text_of(_path_text(value)))
    if names is None:
        return machine.unknown(f"os.listdir({machine.describe(value)})")
    return ListValue(Constant(name) for name in names)


def _scan_directory(machine: Core, arguments: Arguments) -> Value:
    """``os.scandir``: an iterator of entries that is a context manager too."""
    value = arguments.get(0, "path") or NONE
    folder = machine.text_of(_path_text(value))
    names = _entries(machine, folder)
    if names is None or folder is None:
        return machine.unknown(f"os.scandir({machine.describe(value)})")
    entries = ListValue(_directory_entry(machine, folder, name) for name in names)
    result = InstanceValue(ClassValue("ScandirIterator", (machine.builtins["object"],)), entries)
    result.cls.namespace["__enter__"] = NativeFunction("__enter__", lambda inner, given: result)
    for name in ("__exit__", "close"):
        result.cls.namespace[name] = NativeFunction(name, lambda inner, given: NONE)
    return result


def _directory_entry(machine: Core, folder: str, name: str) -> Value:
    path = os.path.join(folder, name)
    entry = InstanceValue(ClassValue("DirEntry", (machine.builtins["object"],)))
    entry.attributes.update({"name": Constant(name), "path": Constant(path)})
    for test, function in (("is_dir", os.path.isdir), ("is_file", os.path.isfile), ("is_symlink", os.path.islink)):
        answer = TRUE if function(path) else FALSE
        entry.attributes[test] = NativeFunction(test, lambda inner, given, answer=answer: answer)
    entry.cls.namespace["__fspath__"] = NativeFunction("__fspath__", lambda inner, given: Constant(path))
    entry.is_open = True
    return entry


def _glob(machine: Core, arguments: Arguments) -> Value:
    value = arguments.positional[0] if arguments.positional else NONE
    text = machine.text_of(value)
    if text is None:
        return machine.unknown("glob.glob(...)")
    folder, pattern = posixpath.split(text)
    names = _entries(machine, folder)
    if names is None:
        return machine.unknown("glob.glob(...)")
    return ListValue(Constant(f"{folder}/{name}") for name in names if fnmatch.fnmatch(name, pattern))


def _walk(machine: Core, arguments: Arguments) -> Value:
    text = machine.text_of(_path_text(arguments.positional[0])) if arguments.positional else None
    if text is None or not _is_inside(machine, text):
        return machine.unknown("os.walk(...)")
    rows: list[Value] = []
    for folder, folders, files in os.walk(text):
        folders.sort()
        rows.append(TupleValue((Constant(folder), constant(list(folders)), constant(sorted(files)))))
        if len(rows) > MOST_ENTRIES:
            break
    return ListValue(rows)


# ------------------------------------------------------------------------------------------------ pathlib
def make_path(machine: Core, text: str) -> Value:
    """A pathlib.Path of known text."""
    instance = InstanceValue(ClassValue("Path", (machine.builtins["object"],)))
    instance.attributes["_text"] = Constant(text)
    instance.is_open = True
    pure = Path(text)
    instance.attributes.update(
        {name: Constant(getattr(pure, name)) for name in ("name", "stem", "suffix")} | {"parts": constant(pure.parts)}
    )

    def method(name: str, function: Model) -> None:
        instance.attributes[name] = NativeFunction(name, function)

    def joined(inner: Core, arguments: Arguments) -> Value:
        texts = [inner.text_of(_path_text(each)) for each in arguments.positional]
        if any(each is None for each in texts):
            return inner.unknown("Path(...)")
        return make_path(inner, os.path.join(text, *(each or "" for each in texts)))

    def listed(inner: Core, arguments: Arguments) -> Value:
        pattern = (inner.text_of(arguments.positional[0]) or "*") if arguments.positional else "*"
        if not _is_inside(inner, text):
            return inner.unknown("Path.iterdir()")
        try:
            found = sorted(pure.rglob(pattern[3:]) if pattern.startswith("**/") else pure.glob(pattern))
        except (OSError, ValueError, NotImplementedError):
            found = []
        return GeneratorValue(iter([make_path(inner, str(each)) for each in found[:MOST_ENTRIES]]), "iterator")

    def with_suffix(inner: Core, arguments: Arguments) -> Value:
        suffix = inner.text_of(arguments.positional[0]) if arguments.positional else None
        return make_path(inner, str(pure.with_suffix(suffix))) if suffix is not None else inner.unknown("Path")

    def same(inner: Core, arguments: Arguments) -> Value:
        return instance

    for name in ("resolve", "absolute", "expanduser"):
        method(name, same)
    for name in ("glob", "iterdir"):
        method(name, listed)
    method(
        "rglob",
        lambda inner, arguments: listed(
            inner, Arguments((Constant(f"**/{inner.text_of(arguments.positional[0]) or '*'}"),))
        ),
    )
    method("joinpath", joined)
    method("with_suffix", with_suffix)
    method("as_posix", lambda inner, arguments: Constant(text))
    method("is_dir", lambda inner, arguments: _file_test("is_dir", os.path.isdir)(inner, Arguments((Constant(text),))))
    method(
        "is_file", lambda inner, arguments: _file_test("is_file", os.path.isfile)(inner, Arguments((Constant(text),)))
    )
    method("exists", lambda inner, arguments: _file_test("exists", os.path.exists)(inner, Arguments((Constant(text),))))
    cls = instance.cls
    cls.namespace["__truediv__"] = NativeFunction(
        "__truediv__", lambda inner, arguments: joined(inner, arguments.after_first())
    )
    cls.namespace["__str__"] = NativeFunction("__str__", lambda inner, arguments: Constant(text))
    cls.namespace["__fspath__"] = cls.namespace["__str__"]
    cls.namespace["__eq__"] = NativeFunction("__eq__", _same_path)
    cls.hasher = lambda each: ("path", text)
    method("read_text", lambda inner, arguments: _content_of(inner, text))

    def parent_of(inner: Core, arguments: Arguments) -> Value:
        return make_path(inner, str(pure.parent))

    cls.namespace["parent"] = PropertyValue(NativeFunction("parent", parent_of))
    return instance


def _same_path(machine: Core, arguments: Arguments) -> Value:
    one, other = (_path_text(each) for each in arguments.positional[:2])
    if not (isinstance(one, Constant) and isinstance(other, Constant)) or other is arguments.positional[1]:
        return NOT_IMPLEMENTED
    return TRUE if one.value == other.value else FALSE


def _content_of(machine: Core, text: str) -> Value:
    """The text of a file of the target."""
    path = Path(text)
    try:
        if _is_inside(machine, text) and path.stat().st_size <= LARGEST_FILE:
            return Constant(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        machine.raise_error("FileNotFoundError", text)
    except (OSError, ValueError):
        pass
    return machine.unknown(f"Path({text!r}).read_text()")


def _path(machine: Core, arguments: Arguments) -> Value:
    texts = [machine.text_of(_path_text(each)) for each in arguments.positional]
    if not texts or any(text is None for text in texts):
        return machine.unknown("pathlib.Path(...)")
    return make_path(machine, os.path.join(*(text or "" for text in texts)))


# ------------------------------------------------------------------------------------------------ inspect
def _is_kind(*kinds: type[Value]) -> Model:
    def model(machine: Core, arguments: Arguments) -> Value:
        value = arguments.positional[0]
        if isinstance(value, Symbolic | External):
            return machine.unknown(f"inspect({machine.describe(value)})")
        return TRUE if isinstance(value, kinds) else FALSE

    return model


def _resolution_order(machine: Core, arguments: Arguments) -> Value:
    value = arguments.get(0, "cls") or NONE
    if isinstance(value, External) and value.name.startswith("types."):
        return TupleValue((value, machine.builtins["object"]))
    return machine.get_attribute(value, "__mro__")


def _get_members(machine: Core, arguments: Arguments) -> Value:
    value, predicate = arguments.positional[0], arguments.get(1, "predicate")
    if isinstance(value, ModuleValue):
        names = sorted(value.namespace)
    elif isinstance(value, ClassValue):
        names = sorted({name for each in value.class_mro for name in each.namespace})
    else:
        return machine.unknown("inspect.getmembers(...)")
    members: list[Value] = []
    for name in names:
        member = machine.find_attribute(value, name)
        if member is None:
            continue
        is_plain = predicate is None or is_none(predicate)
        if is_plain or predicate is None or machine.known_truth(machine.call(predicate, Arguments((member,)))):
            members.append(TupleValue((Constant(name), member)))
    return ListValue(members, is_open=value.is_open)


# ------------------------------------------------------------------------------------------------ sys.modules
MODELS: dict[str, Model] = {
    "os.environ.get": _environment_get,
    "os.getenv": _environment_get,
    "sys.exc_info": _exception_info,
    "sys.exception": lambda machine, arguments: _exception_info(machine, arguments).items[1],  # type: ignore[attr-defined]
    "os.environ.setdefault": _environment_set_default,
    "os.environ.pop": _environment_pop,
    "os.environ.update": _environment_update,
    "os.environ.copy": lambda machine, arguments: External(ENVIRONMENT),
    **{f"os.environ.{kind}": _environment_view(kind) for kind in ("keys", "values", "items")},
    "os.fspath": _file_system_path,
    "sys.exit": _exit,
    "os._exit": _exit,
    "platform.system": _platform_system,
    "platform.python_implementation": lambda machine, arguments: Constant("CPython"),
    "os.path.join": _text_function("join", posixpath.join),
    "os.path.dirname": _text_function("dirname", posixpath.dirname),
    "os.path.basename": _text_function("basename", posixpath.basename),
    "os.path.splitext": _text_function("splitext", posixpath.splitext),
    "os.path.split": _text_function("split", posixpath.split),
    "os.path.normpath": _text_function("normpath", posixpath.normpath),
    "os.path.abspath": _text_function("abspath", posixpath.normpath),
    "os.path.realpath": _text_function("realpath", posixpath.normpath),
    "os.path.isdir": _file_test("os.path.isdir", os.path.isdir),
    "os.path.isfile": _file_test("os.path.isfile", os.path.isfile),
    "os.path.exists": _file_test("os.path.exists", os.path.exists),
    "os.listdir": _list_directory,
    "os.scandir": _scan_directory,
    "os.walk": _walk,
    "glob.glob": _glob,
    "glob.iglob": _glob,
    "pathlib.Path": _path,
    "pathlib.PurePath": _path,
    "inspect.isclass": _is_kind(ClassValue),
    "inspect.isfunction": _is_kind(FunctionValue),
    "inspect.ismodule": _is_kind(ModuleValue),
    "inspect.ismethod": _is_kind(BoundMethod),
    "inspect.getmembers": _get_members,
    "inspect.getmro": _resolution_order,
}
