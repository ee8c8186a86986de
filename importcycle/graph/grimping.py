"""Grimp's part: the imports of all modules of packages that its parser takes.

Grimp is given the files that discovery found. It would else look for packages along ``sys.path`` and in
``sys.modules``, and a target that bears the name of a module in use here would be taken for that module.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import grimp
from grimp.application.config import settings
from grimp.application.ports.filesystem import AbstractFileSystem
from grimp.application.ports.modulefinder import AbstractModuleFinder, FoundPackage, ModuleFile
from grimp.application.ports.packagefinder import AbstractPackageFinder
from grimp.exceptions import SourceSyntaxError

from importcycle.project.model import Module, ModuleKind

RETRY_LIMIT = 4
"""How many files that stop Grimp are left out one by one before all are tried in advance."""

_STANDARD_ERROR = 2
_settings_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class RawImport:
    """An import as Grimp tells it."""

    importer: str
    imported: str
    line: int
    lazy: bool


class BadFile(Exception):
    """Grimp gave up on account of one file."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class GrimpFailure(Exception):
    """Grimp gave up, and does not say on account of which file."""


def fit_for_grimp(module: Module) -> bool:
    """Whether Grimp would look for the module where it is: a source in a package, at the place that its name says."""
    if module.kind is not ModuleKind.SOURCE or not (module.is_package or "." in module.name):
        return False
    if _root(module) is None:
        return False
    # Grimp would take x.py where CPython takes x/__init__.py.
    return not module.is_package or not os.path.lexists(f"{module.path.parent}.py")


def find_imports(modules: Mapping[str, Module]) -> list[RawImport]:
    """The imports between these modules, all of which must be fit for Grimp.

    Raises:
        BadFile: a file cannot be parsed, decoded or read.
        GrimpFailure: it failed in another way.
    """
    directories: dict[str, dict[str, set[str]]] = {}
    for module in modules.values():
        top = module.name.partition(".")[0]
        directory = str(_root(module) / top)  # type: ignore[operator]
        directories.setdefault(top, {}).setdefault(directory, set()).add(module.name)
    if not directories:
        return []
    with _own_finders(_PackageFinder(directories), _ModuleFinder(directories)):
        graph = _build(sorted(directories), modules)
    return [
        RawImport(importer, imported, detail["line_number"], detail.get("is_lazy", False))
        for importer in graph.modules
        for imported in graph.find_modules_directly_imported_by(importer)
        for detail in graph.get_import_details(importer=importer, imported=imported)
    ]


def _build(packages: list[str], modules: Mapping[str, Module]) -> grimp.ImportGraph:
    try:
        with _panics_unheard():
            return grimp.build_graph(*packages, cache_dir=None)
    except SourceSyntaxError as error:
        raise BadFile(error.filename) from error
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # A panic in Grimp's Rust code is no Exception.
        text = str(error)
        named = [str(module.path) for module in modules.values() if str(module.path) in text]
        missing = [str(module.path) for module in modules.values() if not module.path.is_file()]
        if named or missing:
            raise BadFile((named or missing)[0]) from error
        raise GrimpFailure(text) from error


@contextmanager
def _panics_unheard() -> Iterator[None]:
    """Keep what Grimp's Rust code prints of a panic, such as for a file that vanishes meanwhile, from the user.

    Whatever else is written to standard error comes through, a little later.
    """
    try:
        kept = tempfile.TemporaryFile()  # noqa: SIM115
        own = os.dup(_STANDARD_ERROR)
    except OSError:  # no room, or closed
        yield
        return
    with kept:
        os.dup2(kept.fileno(), _STANDARD_ERROR)
        is_panic = False
        try:
            yield
        except Exception:
            raise
        except BaseException:
            is_panic = True
            raise
        finally:
            os.dup2(own, _STANDARD_ERROR)
            os.close(own)
            kept.seek(0)
            written = b"" if is_panic else kept.read()
            if written:
                os.write(_STANDARD_ERROR, written)


def _root(module: Module) -> Path | None:
    """The search path from which the module's name leads to its file; ``None`` when it does not."""
    parts = [*module.name.split("."), "__init__.py"] if module.is_package else module.name.split(".")
    if not module.is_package:
        parts[-1] += ".py"
    if module.path.parts[-len(parts) :] != tuple(parts):
        return None
    root = module.path.parents[len(parts) - 1]
    try:
        os.fspath(root).encode()
    except UnicodeEncodeError:
        return None
    return root


class _PackageFinder(AbstractPackageFinder):
    def __init__(self, directories: Mapping[str, Mapping[str, Set[str]]]) -> None:
        self._directories = directories

    def determine_package_directories(self, package_name: str, file_system: AbstractFileSystem) -> set[str]:
        return set(self._directories[package_name])


class _ModuleFinder(AbstractModuleFinder):
    def __init__(self, directories: Mapping[str, Mapping[str, Set[str]]]) -> None:
        self._directories = directories

    def find_package(self, package_name: str, package_directory: str, file_system: AbstractFileSystem) -> FoundPackage:
        names = self._directories[package_name][package_directory]
        files = frozenset(ModuleFile(grimp.Module(name), 0.0) for name in names)
        return FoundPackage(package_name, package_directory, files)


@contextmanager
def _own_finders(package_finder: AbstractPackageFinder, module_finder: AbstractModuleFinder) -> Iterator[None]:
    with _settings_lock:
        before = {"PACKAGE_FINDER": settings.PACKAGE_FINDER, "MODULE_FINDER": settings.MODULE_FINDER}
        settings.configure(PACKAGE_FINDER=package_finder, MODULE_FINDER=module_finder)
        try:
            yield
        finally:
            settings.configure(**before)
