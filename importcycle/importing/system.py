"""CPython's import system, played on abstract modules.

The rules are those of Lib/importlib/_bootstrap.py (`_find_and_load`, `_handle_fromlist`), Python/import.c
(`PyImport_ImportModuleLevelObject`) and Python/ceval.c (`import_from`, `import_all_from`).
"""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NoReturn

from importcycle.evaluate.core import STEPS_OF_A_STATEMENT, Arguments, EntryPoint
from importcycle.evaluate.frames import Entered, Frame, FrameKind, Guard
from importcycle.evaluate.machine import Machine
from importcycle.evaluate.signals import BudgetExceededError, Miss, Raised
from importcycle.importing.environments import declared_entry_points, is_complete_environment
from importcycle.importing.naming import EventualNames
from importcycle.importing.recording import Recorder, StarLoss
from importcycle.importing.sources import Sources
from importcycle.ir import nodes
from importcycle.project.model import Module, ModuleKind, Project
from importcycle.project.names import with_packages
from importcycle.values.model import (
    NONE,
    ClassValue,
    Constant,
    External,
    InstanceValue,
    LazyImport,
    ListValue,
    ModuleValue,
    Namespace,
    Symbolic,
    Value,
    is_none,
)

LOADS_AT_IMPORT = {"hypothesis": "hypothesis"}
"""Packages that load the plugins of an entry point group when they are imported."""
STEPS_OF_RETRIES = 10_000
"""Steps of all attempts at a module-level statement that raised, before no other is made."""
MOST_RETRIES = 8
"""Unknown tests that are decided the other way, one by one, when a module-level statement raises."""
_ADDED = {"tomllib": (3, 11), "zoneinfo": (3, 9), "graphlib": (3, 9), "annotationlib": (3, 14), "compression": (3, 14)}
NEVER_SHADOWED = frozenset(sys.builtin_module_names) | frozenset(
    [
        "abc",
        "codecs",
        "encodings",
        "genericpath",
        "importlib",
        "io",
        "ntpath",
        "os",
        "posixpath",
        "site",
        "stat",
        "zipimport",
        "_collections_abc",
        "_sitebuiltins",
    ]
)
"""Modules that are compiled in, or loaded before any code of users runs: no file of theirs is found instead."""
_REMOVED_IN_12 = "asynchat asyncore distutils imp smtpd".split()
_REMOVED_IN_13 = (
    "aifc audioop cgi cgitb chunk crypt imghdr lib2to3 mailcap msilib nis nntplib ossaudiodev pipes sndhdr spwd sunau "
    "telnetlib uu xdrlib"
).split()
_REMOVED = {**dict.fromkeys(_REMOVED_IN_12, (3, 12)), **dict.fromkeys(_REMOVED_IN_13, (3, 13))}
_ONLY_ON_WINDOWS = frozenset(["winreg", "msvcrt", "winsound", "_winapi", "nt"])
_NOT_ON_WINDOWS = frozenset(
    [
        "fcntl",
        "termios",
        "pwd",
        "grp",
        "resource",
        "posix",
        "pty",
        "tty",
        "syslog",
        "readline",
        "curses",
        "spwd",
        "crypt",
    ]
)


class SimulatedImports:
    """One interpreter's import system: ``sys.modules`` and everything that fills it."""

    def __init__(self, machine: Machine, project: Project, sources: Sources, recorder: Recorder) -> None:
        self._machine = machine
        self._project = project
        self._sources = sources
        self._recorder = recorder
        self._loaded: Namespace = {}
        self._unreliable: Namespace = {}
        self._entry_points: list[EntryPoint] | None = None
        self._plugins_run: Namespace = {}
        self._by_path: dict[str, Module] | None = None
        self._installed: dict[str, bool | None] = {}
        self._children: dict[str, list[tuple[str, bool]]] | None = None
        self._reloading: set[str] = set()
        self.names = EventualNames(project, sources, self.is_internal)
        machine.import_system = self

    # ------------------------------------------------------------------------------------------ what the evaluator asks
    def loaded_modules(self) -> Namespace:
        return self._loaded

    def execute_import(self, statement: nodes.Import, frame: Frame) -> None:
        machine = self._machine
        if statement.is_lazy and frame.kind is FrameKind.MODULE:
            self._bind_lazily(statement, frame)
            return
        for alias in statement.names:
            frame.line = statement.span[0]
            top = alias.name.partition(".")[0]
            if not self.is_internal(alias.name):
                self._import_external(alias.name, frame)
                self._run_plugins(alias.name)
                name = alias.name if alias.alias else top
                value: Value = self._loaded.get(name) or External(name)
                if self.is_internal(top) and not alias.alias:
                    value = self._find_and_load(top, "import")
                machine.store_name(alias.alias or top, value, frame)
                continue
            self._import_noted(alias.name, frame, ())
            value = self._loaded.get(top) or self._find_and_load(top, "import")
            if alias.alias is not None:
                for part in alias.name.split(".")[1:]:
                    value = self._import_from(value, part, statement, frame)
            machine.store_name(alias.alias or top, value, frame)

    def execute_import_from(self, statement: nodes.ImportFrom, frame: Frame) -> None:
        name = self._resolved(statement.module, statement.level, frame)
        if statement.is_lazy and frame.kind is FrameKind.MODULE:
            self._bind_lazily(statement, frame)
            return
        if not self.is_internal(name):
            self._import_external(name, frame)
            self._run_plugins(name)
            self._bind_external(name, statement, frame)
            return
        names = tuple(alias.name for alias in statement.names)
        module = self._import_noted(name, frame, names)
        was_initializing = isinstance(module, ModuleValue) and module.is_initializing
        if names == ("*",):
            self._import_star(module, statement, frame)
            return
        self._load_submodules(module, names, name)
        for alias in statement.names:
            frame.line = statement.span[0]
            value = self._import_from(module, alias.name, statement, frame)
            if was_initializing and isinstance(module, ModuleValue) and not self._is_submodule(module, value):
                self._recorder.note_survival(self._machine, module, alias.name, statement.span[1])
            self._machine.store_name(alias.alias or alias.name, value, frame)

    def _bind_lazily(self, statement: nodes.Import | nodes.ImportFrom, frame: Frame) -> None:
        """PEP 810: each name stands for an import that runs when it is first used."""
        for alias in statement.names:
            single = replace(statement, names=(alias,), is_lazy=False)
            if isinstance(single, nodes.Import):
                module, name = alias.name, alias.alias or alias.name.partition(".")[0]
            else:
                module, name = self._resolved(single.module, single.level, frame), alias.alias or alias.name
            self._machine.store_name(name, LazyImport(single, module), frame)

    def load_lazily(self, module: ModuleValue, name: str, bound: LazyImport) -> Value:
        machine, frame = self._machine, self._machine.running
        # A package that imports its own submodule lazily must be seen to lack it, or it would be asked again.
        machine.trail.delete_item(module.namespace, name)
        line = frame.line
        place = (line, 0, line, 0)
        try:
            value = self._imported(replace(bound.statement, span=place), bound.module, frame)
        finally:
            frame.line = line
            if name not in module.namespace:
                machine.trail.set_item(module.namespace, name, bound)
        machine.trail.set_item(module.namespace, name, value)
        return value

    def _imported(self, statement: nodes.Import | nodes.ImportFrom, name: str, frame: Frame) -> Value:
        """What a statement with one name binds to it."""
        (alias,) = statement.names
        top, _, rest = name.partition(".")
        is_plain = isinstance(statement, nodes.Import)
        if not self.is_internal(name):
            self._import_external(name, frame)
            shown = (name if alias.alias else top) if is_plain else f"{name}.{alias.name}"
            known = self._machine.external_values.get(shown)
            return known(self._machine) if known is not None else External(shown)
        module = self._import_noted(name, frame, () if is_plain else (alias.name,))
        if not is_plain:
            self._load_submodules(module, (alias.name,), name)
            return self._import_from(module, alias.name, statement, frame)
        value = self._loaded.get(top) or self._find_and_load(top, "import")
        for part in rest.split(".") if alias.alias and rest else ():
            value = self._import_from(value, part, statement, frame)
        return value

    def import_dynamically(self, name: str) -> Value:
        machine = self._machine
        if not self.is_internal(name):
            machine.uncertain_events += 1
            return External(name)
        self._recorder.note_import(machine, name, name not in self._loaded, is_dynamic=True)
        return self._find_and_load(name, "dynamic-import")

    def reload(self, module: ModuleValue) -> Value:
        machine, name = self._machine, module.name
        if self._loaded.get(name) is not module:
            machine.raise_error("ImportError", f"module {name} not in sys.modules", explicit=True)
        if name in self._project.modules:
            self.execute_module(module, name)
        return self._loaded.get(name, module)

    def import_for_others(self, name: str) -> Value:
        if not self.is_internal(name):
            self._machine.uncertain_events += 1
            return External(name)
        self._recorder.note_submodule(self._machine, name)
        return self._find_and_load(name, "dynamic-import")

    def import_builtin(self, name: str, from_list: Sequence[str], level: int) -> Value:
        frame = self._machine.running
        if level:
            name = self._resolved(name, level, frame)
        if not self.is_internal(name):
            self._machine.uncertain_events += 1
            return External(name if from_list else name.partition(".")[0])
        self._recorder.note_import(self._machine, name, name not in self._loaded, is_dynamic=True)
        module = self._find_and_load(name, "dynamic-import")
        if from_list:
            self._load_submodules(module, tuple(from_list))
            return module
        return self._loaded.get(name.partition(".")[0], module)

    def note_opaque_import(self, text: str) -> None:
        self._recorder.note_opaque(self._machine, text)

    def submodules(self, package: str) -> Sequence[tuple[str, bool]]:
        if self._children is None:
            self._children = {}
            for name, module in sorted(self._project.modules.items()):
                parent = name.rpartition(".")[0]
                self._children.setdefault(parent, []).append((name, module.is_package))
        return self._children.get(package, [])

    def module_of_file(self, path: str) -> str | None:
        module = self._modules_by_path().get(os.path.normpath(path))
        return None if module is None else module.name

    def _modules_by_path(self) -> dict[str, Module]:
        """By the folder of a package, by the file of any other module."""
        if self._by_path is None:
            modules = self._project.modules.values()
            self._by_path = {os.path.normpath(module.path): module for module in modules}
            packages = (module for module in modules if module.is_package)
            self._by_path.update({os.path.normpath(folder_of(package)): package for package in packages})
        return self._by_path

    def missed_global(self, name: str, frame: Frame) -> Miss | None:
        module = frame.module
        loss = self._star_loss(module.name, name)
        if loss is not None:
            return self._miss("NameError", module.name, name, 0, is_star=True, source=loss.module)
        body: Frame | None = frame
        while body is not None and body.kind is not FrameKind.MODULE:
            body = body.caller
        if self._is_being_loaded(module) and body is not None and body.module.name != module.name:
            return self._miss_of(module, "NameError", name)
        return None

    def _is_being_loaded(self, module: Value) -> bool:
        """Whether the body of the module runs: its own, or that of the module which is loaded once more in its place.

        What a body left behind that failed stays half-loaded; where somebody kept it, it is asked instead.
        """
        if not isinstance(module, ModuleValue):
            return False
        loaded = self._loaded.get(module.name)
        return module.is_initializing or (isinstance(loaded, ModuleValue) and loaded.is_initializing)

    def shadow_miss(self, module: Value, error_type: str, name: str) -> Miss | None:
        if isinstance(module, ModuleValue) and module.name in sys.stdlib_module_names:
            return self._miss(error_type, module.name, name, 0)
        return None

    def missed_attribute(self, module: ModuleValue, name: str) -> Miss | None:
        if name.startswith("__") and name.endswith("__"):
            return None
        if self._is_unreliable():
            return None
        loss = self._star_loss(module.name, name)
        if loss is not None:
            return self._miss("AttributeError", module.name, name, 0, is_star=True, source=loss.module)
        submodule = self._loaded.get(f"{module.name}.{name}")
        if self._is_being_loaded(module) or (isinstance(submodule, ModuleValue) and submodule.is_initializing):
            return self._miss_of(module, "AttributeError", name)
        return None

    # ------------------------------------------------------------------------------------------ loading
    def import_entry(self, name: str) -> Value:
        """``import name`` in a fresh interpreter."""
        return self._find_and_load(name, "import")

    def is_internal(self, name: str) -> bool:
        """Whether a dotted name belongs to the target (it need not exist there)."""
        modules = self._project.modules
        parts = name.split(".")
        prefix = ""
        if name == "__main__":
            return name in self._loaded
        if parts[0] in NEVER_SHADOWED:
            return False
        is_owned = False
        for part in parts:
            prefix = f"{prefix}.{part}" if prefix else part
            module = modules.get(prefix)
            if module is None:
                return is_owned
            if module.kind is ModuleKind.EXTENSION:
                return name in modules  # compiled code may make submodules of its own
            is_owned = is_owned or module.kind is not ModuleKind.NAMESPACE
        return True

    def _find_and_load(self, name: str, how: Entered) -> Value:
        known = self._loaded.get(name)
        if known is not None:
            if is_none(known):
                self._not_found(name)  # import of it is halted
            return known
        parent, _, child = name.rpartition(".")
        if parent:
            if parent not in self._loaded:
                self._find_and_load(parent, how)
            known = self._loaded.get(name)
            if known is not None:
                return known
            owner = self._loaded.get(parent)
            if isinstance(owner, ModuleValue) and not owner.is_package and "__path__" not in owner.namespace:
                self._not_found(name)
        module = self._project.modules.get(name) or self._on_extended_path(parent, child)
        if module is None:
            self._not_found(name)
        value = self._initialise(name, module, how)
        owner = self._loaded.get(parent) if parent else None
        if isinstance(owner, ModuleValue):
            self._machine.trail.set_item(owner.namespace, child, value)
        return value

    def _on_extended_path(self, parent: str, child: str) -> Module | None:
        """A module in a folder that the package has added to its ``__path__``."""
        owner = self._loaded.get(parent)
        path = owner.namespace.get("__path__") if isinstance(owner, ModuleValue) else None
        if not isinstance(path, ListValue) or len(path.items) < 2:
            return None
        by_path = self._modules_by_path()
        for item in path.items:
            folder = self._machine.text_of(item)
            if folder is None:
                continue
            for candidate in (os.path.join(folder, child), os.path.join(folder, f"{child}.py")):
                found = by_path.get(os.path.normpath(candidate))
                if found is not None:
                    return replace(found, name=f"{parent}.{child}")
        return None

    def _not_found(self, name: str) -> NoReturn:
        machine = self._machine
        try:
            machine.raise_error("ModuleNotFoundError", f"No module named '{name}'", explicit=True)
        except Raised as error:
            if hasattr(error.value, "attributes"):
                error.value.attributes["name"] = Constant(name)
            raise

    def _initialise(self, name: str, module: Module, how: Entered) -> Value:
        machine, trail = self._machine, self._machine.trail
        value = self._new_module(name, module)
        trail.set_item(self._loaded, name, value)
        try:
            self._execute_module(value, module, how)
        except Raised:
            if self._loaded.get(name) is not None:
                trail.delete_item(self._loaded, name)
            raise
        if name not in self._loaded:
            machine.raise_error("KeyError", name, explicit=True, content=Constant(name))
        return self._loaded[name]

    def _new_module(self, name: str, module: Module) -> ModuleValue:
        value = ModuleValue(name, module.is_package)
        value.namespace.update(self._initial_names(name, module))
        return value

    def _execute_module(self, value: ModuleValue, module: Module, how: Entered) -> None:
        trail = self._machine.trail
        code = self._sources.code(module)
        if code is None:
            value.is_open = module.kind is not ModuleKind.NAMESPACE
            return
        if code.docstring is not None:
            value.namespace["__doc__"] = Constant(code.docstring)
        frame = Frame(FrameKind.MODULE, value, code, None, value.namespace, None, None, how)
        in_passing, has_failed = self._machine.speculating > 0, True
        was_initializing = value.is_initializing
        self._recorder.begin(value.name, in_passing)
        trail.set_attribute(value, "is_initializing", True)
        try:
            self._run_body(frame, value)
            has_failed = False
        finally:
            trail.set_attribute(value, "is_initializing", was_initializing)
            self._recorder.end(value.name, in_passing, has_failed)

    def new_module(self, name: str, source: str) -> ModuleValue:
        return self._new_module(name, self._project.modules[source])

    def execute_module(self, module: ModuleValue, source: str) -> None:
        self._recorder.note_execution(self._machine, module.name)
        if source not in self._reloading:
            self._reloading.add(source)
            try:
                self._execute_module(module, self._project.modules[source], "dynamic-import")
            finally:
                self._reloading.discard(source)

    def load_module(self, name: str, source: str) -> Value:
        known = self._loaded.get(name)
        if not isinstance(known, ModuleValue):
            self._recorder.note_execution(self._machine, name)
            return self._initialise(name, self._project.modules[source], "dynamic-import")
        self.execute_module(known, source)
        return self._loaded.get(name, known)

    def _run_body(self, frame: Frame, value: ModuleValue) -> None:
        machine = self._machine
        try:
            machine.push(frame)
        except BudgetExceededError as error:
            machine.cut(error.reason)
            machine.trail.set_attribute(value, "is_open", True)
            return
        try:
            if not machine.goes_on:
                machine.execute(frame.code.body, frame)
                return
            # What a module loaded on the way costs is not counted against the statement that loads it.
            limit, before = machine.step_limit, machine.steps
            made, known_since = len(machine.made), machine.known_since
            machine.step_limit = machine.run_limit
            try:
                for statement in frame.code.body:
                    self._run_statement(statement, frame, value)
            finally:
                machine.step_limit = limit + machine.steps - before
                machine.known_since = known_since + len(machine.made) - made
            if not machine.speculating:  # a statement that goes on loading modules gets somewhere: it may go on
                machine.run_limit += STEPS_OF_A_STATEMENT
                machine.step_limit = max(machine.step_limit, machine.steps + STEPS_OF_A_STATEMENT)
        finally:
            machine.pop()

    def _run_statement(self, statement: nodes.Statement, frame: Frame, value: ModuleValue) -> None:
        """Run a module-level statement in the world that is followed: one in which the package can be imported.

        If it raises after unknown tests were decided, it is tried again with one of them decided the other way.
        """
        machine = self._machine
        made, mark, guards = len(machine.made), machine.trail.mark(), len(frame.guards)
        try:
            machine.execute((statement,), frame)
        except Raised as error:
            if not self._try_otherwise(statement, frame, self._doubtful(error, made), (mark, made, guards)):
                machine.trail.commit(mark)
                error.is_settled = True
                if error.miss is not None or self._is_expected(error, frame):
                    raise
                # The package can be imported, in most worlds: what is wrong is this program's picture of it. Go on.
                self._recorder.note_recovered(machine, error)
                machine.trail.set_attribute(value, "is_open", True)
                self._bind_unknown(statement, frame, value)
                if _holds_import((statement,)):
                    machine.trail.set_item(self._unreliable, frame.module.name, NONE)
            return
        except BaseException:
            machine.trail.commit(mark)
            raise
        else:
            machine.trail.commit(mark)

    def _bind_unknown(self, statement: nodes.Statement, frame: Frame, value: ModuleValue) -> None:
        """Bind the names that a statement would have bound first, had it gone on as it does in Python."""
        first, last = statement.span[0], statement.span[2]
        for name, line in frame.code.bound_lines.items():
            if first <= line <= last and name not in value.namespace:
                self._machine.trail.set_item(value.namespace, name, self._machine.unknown(name))

    def _doubtful(self, error: Raised, made: int) -> list[Guard]:
        """The decisions since then that may be to blame for an exception.

        For a name that is missing from a half-loaded module these are the tests that led to it, but not those that ask
        about the machine: there both worlds exist.
        """
        decided = [decision.guard for decision in self._machine.made[made:]]
        if error.miss is None:
            return [] if error.is_settled else decided
        path = {(guard.key, guard.value) for guard in error.miss.guards if not guard.is_about_environment}
        return [guard for guard in decided if (guard.key, guard.value) in path]

    def _is_expected(self, error: Raised, frame: Frame) -> bool:
        """Whether an exception that leaves a module-level statement is meant to: a handler waits, or it is an exit."""
        if error.type_name == "SystemExit":
            return True
        return error.is_explicit and self._is_inside_try(frame.caller)

    def _try_otherwise(
        self, statement: nodes.Statement, frame: Frame, decided: list[Guard], start: tuple[int, int, int]
    ) -> bool:
        machine, trail = self._machine, self._machine.trail
        mark, made, guards = start
        last_step = machine.steps + STEPS_OF_RETRIES
        for guard in decided[: -MOST_RETRIES - 1 : -1]:
            if machine.steps > last_step:
                break
            inner = trail.mark()
            trail.undo_to(mark)
            del machine.made[made:], frame.guards[guards:]
            trail.set_item(machine.decisions, guard.key, not guard.value)
            frame.line = statement.span[0]
            try:
                machine.execute((statement,), frame)
            except Raised as error:
                if error.miss is not None and not self._doubtful(error, made):
                    raise
                continue
            finally:
                trail.commit(inner)
            trail.commit(mark)
            return True
        return False

    def _initial_names(self, name: str, module: Module) -> Namespace:
        parent = name if module.is_package else name.rpartition(".")[0]
        names: Namespace = {
            "__name__": Constant(name),
            "__doc__": NONE,
            "__package__": Constant(parent),
            "__loader__": self._loader(),
            "__spec__": self._spec(name, parent, module),
            "__builtins__": External("builtins"),
        }
        if module.kind is not ModuleKind.NAMESPACE:
            names["__file__"] = Constant(str(module.path))
            names["__cached__"] = NONE
        if module.is_package:
            names["__path__"] = ListValue((Constant(folder_of(module)),))
        return names

    def _loader(self) -> Value:
        loader = InstanceValue(ClassValue("SourceFileLoader", (self._machine.builtins["object"],)))
        loader.is_open = True
        return loader

    def spec_of(self, name: str, source: str | None = None) -> Value:
        module = self._project.modules[source or name]
        return self._spec(name, name if module.is_package else name.rpartition(".")[0], module)

    def path_of(self, source: str) -> str:
        return str(self._project.modules[source].path)

    def _spec(self, name: str, parent: str, module: Module) -> Value:
        """importlib.machinery.ModuleSpec"""
        spec = InstanceValue(ClassValue("ModuleSpec", (self._machine.builtins["object"],)))
        spec.is_open = True
        spec.attributes.update(
            {"name": Constant(name), "parent": Constant(parent), "origin": Constant(str(module.path))}
        )
        if module.is_package:
            spec.attributes["submodule_search_locations"] = ListValue((Constant(folder_of(module)),))
        else:
            spec.attributes["submodule_search_locations"] = NONE
        return spec

    # ------------------------------------------------------------------------------------------ statements
    def _import_noted(self, name: str, frame: Frame, names: tuple[str, ...]) -> Value:
        self._recorder.note_import(self._machine, name, name not in self._loaded, is_dynamic=False)
        return self._find_and_load(name, "import")

    def _resolved(self, module: str, level: int, frame: Frame) -> str:
        """PEP 328: the absolute name of a relative import."""
        if not level:
            return module
        package = frame.module.namespace.get("__package__")
        base = package.value if isinstance(package, Constant) and isinstance(package.value, str) else ""
        parts = base.rsplit(".", level - 1)
        if not base:
            self._machine.raise_error(
                "ImportError", "attempted relative import with no known parent package", explicit=True
            )
        if len(parts) < level:
            self._machine.raise_error(
                "ImportError", "attempted relative import beyond top-level package", explicit=True
            )
        return f"{parts[0]}.{module}" if module else parts[0]

    def _load_submodules(self, module: Value, names: Sequence[str], name_of_module: str = "") -> None:
        """`_handle_fromlist`: for a package, names that it lacks are tried as submodules."""
        machine = self._machine
        if not isinstance(module, ModuleValue):
            self._load_submodules_of_object(module, names, name_of_module)
            return
        if not module.is_package:
            has_path = "__getattr__" in module.namespace and machine.find_attribute(module, "__path__") is not None
            if not has_path and "__path__" not in module.namespace:
                return
        base = module.namespace.get("__name__")
        prefix = base.value if isinstance(base, Constant) else module.name
        for name in names:
            value = machine.probe_attribute(module, name)
            if value is not None:
                if self._is_submodule(module, value):  # for another entry this import may be what loads it
                    self._recorder.note_submodule(machine, f"{prefix}.{name}")
                    self._look_at_fallback(module, name, value)
                continue
            full = f"{prefix}.{name}"
            known = full in self._loaded or full in self._project.modules
            if not known and self._on_extended_path(module.name, name) is None:
                continue
            try:
                self._recorder.note_submodule(machine, full, full not in self._loaded)
                self._find_and_load(full, "import")
            except Raised as error:
                is_halted = full in self._loaded
                if error.type_name == "ModuleNotFoundError" and _name_of(error) == full and not is_halted:
                    continue
                raise

    def _load_submodules_of_object(self, value: Value, names: Sequence[str], name_of_module: str) -> None:
        """The same for an object that stands in ``sys.modules`` in place of a package."""
        machine = self._machine
        if not isinstance(value, InstanceValue) or machine.find_attribute(value, "__path__") is None:
            return
        known = machine.find_attribute(value, "__name__")
        prefix = known.value if isinstance(known, Constant) else name_of_module
        for name in names:
            full = f"{prefix}.{name}"
            found = machine.find_attribute(value, name)
            if (found is None or isinstance(found, Symbolic)) and full in self._project.modules:
                self._recorder.note_submodule(machine, full, full not in self._loaded)
                self._find_and_load(full, "import")

    def _look_at_fallback(self, module: ModuleValue, name: str, value: Value) -> None:
        """A submodule that is loaded already is no attribute for other entries: they ask ``__getattr__``."""
        machine = self._machine
        fallback = module.namespace.get("__getattr__")
        if fallback is None or machine.is_exact or not self._is_submodule(module, value):
            return
        frame = machine.running
        place = nodes.Node((frame.line, len(name), frame.line, sum(map(ord, name))))
        arguments = Arguments((Constant(name),))
        text = f"{module.name}.{name} is loaded"
        guard = Guard(text, True, text, True, frame.code.path, frame.line)
        machine.speculate(place, frame, guard, lambda: machine.call(fallback, arguments))()

    def _import_from(self, module: Value, name: str, statement: nodes.Statement, frame: Frame) -> Value:
        """The IMPORT_FROM instruction: the attribute, else the submodule in ``sys.modules``."""
        machine = self._machine
        frame.line = statement.span[0]
        hidden: Miss | None = None
        is_missing = False
        try:
            value = machine.get_attribute(module, name)
            if not (isinstance(module, InstanceValue) and isinstance(value, Symbolic)):
                return value
        except Raised as error:
            if error.type_name != "AttributeError":
                raise
            hidden, is_missing = error.miss, True
        base = (
            module.namespace.get("__name__")
            if isinstance(module, ModuleValue)
            else machine.find_attribute(module, "__name__")
        )
        prefix = base.value if isinstance(base, Constant) else getattr(module, "name", "?")
        loaded = self._loaded.get(f"{prefix}.{name}")
        if loaded is not None:
            return loaded
        miss = None
        if isinstance(module, InstanceValue) and not (is_missing and not module.cls.is_open):
            return machine.unknown(f"{prefix}.{name}")
        if self._is_unreliable():
            return machine.unknown(f"{prefix}.{name}")
        if isinstance(module, ModuleValue) and module.is_initializing:
            if (module.name, name) in machine.repaired:
                return machine.unknown(f"{module.name}.{name}")
            miss = self._miss("ImportError", module.name, name, statement.span[1])
        elif hidden is not None and hidden.is_star and (hidden.module, hidden.name) == (prefix, name):
            miss = replace(hidden, error_type="ImportError", column=statement.span[1])
        try:
            message = self._refusal(module, name, prefix)
            machine.raise_error("ImportError", message, miss or hidden, explicit=True)
        except Raised as error:
            error.shadow = self.shadow_miss(module, "ImportError", name)
            if hidden is not None and hidden.stack[-1].frame is not frame:
                error.behind = hidden if error.miss is not hidden else None
            if isinstance(error.value, InstanceValue):
                path = module.namespace.get("__file__", NONE) if isinstance(module, ModuleValue) else NONE
                error.value.attributes |= {"name": Constant(prefix), "msg": Constant(message), "path": path}
            raise

    def _refusal(self, module: Value, name: str, prefix: object) -> str:
        """What CPython says where a module has no such name."""
        file = module.namespace.get("__file__", NONE) if isinstance(module, ModuleValue) else NONE
        where = self._machine.text_of(file) or "unknown location"
        if isinstance(module, ModuleValue) and module.is_initializing:
            prefix = f"partially initialized module {prefix!r} (most likely due to a circular import)"
            return f"cannot import name {name!r} from {prefix} ({where})"
        return f"cannot import name {name!r} from {prefix!r} ({where})"

    def _is_unreliable(self) -> bool:
        """Whether a module on the stack, or a package of it, went on after one of its imports had gone wrong here."""
        frame = self._machine.frame
        while frame is not None and self._unreliable:
            if frame.kind is FrameKind.MODULE and not self._unreliable.keys().isdisjoint(
                with_packages(frame.module.name)
            ):
                return True
            frame = frame.caller
        return False

    def _is_submodule(self, module: ModuleValue, value: Value) -> bool:
        return isinstance(value, ModuleValue) and value.name.startswith(f"{module.name}.")

    def _import_star(self, module: Value, statement: nodes.ImportFrom, frame: Frame) -> None:
        machine = self._machine
        if not isinstance(module, ModuleValue):
            machine.trail.set_attribute(frame.module, "is_open", True)
            return
        declared = machine.find_attribute(module, "__all__")
        machine.asked.listed.add(module.name)
        names: list[str] | None = None
        if declared is not None:
            items = machine.items_of(declared)
            if (
                items is None
                or any(machine.text_of(item) is None for item in items)
                or getattr(declared, "is_open", False)
            ):
                machine.trail.set_attribute(frame.module, "is_open", True)
            names = [text for item in items or () if (text := machine.text_of(item)) is not None]
            self._load_submodules(module, names)
        elif module.is_open:
            machine.trail.set_attribute(frame.module, "is_open", True)
        frame.line = statement.span[0]
        chosen = names if names is not None else [name for name in module.namespace if not name.startswith("_")]
        for name in chosen:
            machine.store_name(name, machine.get_attribute(module, name), frame)
        self._recorder.star_imports.append((frame.module.name, module.name))
        if module.is_initializing:
            self._note_star_loss(module, frozenset(chosen), frame)

    def _note_star_loss(self, module: ModuleValue, taken: frozenset[str], frame: Frame) -> None:
        """The names that the complete module would have given too."""
        machine = self._machine
        importer = frame.module
        for owner, name in machine.repaired:
            if owner in (module.name, importer.name) and name not in importer.namespace:
                machine.store_name(name, machine.unknown(name), frame)
        names = self.names.public(module.name) - self.names.imported_modules(module.name)
        missing = tuple(sorted(name for name in names if name not in importer.namespace))
        miss = self._miss("ImportError", module.name, ", ".join(missing), 0, is_star=True)
        self._recorder.note_star_loss(StarLoss(importer.name, module.name, missing, miss, module, taken))

    def _star_loss(self, importer: str, name: str, seen: frozenset[str] = frozenset()) -> StarLoss | None:
        """The star import by which a module lacks the name: its own, or one of a module that it takes from in turn."""
        for loss in self._recorder.losses:
            if loss.importer == importer and (name in loss.names or self.names.is_open(loss.module)):
                return loss
        sources = [source for taker, source in self._recorder.star_imports if taker == importer and source not in seen]
        inherited = (self._star_loss(source, name, seen | {importer}) for source in sources)
        return next((loss for loss in inherited if loss is not None), None)

    def star_losses(self) -> Iterator[StarLoss]:
        """What the star imports of the run lost in the end, now that it is over."""
        for loss in self._recorder.losses:
            names = [name for name in self._lost_in_the_end(loss) if (loss.module, name) not in self._machine.repaired]
            if names:
                yield replace(loss, names=tuple(names), miss=replace(loss.miss, name=", ".join(names)))

    def _lost_in_the_end(self, loss: StarLoss) -> Sequence[str]:
        module = loss.source
        if self._loaded.get(loss.module) is not module:  # it failed: what its failing statement binds, no order gives
            return [name for name in loss.names if not _is_bound_where_it_ended(name, loss)]
        if module.is_initializing or module.is_open:
            return loss.names  # what the module would have bound is not known better
        importer = self._loaded.get(loss.importer)
        own = importer.namespace if isinstance(importer, ModuleValue) else {}
        names = self._public_names(module) - loss.taken
        return sorted(
            name for name in names if name not in own and not isinstance(module.namespace.get(name), ModuleValue)
        )

    def _public_names(self, module: ModuleValue) -> frozenset[str]:
        """What a star import of the module as it stands takes."""
        declared = module.namespace.get("__all__")
        items = self._machine.items_of(declared) if declared is not None else None
        if items is None:
            return frozenset(name for name in module.namespace if not name.startswith("_"))
        return frozenset(text for item in items if (text := self._machine.text_of(item)) is not None)

    def _miss_of(self, module: ModuleValue, error_type: str, name: str) -> Miss:
        miss = self._miss(error_type, module.name, name, 0)
        is_left_over = not module.is_initializing and self._loaded.get(module.name) is not module
        return replace(miss, reached=0, is_left_over=True) if is_left_over else miss

    def _miss(
        self, error_type: str, module: str, name: str, column: int, is_star: bool = False, source: str | None = None
    ) -> Miss:
        machine = self._machine
        reached = 0
        frame = machine.frame
        while frame is not None:
            if frame.kind is FrameKind.MODULE and frame.module.name == (source or module):
                reached = frame.line
                break
            frame = frame.caller
        return Miss(error_type, module, name, machine.stack(), machine.guards(), column, reached, is_star, source)

    # ------------------------------------------------------------------------------------------ outside
    def _import_external(self, name: str, frame: Frame) -> None:
        """A module that is not of the target: of the standard library it is there; of others nobody knows."""
        machine = self._machine
        machine.uncertain_events += 1
        top = name.partition(".")[0]
        exists = self._exists_in_library(top)
        if exists is True:
            machine.uncertain_events -= 1
            return
        if exists is False or (not machine.is_exact and self._is_probably_absent(top, frame)):
            machine.raise_error("ModuleNotFoundError", f"No module named '{name}'", explicit=True)
        if machine.is_exact and self._is_inside_try(frame):
            text = f"import {name}"
            guards = len(frame.guards)
            if not machine.decide(Symbolic(f"{text} succeeds"), text, frame.line, frame, True):
                machine.raise_error("ModuleNotFoundError", f"No module named '{name}'", explicit=True)
            del frame.guards[guards:]

    def _run_plugins(self, name: str) -> None:
        """Another package that loads plugins when it is imported may come back to the target."""
        top = name.partition(".")[0]
        group = LOADS_AT_IMPORT.get(top)
        if group is None or self.is_internal(top):  # then its own code does it, at its time
            return
        machine = self._machine
        is_first = group not in self._plugins_run
        machine.trail.set_item(self._plugins_run, group, NONE)
        for declared in self.entry_points():
            module, _, attribute = declared.reference.partition(":")
            if declared.group != group or not self.is_internal(module):
                continue
            if not is_first:  # for another entry this import may be what loads it
                self._recorder.note_submodule(machine, module)
                continue
            value = self.import_for_others(module)
            for part in attribute.split(".") if attribute else ():
                value = machine.get_attribute(value, part)
            if attribute:
                machine.call(value, Arguments())

    def entry_points(self) -> Sequence[EntryPoint]:
        """The entry points that the target, and what is installed beside it, declare."""
        if self._entry_points is None:
            folders = dict.fromkeys((self._project.root, *self._project.search_paths))
            self._entry_points = [each for folder in folders for each in declared_entry_points(folder)]
        return self._entry_points

    def _is_probably_absent(self, name: str, frame: Frame) -> bool:
        """Whether the world that is followed does without an optional package of others.

        In an environment one can look. Elsewhere a function that tries an import mostly probes for something rare,
        while a module that does so mostly wants to have it.
        """
        installed = self.is_installed(name)
        if installed is None:
            return frame.is_function and self._recorder.is_line_in_try(frame)
        return not installed and self._is_inside_try(frame)

    def is_installed(self, name: str) -> bool | None:
        """Whether a package of others stands beside the target; None where the target is in no environment."""
        known = self._installed.get(name)
        if known is None and name not in self._installed:
            known = _is_beside(name, self._project)
            self._installed[name] = known
        return known

    def _is_inside_try(self, frame: Frame | None) -> bool:
        """Whether a try statement surrounds the running line of any frame on the stack."""
        while frame is not None:
            if self._recorder.is_line_in_try(frame):
                return True
            frame = frame.caller
        return False

    def _exists_in_library(self, name: str) -> bool | None:
        version = self._project.python_version
        if name in _ADDED:
            return version >= _ADDED[name]
        if name in _REMOVED:
            return version < _REMOVED[name]
        is_windows = self._project.platform == "win32"
        if name in _ONLY_ON_WINDOWS:
            return is_windows
        if name in _NOT_ON_WINDOWS:
            return not is_windows
        return True if name in sys.stdlib_module_names else None

    def _bind_external(self, name: str, statement: nodes.ImportFrom, frame: Frame) -> None:
        machine = self._machine
        names = [(alias.name, alias.alias or alias.name) for alias in statement.names]
        if statement.names[0].name == "*":
            public = _public_names(name)
            names = [(each, each) for each in public]
            is_known = self._project.python_version == sys.version_info[:2]
            machine.trail.set_attribute(frame.module, "is_vague" if public else "is_open", not (public and is_known))
        for own, bound in names:
            full = f"{name}.{own}"
            value = machine.external_values[full](machine) if full in machine.external_values else External(full)
            machine.store_name(bound, value, frame)


def _is_bound_where_it_ended(name: str, loss: StarLoss) -> bool:
    """Whether the statement at which the body of the half-loaded module ended is the one that binds the name."""
    frames = (entry.frame for entry in loss.miss.stack)
    body = next((each for each in frames if each.kind is FrameKind.MODULE and each.module is loss.source), None)
    return body is not None and body.code.bound_lines.get(name) == body.line


def _public_names(name: str) -> list[str]:
    """What a star import takes from a standard module that is loaded here anyway; nothing for others."""
    module = sys.modules.get(name) if name.partition(".")[0] in sys.stdlib_module_names else None
    if module is None:
        return []
    declared = getattr(module, "__all__", None)
    return list(declared) if declared is not None else [each for each in vars(module) if not each.startswith("_")]


def _holds_import(block: nodes.Block) -> bool:
    """Whether an import statement stands in the block or in the branches in it, outside of loops."""
    return any(
        isinstance(statement, nodes.Import | nodes.ImportFrom)
        or (
            not isinstance(statement, nodes.For | nodes.While)
            and any(map(_holds_import, nodes.inner_blocks(statement)))
        )
        for statement in block
    )


def folder_of(module: Module) -> str:
    """The folder of a package."""
    return str(module.path if module.kind is ModuleKind.NAMESPACE or module.path.is_dir() else module.path.parent)


def _is_beside(name: str, project: Project) -> bool | None:
    """Whether a module of that name is in an environment (a folder with installed distributions) of the target."""
    is_environment = False
    for folder in dict.fromkeys((project.root, *project.search_paths)):
        if not is_complete_environment(folder):
            continue
        is_environment = True
        if (folder / name).is_dir() or any(folder.glob(f"{glob.escape(name)}.*")):
            return True
    return False if is_environment else None


def _name_of(error: Raised) -> str | None:
    attributes = getattr(error.value, "attributes", {})
    name = attributes.get("name")
    return name.value if isinstance(name, Constant) and isinstance(name.value, str) else None
