"""Runs inside the CPython that is asked: imports each entry first, in a forked child, and tells what happened.

Standard library only.  Reads one JSON request a line and answers with one JSON line.  A child is as fresh as a new
interpreter: this process imports nothing of the tree, and where the tree shadows a module that this process has
loaded beyond what every start loads, the child forgets those modules first.  Started without site (-S), so that
what this machine has installed plays no part; ``import site`` loads what every start loads.
"""

import sys

import site  # noqa: F401

STARTUP_MODULES = frozenset(sys.modules)

# ruff: noqa: E402, I001  (what every start of Python has loaded must be noted before anything else is imported)
import abc
import builtins
import contextlib
import dataclasses
import enum
import functools
import importlib
import importlib.machinery
import itertools
import json
import logging
import operator
import os
import re
import signal
import types
import typing
from collections.abc import Iterator
from typing import Any

PRELOADED = (abc, contextlib, dataclasses, enum, functools, itertools, logging, operator, typing)
"""Modules that the trees asked about use often: loading them once saves most of a child's time."""
CANNOT_IMPORT = re.compile(r"cannot import name '([^']+)' from (?:partially initialized module )?'([^']+)'")
CODE_CACHE: dict[str, types.CodeType] = {}


class Observer:
    """Sees every exception raised in the tree's files, the swallowed ones included, and every module body run."""

    def __init__(self, root: str) -> None:
        self.prefix = os.path.join(root, "")
        self.seen: dict[int, BaseException] = {}
        self.misses: list[dict[str, Any]] = []
        self.namespaces: dict[str, dict[str, Any]] = {}
        self.executed: list[list[str]] = []
        self.stars: list[tuple[types.ModuleType, set[str], list[Any]]] = []

    def watch_star_imports(self) -> None:
        """Note what a half-loaded module holds when a star import takes its names."""
        original = builtins.__import__

        def watched(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
            module = original(name, globals, locals, fromlist, level)
            frame = sys._getframe(1)
            is_star = fromlist and "*" in fromlist
            if is_star and is_half_loaded(getattr(module, "__name__", ""), None, frame):
                taken = set(vars(module).get("__all__", ())) or public_names(module)  # without one of __all__ it fails
                self.stars.append((module, taken, [frame.f_globals.get("__name__"), frame.f_lineno]))
            return module

        builtins.__import__ = watched

    def star_losses(self) -> "list[dict[str, Any]]":
        """The public names that each of those modules has got since.

        ``apart`` holds those that may be left out of account: names of modules, and what the importer has got itself.
        """
        losses = []
        for module, before, importer in self.stars:
            taker = getattr(sys.modules.get(importer[0]), "__dict__", {})
            new = sorted(public_names(module) - before)
            apart = [
                name
                for name in new
                # Those that the module's __getattr__ gives are not asked for here: that would run it.
                if name in taker or name not in vars(module) or isinstance(vars(module)[name], types.ModuleType)
            ]
            is_complete = sys.modules.get(module.__name__) is module
            losses.append(
                {
                    "module": module.__name__,
                    "lost": [name for name in new if name not in apart] if is_complete else [],
                    "apart": apart,
                    "complete": is_complete,
                    "site": importer,
                }
            )
        return losses

    def on_call(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        file = frame.f_code.co_filename
        if not file.startswith(self.prefix):
            return None
        if frame.f_code.co_name == "<module>":
            self.namespaces[file] = frame.f_globals
            self.executed.append([frame.f_globals["__name__"], file[len(self.prefix) :]])
        frame.f_trace_lines = False
        return self.on_event

    def on_event(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if event == "exception" and isinstance(argument[1], BaseException):
            error = argument[1]
            # An AttributeError of a module's own __getattr__ tells which module was asked one frame further out.
            module, name = blame(error, frame) if id(error) not in self.seen else (None, None)
            if module is not None:
                self.seen[id(error)] = error  # the reference keeps the id from being used again
                self.misses.append(
                    {
                        "type": type(error).__name__,
                        "module": module,
                        "name": name,
                        "error": id(error),
                        "site": [frame.f_globals.get("__name__"), frame.f_lineno],
                        "half_loaded": is_half_loaded(module, name, body_of_others(error, frame)),
                    }
                )
        return self.on_event


def public_names(module: types.ModuleType) -> "set[str]":
    names = vars(module)
    declared = set(names.get("__all__", ()))
    if "__getattr__" not in names:
        declared &= set(names)
    return declared or {name for name in names if not name.startswith("_")}


def blame(error: BaseException, frame: types.FrameType) -> "tuple[str | None, str | None]":
    """The module that was asked for a name, and the name; (None, None) when the error is of another sort."""
    if isinstance(error, ModuleNotFoundError):
        return error.name, None
    if isinstance(error, ImportError):
        match = CANNOT_IMPORT.match(str(error.msg))
        name = getattr(error, "name_from", None) or (match.group(1) if match else None)  # name_from: Python 3.12
        return (error.name or (match.group(2) if match else None), name) if name else (None, None)
    if isinstance(error, AttributeError):
        if isinstance(error.obj, types.ModuleType):
            return error.obj.__name__, error.name
    elif isinstance(error, NameError) and not isinstance(error, UnboundLocalError):
        return frame.f_globals.get("__name__"), error.name
    return None, None


def body_of_others(error: BaseException, frame: "types.FrameType | None") -> "types.FrameType | None":
    """From which frame on outwards a half-loaded module is to be looked for.

    A NameError counts only in a function that another module's body called: a body that uses its own names too early
    is wrong in any order of imports.
    """
    if isinstance(error, NameError):
        while frame is not None and frame.f_code.co_name != "<module>":
            frame = frame.f_back
        owner = frame.f_globals if frame is not None else None
        while frame is not None and frame.f_globals is owner:
            frame = frame.f_back
    return frame


def is_half_loaded(module: str, name: "str | None", frame: "types.FrameType | None") -> bool:
    """Whether the body of the module, or of its submodule of that name, is running now.

    The submodule counts because a package gets a submodule as attribute only when that has finished.
    """
    asked = {module, f"{module}.{name}"}
    while frame is not None:
        is_body = frame.f_code.co_name == "<module>" and frame.f_code.co_filename != __file__
        if is_body and frame.f_globals.get("__name__") in asked:
            return True
        frame = frame.f_back
    return False


def run_script(path: str) -> None:
    """Run a file as ``python path`` does."""
    module = types.ModuleType("__main__")
    module.__file__ = path
    module.__spec__ = None
    sys.modules["__main__"] = module
    code = CODE_CACHE.get(path)
    if code is None:
        with open(path, "rb") as source:
            code = compile(source.read(), path, "exec", dont_inherit=True)
    exec(code, module.__dict__)


def observe(request: "dict[str, Any]", entry: str, script: bool) -> "dict[str, Any]":
    """Import (or run) the entry in this process and describe what happened."""
    root = request["root"]
    sys.path.insert(0, os.path.dirname(os.path.join(root, entry)) if script else root)
    forget_shadowed(sys.path[0])
    observer = Observer(root)
    original_import = builtins.__import__
    observer.watch_star_imports()
    failure = None
    sys.settrace(observer.on_call)
    try:
        if script:
            run_script(os.path.join(root, entry))
        else:
            importlib.import_module(entry)
    except BaseException as error:
        failure = error
    sys.settrace(None)
    builtins.__import__ = original_import
    answer = {
        "ok": failure is None,
        "misses": observer.misses,
        "stars": observer.star_losses(),
        "executed": observer.executed,
        **describe(failure, observer),
    }
    if "tests" in request:
        answer["tests"] = [value_of(observer, os.path.join(root, path), text) for path, text in request["tests"]]
    return answer


def describe(failure: "BaseException | None", observer: Observer) -> "dict[str, Any]":
    if failure is None:
        return {}
    frames = []
    last = None
    traceback = failure.__traceback__
    while traceback is not None:
        last = traceback.tb_frame
        if last.f_code.co_filename.startswith(observer.prefix):
            frames.append([last.f_globals.get("__name__"), traceback.tb_lineno])
        traceback = traceback.tb_next
    module, name = blame(failure, last) if last is not None else (None, None)
    return {
        "type": type(failure).__name__,
        "module": module,
        "name": name,
        "message": str(failure),
        "frames": frames,
        "error": id(failure),
    }


def value_of(observer: Observer, path: str, text: str) -> "bool | None":
    """The truth of a test in the module of that file, ``None`` where it cannot be evaluated."""
    try:
        return bool(eval(text, {**observer.namespaces.get(path, {}), "os": os, "sys": sys}))
    except Exception:
        return None


def forget_shadowed(folder: str) -> None:
    """Be as a fresh interpreter where the folder shadows a module that only this worker has loaded."""
    names = {entry.partition(".")[0] for entry in os.listdir(folder)}
    if any(name in sys.modules and name not in STARTUP_MODULES for name in names):
        for name in set(sys.modules) - STARTUP_MODULES:
            del sys.modules[name]


def compile_tree(root: str) -> None:
    """Compile every file once, here, so that no child has to."""
    CODE_CACHE.clear()
    for folder, _, files in os.walk(root):
        for file in files:
            if file.endswith(".py"):
                path = os.path.join(folder, file)
                with contextlib.suppress(SyntaxError, ValueError, OSError), open(path, "rb") as source:
                    CODE_CACHE[path] = compile(source.read(), path, "exec", dont_inherit=True)


def use_code_cache() -> None:
    read_code = importlib.machinery.SourceFileLoader.get_code

    def cached_code(self: Any, fullname: str) -> Any:
        return CODE_CACHE.get(self.path) or read_code(self, fullname)

    importlib.machinery.SourceFileLoader.get_code = cached_code  # type: ignore[method-assign]


def in_child(request: "dict[str, Any]", jobs: "list[Any]") -> "list[dict[str, Any]]":
    """Observe the jobs one after the other in a forked child; those that a killed child left are missing."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            dump = json.dumps
            with os.fdopen(writing, "w", encoding="utf-8") as pipe:
                for entry, script, _, world in jobs:
                    signal.setitimer(signal.ITIMER_REAL, request.get("timeout", 10))
                    enter(world)
                    pipe.write(dump(observe(request, entry, script)) + "\n")
                    pipe.flush()
                    forget_tree(request["root"])
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answered:
        lines = answered.read().splitlines()
    os.waitpid(child, 0)
    return [json.loads(line) for line in lines]


def enter(world: "dict[str, str | None]") -> None:
    for variable, value in world.items():
        os.environ.pop(variable, None)
        if value is not None:
            os.environ[variable] = value


def forget_tree(root: str) -> None:
    """Be as before the last job: good for trees that keep to themselves, as generated ones do."""
    tops = {entry.partition(".")[0] for entry in os.listdir(root)}
    for name in [name for name in sys.modules if name.partition(".")[0] in tops]:
        del sys.modules[name]
    del sys.path[0]


def answers(request: "dict[str, Any]") -> "Iterator[dict[str, Any]]":
    """One answer for each entry and world, by one child for each, or, if ``shared``, one for all."""
    compile_tree(request["root"])
    asked = [(entry, False) for entry in request["entries"]] + [(entry, True) for entry in request["scripts"]]
    worlds = list(enumerate(request["worlds"]))
    jobs = [(entry, script, number, world) for entry, script in asked for number, world in worlds]
    shared = in_child(request, jobs) if request.get("shared") else []
    if len(shared) < len(jobs):
        killed = {"ok": False, "type": "Killed", "misses": [], "frames": [], "message": ""}
        shared = [(in_child(request, [job]) or [killed])[0] for job in jobs]
    for (entry, script, number, _), answer in zip(jobs, shared, strict=True):
        yield {"entry": entry, "script": script, "world": number, **answer}


def main() -> None:
    """Serve requests until the input ends."""
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):  # what the tree prints or reads must not mix with the answers
        os.dup2(nothing, descriptor)
    sys.dont_write_bytecode = True
    use_code_cache()
    for line in requests:
        replies.write(json.dumps(list(answers(json.loads(line)))) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
