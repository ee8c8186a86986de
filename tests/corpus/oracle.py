"""Asks CPython what happens when each module of a package is the first that is imported.

Run by path with CPython 3.12 or later, in the environment that holds the package and its dependencies; nothing but the
standard library is imported besides. Each module is imported in a forked child, in which none of the package is loaded.
The truth table is written as JSON:

``modules``
    By name: ``"ok"``; ``{"cycle": [error type, half-loaded module, name asked, asked by, line]}`` when a half-loaded
    module lacked a name that it has once it is complete; ``{"other": error type}`` for any other failure.
``deferred``
    Import statements (and ``import_module``, ``__import__``) in functions of the package, with a target in the package,
    that ran while a module of the package was being initialised: each importer, function, line and target once.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import contextlib
import errno
import gc
import importlib
import importlib.machinery
import importlib.metadata
import importlib.util
import inspect
import json
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

_MONITORING_TOOL = 4
_SUFFIXES = sorted(importlib.machinery.all_suffixes(), key=len, reverse=True)
_TEST_FOLDERS = frozenset({"test", "tests", "_test", "_tests", "testing"})
_EXAMPLE_FOLDERS = frozenset({"benchmark", "benchmarks", "example", "examples", "sample", "samples", "demo", "demos"})
_IMPORT_SYSTEM = "<frozen importlib"


# ---------------------------------------------------------------------------------------------------- the modules
@dataclass
class Package:
    """The modules of one package (or of several that are observed together), by file; found without importing any."""

    roots: tuple[str, ...]
    module_of_file: dict[str, str] = field(default_factory=dict)
    entries: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    """Those of the roots."""

    def contains(self, name: str | None) -> bool:
        """Whether the dotted name is one of the package's."""
        return name is not None and any(name == root or name.startswith(root + ".") for root in self.roots)


def find_modules(roots: Sequence[str]) -> Package:
    """All modules of the packages, without tests, examples and ``__main__`` modules among the entries.

    Raises:
        ValueError: a package is nowhere on ``sys.path``.
    """
    package = Package(tuple(roots))
    for root in roots:
        places = [Path(folder, *root.split(".")) for folder in sys.path]
        place = next((place for place in places if place.is_dir()), None)
        if place is None:
            raise ValueError(f"no package {root} on the search path")
        package.folders.append(str(place))
        _walk(package, root, place, is_entry=True)
    return package


def _walk(package: Package, name: str, folder: Path, *, is_entry: bool) -> None:
    for child in sorted(folder.iterdir()):
        if child.is_dir():
            if child.name.isidentifier() and child.name != "__pycache__":
                _walk(package, f"{name}.{child.name}", child, is_entry=is_entry and not _holds_tests(child))
            continue
        suffix = next((suffix for suffix in _SUFFIXES if child.name.endswith(suffix)), None)
        stem = child.name.removesuffix(suffix or "")
        if suffix is None or not stem.isidentifier():
            continue
        module = name if stem == "__init__" else f"{name}.{stem}"
        package.module_of_file[str(child)] = module
        is_test = stem.startswith("test_") or stem.endswith("_test") or stem in ("conftest", "__main__")
        if is_entry and not is_test and module not in package.entries:
            package.entries.append(module)


def _holds_tests(folder: Path) -> bool:
    """Whether the folder is one of tests or examples; ``testing`` without test files is public API, as in numpy."""
    if folder.name in _EXAMPLE_FOLDERS:
        return True
    patterns = ("test_*.py", "*_test.py", "conftest.py")
    return folder.name in _TEST_FOLDERS and any(next(folder.rglob(pattern), None) for pattern in patterns)


# ---------------------------------------------------------------------------------------------------- one import
def is_initialising(module: object) -> bool:
    """Whether the module's body is running now."""
    # A module may have put any object in its place in sys.modules.
    return isinstance(module, ModuleType) and getattr(vars(module).get("__spec__"), "_initializing", False) is True


def _is_module_body(frame: FrameType) -> bool:
    return frame.f_code.co_name == "<module>"


def _is_in_function(frame: FrameType | None) -> bool:
    """Whether the frame's code is a function's, or that of a class body inside a function."""
    while frame is not None and not _is_module_body(frame):
        if frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            return True
        frame = frame.f_back
    return False


def _qualified_name(code: CodeType) -> str:
    name: str = code.co_qualname  # type: ignore[attr-defined, unused-ignore]
    return name


def _monitoring() -> Any:
    """``sys.monitoring``, unknown to type checkers that are told of an older Python."""
    return vars(sys)["monitoring"]


class Observer:
    """Hooks on the import system that note what the package does while its modules are initialised."""

    def __init__(self, package: Package) -> None:
        self.package = package
        self.deferred: dict[tuple[str, str, int, str], dict[str, Any]] = {}
        self.evidence: dict[int, tuple[BaseException, list[Any]]] = {}
        """By the exception's id; the reference keeps the id valid."""

    def install(self) -> None:
        """Put the hooks in."""
        original_import, original_import_module = builtins.__import__, importlib.import_module
        note_deferred = self.note_deferred

        def observed_import(
            name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
        ) -> ModuleType:
            note_deferred(sys._getframe(1), "statement", name, level, (globals or {}).get("__package__"), fromlist)
            return original_import(name, globals, locals, fromlist, level)

        def observed_import_module(name: str, package: str | None = None) -> ModuleType:
            level = len(name) - len(name.lstrip("."))
            note_deferred(sys._getframe(1), "import_module", name[level:], level, package, ())
            return original_import_module(name, package)

        for hook in (observed_import, observed_import_module):
            # Whoever looks for his caller skips the import system's own frames, and so these.
            hook.__code__ = hook.__code__.replace(co_filename=f"{_IMPORT_SYSTEM}._bootstrap>")
        builtins.__import__ = observed_import
        importlib.import_module = observed_import_module
        monitoring = _monitoring()
        monitoring.use_tool_id(_MONITORING_TOOL, "import oracle")
        monitoring.register_callback(_MONITORING_TOOL, monitoring.events.RAISE, self.on_raise)
        monitoring.set_events(_MONITORING_TOOL, monitoring.events.RAISE)

    def note_deferred(
        self, frame: FrameType, kind: str, name: str, level: int, base: str | None, names: Iterable[str] | None
    ) -> None:
        """Note an import by a function of the package that a module body has led to."""
        importer = self.package.module_of_file.get(frame.f_code.co_filename)
        if importer is None or not _is_in_function(frame):
            return
        target = importlib.util.resolve_name("." * level + name, base) if level and base else name
        if not self.package.contains(target):
            return
        external, body = False, frame.f_back
        while body is not None and not (
            _is_module_body(body) and body.f_code.co_filename in self.package.module_of_file
        ):
            file = body.f_code.co_filename
            is_foreign = file not in self.package.module_of_file and file != __file__
            external |= is_foreign and not file.startswith(_IMPORT_SYSTEM)
            body = body.f_back
        if body is None:
            return
        key = (importer, _qualified_name(frame.f_code), frame.f_lineno, target)
        if kind == "statement" and "__import__" in frame.f_code.co_names:
            kind = "__import__"
        statement = [self.package.module_of_file[body.f_code.co_filename], body.f_lineno]
        self.deferred.setdefault(
            key,
            {**dict(zip(("importer", "function", "line", "target"), key, strict=True)), "kind": kind,
             "statement": statement, "state": self._state(target, names), "external": external},
        )  # fmt: skip

    def _state(self, target: str, names: Iterable[str] | None) -> str:
        known = set(self.package.module_of_file.values())
        wanted = [target, *(f"{target}.{name}" for name in names or () if f"{target}.{name}" in known)]
        if any(name not in sys.modules for name in wanted):
            return "new"
        return "partial" if any(is_initialising(sys.modules[name]) for name in wanted) else "loaded"

    def on_raise(self, code: CodeType, offset: int, error: BaseException) -> None:
        """Called at every raise, and again in each frame that the exception passes: the first counts."""
        if not isinstance(error, (ImportError, AttributeError, NameError)) or id(error) in self.evidence:
            return
        frame = sys._getframe(1)
        asked = self._asked(error, frame)
        if asked is not None:
            importer = self.package.module_of_file.get(code.co_filename) or frame.f_globals.get("__name__")
            self.evidence[id(error)] = (error, [type(error).__name__, *asked, importer, frame.f_lineno])

    def _asked(self, error: ImportError | AttributeError | NameError, frame: FrameType) -> tuple[str, str] | None:
        """The module of the package that is being initialised and lacks a name, and the name."""
        if isinstance(error, ImportError):
            module, name = error.name, getattr(error, "name_from", None)
            if name is not None and module is not None and self._is_half_loaded(module):
                return module, name
        elif isinstance(error, AttributeError):
            asked = error.name
            if isinstance(error.obj, ModuleType) and isinstance(asked, str) and not asked.startswith("__"):
                owner = str(vars(error.obj).get("__name__"))
                if self._is_half_loaded(owner) or self._is_half_loaded(f"{owner}.{asked}"):
                    return owner, asked
        elif not isinstance(error, UnboundLocalError):
            owner = self.package.module_of_file.get(frame.f_code.co_filename, "")
            body: FrameType | None = frame
            while body is not None and not _is_module_body(body):
                body = body.f_back
            # The function runs for another module's sake: its own module is suspended in an import.
            if body is not None and body.f_code.co_filename != frame.f_code.co_filename and self._is_half_loaded(owner):
                return owner, str(error.name)
        return None

    def _is_half_loaded(self, module: str) -> bool:
        return self.package.contains(module) and is_initialising(sys.modules.get(module))

    def behind(self, error: BaseException) -> list[Any] | None:
        """The evidence in the exception that ended an import, or in one that it came from."""
        seen: set[int] = set()
        current: BaseException | None = error
        while current is not None and id(current) not in seen:
            seen.add(id(current))
            if id(current) in self.evidence:
                return self.evidence[id(current)][1]
            current = current.__cause__ or current.__context__
        return None


def observe(package: Package, entry: str) -> dict[str, Any]:
    """Import one module in this (child) process, and tell what happened."""
    observer = Observer(package)
    observer.install()
    failure: dict[str, Any] | None = None
    try:
        importlib.import_module(entry)
    except BaseException as error:  # SystemExit is an outcome, too
        failure = {"type": type(error).__name__, "asked": observer.behind(error)}
    _monitoring().set_events(_MONITORING_TOOL, 0)
    loaded = [name for name in package.module_of_file.values() if _is_complete(name)]
    return {"failure": failure, "deferred": list(observer.deferred.values()), "loaded": loaded}


def _is_complete(name: str) -> bool:
    return name in sys.modules and not is_initialising(sys.modules[name])


# ---------------------------------------------------------------------------------------------------- what stays
def keep_unchanged(folders: Sequence[str]) -> None:
    """Refuse to change anything in these folders but compiled files, as an installation that others own does.

    What one import leaves there (a cache of plugins, say), later ones would find, and not do what they do first.
    """
    kept = tuple(os.path.join(folder, "") for folder in folders)

    def audit(event: str, details: tuple[Any, ...]) -> None:
        if event not in _CHANGES or (event == "open" and not details[2] & _WRITING):
            return
        for path in details[:2]:
            if isinstance(path, str) and path.startswith(kept) and "__pycache__" not in path:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)

    sys.addaudithook(audit)


_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_CHANGES = frozenset({"open", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.link", "os.symlink", "os.truncate"})


# ---------------------------------------------------------------------------------------------------- forked children
@dataclass
class _Child:
    item: Any
    process: BaseProcess
    pipe: Connection
    deadline: float


def in_children(
    function: Callable[[Any], Any], items: Iterable[Any], *, jobs: int, timeout: float
) -> Iterator[tuple[Any, Any]]:
    """Each item with what the function gives for it in a forked child; ``None`` when the child died or was too slow."""
    waiting = iter(items)
    running: dict[Connection, _Child] = {}
    while True:
        while len(running) < jobs:
            item = next(waiting, _END)
            if item is _END:
                break
            child = _start(function, item, timeout)
            running[child.pipe] = child
        if not running:
            return
        ready = wait(list(running), timeout=0.2)
        for pipe, child in list(running.items()):
            if pipe in ready or time.monotonic() > child.deadline:
                del running[pipe]
                yield child.item, _finish(child, pipe in ready)


_END = object()


def _start(function: Callable[[Any], Any], item: Any, timeout: float) -> _Child:
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(function, item, sending), daemon=True)
    process.start()
    sending.close()
    return _Child(item, process, receiving, time.monotonic() + timeout)


def _run(function: Callable[[Any], Any], item: Any, pipe: Connection) -> None:
    os.setsid()  # A package that signals its process group must reach its own child only; it is ended as a whole.
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - multiprocessing has closed the object, and modules ask for it
    sys.argv = [str(item)]
    pipe.send(function(item))
    os._exit(0)  # Threads that the package started must not keep the process.


def _finish(child: _Child, has_answered: bool) -> Any:
    answer = None
    if has_answered:
        try:
            answer = child.pipe.recv()
        except EOFError:
            answer = None
    assert child.process.pid is not None
    with contextlib.suppress(ProcessLookupError):  # It may not have come to make its group, or have ended.
        os.killpg(child.process.pid, signal.SIGKILL)
    child.process.kill()
    child.process.join()
    child.pipe.close()
    return answer


# ---------------------------------------------------------------------------------------------------- the whole package
def preload(package: Package, *, timeout: float) -> int:
    """Import what the package needs from elsewhere, so that children need not; gives the number of modules.

    Only the standard library's when importing the rest loads the package, fails or starts a thread (unsafe to fork).
    """

    def needed(_: object) -> list[str]:
        before = set(sys.modules)
        for root in package.roots:
            try:
                importlib.import_module(root)
            except BaseException:
                continue
        return [name for name in list(sys.modules) if name not in before and not package.contains(name)]

    def are_safe(names: list[str]) -> bool:
        for name in names:
            importlib.import_module(name)
        return not any(package.contains(name) for name in sys.modules) and threading.active_count() == 1

    [(_, found)] = in_children(needed, [None], jobs=1, timeout=timeout)
    candidates = [name for name in found or () if _is_importable(name)]
    standard = [name for name in candidates if name.partition(".")[0] in sys.stdlib_module_names]
    for names in (candidates, standard):
        [(_, safe)] = in_children(are_safe, [names], jobs=1, timeout=timeout)
        if safe:
            for name in names:
                importlib.import_module(name)
            gc.collect()
            gc.freeze()
            return len(names)
    return 0


def _is_importable(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, AttributeError, ValueError):
        return False


def has_name_eventually(package: Package, module: str, name: str, loaders: Iterable[str]) -> bool:
    """Whether the module has the name once it is complete; asked in a child, or of its source if nothing loads it."""
    if f"{module}.{name}" in package.module_of_file.values():
        return True
    for entry in (module, *loaders):
        try:
            importlib.import_module(entry)
        except BaseException:
            continue
        if _is_complete(module):
            return hasattr(sys.modules[module], name)
    files = [Path(file) for file, owner in package.module_of_file.items() if owner == module and file.endswith(".py")]
    return any(name in _bound_names(ast.parse(file.read_bytes())) for file in files)


def _bound_names(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
    return names


def make_table(package: Package, *, jobs: int, timeout: float) -> dict[str, Any]:
    """Import every entry first, and put the truth table together."""
    started = time.monotonic()
    preload(package, timeout=timeout)
    entries = sorted(package.entries, key=lambda name: (name not in package.roots, name))
    reports = dict(in_children(lambda entry: observe(package, entry), entries, jobs=jobs, timeout=timeout))
    loaders: dict[str, list[str]] = {}
    deferred: dict[tuple[Any, ...], Any] = {}
    for entry, report in sorted((entry, report) for entry, report in reports.items() if report is not None):
        for module in report["loaded"]:
            loaders.setdefault(module, []).append(entry)
        for site in report["deferred"]:
            deferred.setdefault((site["importer"], site["function"], site["line"], site["target"]), site)
    failures = [report["failure"] for report in reports.values() if report and report["failure"]]
    questions = sorted({tuple(failure["asked"][1:3]) for failure in failures if failure["asked"]})

    def is_defined(question: tuple[str, str]) -> bool:
        return has_name_eventually(package, *question, loaders=loaders.get(question[0], [])[:5])

    answers = in_children(is_defined, questions, jobs=jobs, timeout=timeout)
    defined = {question for question, answer in answers if answer}
    modules = {entry: _outcome(report, defined) for entry, report in sorted(reports.items())}
    return {
        "package": ",".join(package.roots),
        "python": sys.version.split()[0],
        "summary": {"modules": len(modules), "seconds": round(time.monotonic() - started, 1)},
        "modules": modules,
        "deferred": [site for _, site in sorted(deferred.items())],
    }


def _outcome(report: Mapping[str, Any] | None, defined: set[tuple[Any, ...]]) -> Any:
    if report is None:
        return {"other": "timeout or crash"}
    failure = report["failure"]
    if failure is None:
        return "ok"
    if failure["asked"] and tuple(failure["asked"][1:3]) in defined:
        return {"cycle": failure["asked"]}
    return {"other": failure["type"]}


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="Import every module of a package first and write the truth table.")
    parser.add_argument("imports", help="import name; several are joined by commas and observed as one package")
    parser.add_argument("output", type=Path, help="file that the table is written to")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--timeout", type=float, default=60, help="seconds for one module")
    options = parser.parse_args()
    if sys.version_info < (3, 12):
        parser.error("CPython 3.12 or later is needed: older ones do not tell of exceptions that a handler catches")
    sys.path.pop(0)  # The folder of this script.
    output: Path = options.output.absolute()
    sys.setrecursionlimit(1500)  # The hooks add a frame to each nested import.
    package = find_modules(options.imports.split(","))
    with tempfile.TemporaryDirectory() as scratch:
        # Some modules write files when they are imported.
        os.environ["HOME"] = scratch
        os.chdir(scratch)
        keep_unchanged(package.folders)
        table = make_table(package, jobs=options.jobs, timeout=options.timeout)
        os.chdir("/")
    output.write_text(json.dumps(table, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
