"""Loading by hand: module specs, loaders and finders of ``importlib`` and ``pkgutil``."""

from __future__ import annotations

import os
from collections.abc import Callable

from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.evaluate.library.system import file_system_path
from importcycle.values.model import (
    FALSE,
    NONE,
    TRUE,
    ClassValue,
    Constant,
    InstanceValue,
    ListValue,
    ModuleValue,
    NativeFunction,
    Value,
)


def make_spec(machine: Core, name: str, source: str) -> Value:
    """A spec of that name for the file of a module of the target, with its loader."""
    spec = machine.import_system.spec_of(name, source)
    if isinstance(spec, InstanceValue):
        spec.attributes["loader"] = _make_loader(machine, name, source)
    return spec


def _make_finder(machine: Core, folder: str) -> Value:
    """``importlib.machinery.FileFinder``: looks for modules in one folder, whatever package they are asked for in."""
    finder = _open_instance(machine, "FileFinder")

    def found(inner: Core, arguments: Arguments) -> tuple[str, str] | None:
        name = inner.text_of(arguments.get(0, "fullname") or NONE) or ""
        place = os.path.join(folder, name.rpartition(".")[2])
        source = inner.import_system.module_of_file(place) or inner.import_system.module_of_file(f"{place}.py")
        return None if source is None else (name, source)

    def find_spec(inner: Core, arguments: Arguments) -> Value:
        known = found(inner, arguments)
        return NONE if known is None else make_spec(inner, *known)

    def find_module(inner: Core, arguments: Arguments) -> Value:
        known = found(inner, arguments)
        return NONE if known is None else _make_loader(inner, *known)

    finder.attributes["path"] = Constant(folder)
    finder.attributes["find_spec"] = NativeFunction("find_spec", find_spec)
    if machine.project.python_version < (3, 12):  # it went away
        finder.attributes["find_module"] = NativeFunction("find_module", find_module)
    return finder


def _make_loader(machine: Core, name: str, source: str) -> Value:
    """``importlib.machinery.SourceFileLoader`` for the file of a module of the target."""
    loader = _open_instance(machine, "SourceFileLoader")

    def execute(inner: Core, arguments: Arguments) -> Value:
        module = arguments.get(0, "module")
        if isinstance(module, ModuleValue):
            inner.import_system.execute_module(module, source)
        return NONE

    def load(inner: Core, arguments: Arguments) -> Value:
        asked = arguments.get(0, "fullname")
        return inner.import_system.load_module(inner.text_of(asked or NONE) or name, source)

    path = Constant(machine.import_system.path_of(source))
    models: dict[str, Model] = {
        "exec_module": execute,
        "load_module": load,
        "create_module": lambda inner, arguments: NONE,
        "get_filename": lambda inner, arguments: path,
        "is_package": lambda inner, arguments: TRUE if os.path.basename(path.value).startswith("__init__.") else FALSE,
    }
    loader.attributes.update({each: NativeFunction(each, model) for each, model in models.items()})
    loader.attributes |= {"name": Constant(name), "path": path}
    return loader


def _open_instance(machine: Core, name: str) -> InstanceValue:
    """An instance of a class of the library that has more than what is told of it."""
    instance = machine.allocate(ClassValue(name, (machine.builtins["object"],)), Arguments())
    instance.is_open = True
    return instance


def _for_file(dotted: str, first: str, second: str, make: Callable[[Core, str, str], Value]) -> Model:
    """What is made from a name and the path of a file: spec_from_file_location(...), SourceFileLoader(...)"""

    def model(machine: Core, arguments: Arguments) -> Value:
        name = machine.text_of(arguments.get(0, first) or NONE)
        source = _source_of(machine, arguments.get(1, second) or NONE)
        return machine.unknown(f"{dotted}(...)") if name is None or source is None else make(machine, name, source)

    return model


def _source_of(machine: Core, location: Value) -> str | None:
    """The module of the target whose file it is."""
    text = machine.text_of(file_system_path(machine, location))
    return machine.import_system.module_of_file(text) if text is not None else None


def _module_from_spec(machine: Core, arguments: Arguments) -> Value:
    """importlib.util.module_from_spec(spec)"""
    spec = arguments.get(0, "spec")
    loader = spec.attributes.get("loader") if isinstance(spec, InstanceValue) else None
    if not isinstance(spec, InstanceValue) or not isinstance(loader, InstanceValue):
        return machine.unknown("importlib.util.module_from_spec(...)")
    name, source = machine.text_of(spec.attributes["name"]), _source_of(machine, loader.attributes["path"])
    if name is None or source is None:
        return machine.unknown("importlib.util.module_from_spec(...)")
    module = machine.import_system.new_module(name, source)
    module.namespace["__spec__"] = spec
    module.namespace["__loader__"] = loader
    return module


def _spec_from_loader(machine: Core, arguments: Arguments) -> Value:
    """importlib.util.spec_from_loader(name, loader)"""
    name, loader = machine.text_of(arguments.get(0, "name") or NONE), arguments.get(1, "loader")
    path = loader.attributes.get("path") if isinstance(loader, InstanceValue) else None
    source = _source_of(machine, path) if path is not None else None
    if name is None or source is None:
        return machine.unknown("importlib.util.spec_from_loader(...)")
    return make_spec(machine, name, source)


def _get_importer(machine: Core, arguments: Arguments) -> Value:
    """pkgutil.get_importer(path_item)"""
    folder = machine.text_of(arguments.get(0, "path_item") or NONE)
    return _make_finder(machine, folder) if folder is not None else machine.unknown("pkgutil.get_importer(...)")


def finder_of(machine: Core, package: str) -> Value:
    """The finder of the modules directly in a package."""
    spec = machine.import_system.spec_of(package)
    folders = spec.attributes["submodule_search_locations"] if isinstance(spec, InstanceValue) else NONE
    folder = machine.text_of(folders.items[0]) if isinstance(folders, ListValue) else None
    return _make_finder(machine, folder) if folder is not None else machine.unknown("finder")


_FROM_FILES = (
    ("importlib.util.spec_from_file_location", "name", "location", make_spec),
    ("importlib.machinery.SourceFileLoader", "fullname", "path", _make_loader),
)
MODELS: dict[str, Model] = {
    **{dotted: _for_file(dotted, first, second, make) for dotted, first, second, make in _FROM_FILES},
    "importlib.util.spec_from_loader": _spec_from_loader,
    "importlib.util.module_from_spec": _module_from_spec,
    "pkgutil.get_importer": _get_importer,
}
