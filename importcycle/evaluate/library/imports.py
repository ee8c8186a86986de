"""importlib, pkgutil, sys.modules and helpers of other packages that import by name."""

from __future__ import annotations

import sys

from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.evaluate.library.functional import make_named_tuple
from importcycle.values.model import (
    FALSE,
    NONE,
    TRUE,
    ClassValue,
    Constant,
    DictValue,
    ListValue,
    ModuleValue,
    NativeFunction,
    Symbolic,
    TupleValue,
    Value,
)


def _import_module(machine: Core, arguments: Arguments) -> Value:
    name, package = arguments.get(0, "name"), arguments.get(1, "package")
    text = machine.text_of(name) if name is not None else None
    if text is None:
        shown = machine.describe(name) if name is not None else ""
        machine.import_system.note_opaque_import(f"importlib.import_module({shown})")
        machine.uncertain_events += 1
        return machine.unknown(f"importlib.import_module({shown})")
    if text.startswith("."):
        base = machine.text_of(package) if package is not None else None
        if base is None:
            machine.raise_error("TypeError", "the 'package' argument is required to perform a relative import")
        level = len(text) - len(text.lstrip("."))
        parts = base.rsplit(".", level - 1)
        if len(parts) < level:
            machine.raise_error("ImportError", "attempted relative import beyond top-level package", explicit=True)
        text = f"{parts[0]}.{text[level:]}" if text[level:] else parts[0]
    return machine.import_system.import_dynamically(text)


def _reload(machine: Core, arguments: Arguments) -> Value:
    return arguments.positional[0]


def _find_spec(machine: Core, arguments: Arguments) -> Value:
    name = arguments.get(0, "name")
    text = machine.text_of(name) if name is not None else None
    if text is not None and machine.project.contains(text):
        return machine.unknown(f"spec of {text}", TRUE) if text in machine.project.modules else NONE
    if text is not None and text.partition(".")[0] in sys.stdlib_module_names:
        return machine.unknown(f"spec of {text}", TRUE)
    shown = machine.describe(name) if name is not None else ""
    installed = machine.import_system.is_installed(text.partition(".")[0]) if text is not None else None
    likely = None if installed is None else (TRUE if installed else NONE)
    return machine.unknown(f"importlib.util.find_spec({shown})", likely)


# ------------------------------------------------------------------------------------------------ pkgutil
def _packages_of(machine: Core, path: Value | None) -> list[str] | None:
    """The packages whose folders a ``__path__`` names."""
    items = machine.items_of(path) if path is not None and not isinstance(path, Constant | Symbolic) else None
    if items is None:
        return None
    found = []
    for item in items:
        text = machine.text_of(item)
        package = machine.import_system.module_of_file(text) if text is not None else None
        if package is None:
            return None
        found.append(package)
    return found


def _module_infos(machine: Core, path: Value | None, prefix: str, is_deep: bool) -> Value:
    packages = _packages_of(machine, path)
    if packages is None:
        return machine.unknown("pkgutil.iter_modules(...)")
    cls = make_named_tuple(machine, "ModuleInfo", ["module_finder", "name", "ispkg"], None)
    assert isinstance(cls, ClassValue)
    items: list[Value] = []

    def add(package: str, shown: str) -> None:
        for name, is_package in machine.import_system.submodules(package):
            short = name.rpartition(".")[2]
            values = (machine.unknown("finder"), Constant(shown + short), TRUE if is_package else FALSE)
            items.append(_module_info(machine, cls, values))
            if is_package and is_deep:
                add(name, f"{shown}{short}.")

    for package in packages:
        add(package, prefix)
    return ListValue(items)


def _module_info(machine: Core, cls: ClassValue, values: tuple[Value, ...]) -> Value:
    """A named tuple that can be unpacked too."""
    instance = machine.allocate(cls, Arguments())
    instance.payload = TupleValue(values)
    instance.attributes.update(zip(("module_finder", "name", "ispkg"), values, strict=True))
    return instance


def _iterate_modules(is_deep: bool) -> Model:
    def model(machine: Core, arguments: Arguments) -> Value:
        prefix = arguments.get(1, "prefix")
        text = machine.text_of(prefix) if prefix is not None else ""
        if text is None:
            return machine.unknown("pkgutil.iter_modules(...)")
        return _module_infos(machine, arguments.get(0, "path"), text, is_deep)

    return model


def _resolve_name(machine: Core, arguments: Arguments) -> Value:
    """pkgutil.resolve_name("package.module:attribute.attribute")"""
    text = machine.text_of(arguments.positional[0])
    if text is None:
        return machine.unknown("pkgutil.resolve_name(...)")
    module, _, attributes = text.partition(":")
    value = machine.import_system.import_dynamically(module)
    for name in attributes.split(".") if attributes else ():
        value = machine.get_attribute(value, name)
    return value


# ------------------------------------------------------------------------------------------------ lazy_loader
def _attach(machine: Core, arguments: Arguments) -> Value:
    """lazy_loader.attach(package, submodules, submodule_attributes): ``__getattr__``, ``__dir__``, ``__all__``."""
    package = machine.text_of(arguments.positional[0]) or ""
    submodules = [machine.text_of(each) or "" for each in _items(machine, arguments.get(1, "submodules"))]
    attributes: dict[str, str] = {}
    table = arguments.get(2, "submod_attrs")
    for key, names in table.items.values() if isinstance(table, DictValue) else ():
        for name in machine.items_of(names) or ():
            attributes[machine.text_of(name) or ""] = machine.text_of(key) or ""

    def load(inner: Core, given: Arguments) -> Value:
        name = inner.text_of(given.positional[0]) or ""
        if name in submodules:
            return inner.import_system.import_dynamically(f"{package}.{name}")
        if name in attributes:
            module = inner.import_system.import_dynamically(f"{package}.{attributes[name]}")
            value = inner.get_attribute(module, name)
            if name == attributes[name]:
                loaded = inner.import_system.loaded_modules().get(package)
                if isinstance(loaded, ModuleValue):
                    inner.trail.set_item(loaded.namespace, name, value)
            return value
        inner.raise_error("AttributeError", f"No {package} attribute {name}")

    every = ListValue(Constant(name) for name in sorted({*submodules, *attributes}))
    return TupleValue((NativeFunction("__getattr__", load), NativeFunction("__dir__", lambda m, a: every), every))


def _items(machine: Core, value: Value | None) -> list[Value]:
    if value is None or isinstance(value, Constant | Symbolic):
        return []
    return machine.items_of(value) or []


def _entry_points(machine: Core, arguments: Arguments) -> Value:
    """importlib.metadata.entry_points(group=...): those that the target declares are known, there may be others."""
    group = arguments.keywords.get("group")
    wanted = machine.text_of(group) if group is not None else None
    if wanted is None:
        return machine.unknown("importlib.metadata.entry_points(...)")
    items = [
        _entry_point(machine, wanted, value) for name, value in machine.import_system.entry_points() if name == wanted
    ]
    return ListValue(items, is_open=True)


def _entry_point(machine: Core, group: str, reference: str) -> Value:
    instance = machine.allocate(ClassValue("EntryPoint", (machine.builtins["object"],)), Arguments())
    instance.is_open = True
    module, _, attribute = reference.partition(":")

    def load(inner: Core, arguments: Arguments) -> Value:
        value = inner.import_system.import_dynamically(module)
        for name in attribute.split(".") if attribute else ():
            value = inner.get_attribute(value, name)
        return value

    instance.attributes["load"] = NativeFunction("load", load)
    instance.attributes["group"] = Constant(group)
    instance.attributes["value"] = Constant(reference)
    return instance


MODELS: dict[str, Model] = {
    "importlib.metadata.entry_points": _entry_points,
    "importlib_metadata.entry_points": _entry_points,
    "importlib.import_module": _import_module,
    "importlib.reload": _reload,
    "importlib.util.find_spec": _find_spec,
    "importlib.invalidate_caches": lambda machine, arguments: NONE,
    "pkgutil.iter_modules": _iterate_modules(False),
    "pkgutil.walk_packages": _iterate_modules(True),
    "pkgutil.resolve_name": _resolve_name,
    "pkgutil.extend_path": lambda machine, arguments: arguments.positional[0],
    "lazy_loader.attach": _attach,
}
