"""importlib, pkgutil, sys.modules and helpers of other packages that import by name."""

from __future__ import annotations

import sys

from importcycle.evaluate.core import Arguments, Core, EntryPoint, Model
from importcycle.evaluate.library.functional import make_named_tuple
from importcycle.evaluate.library.specs import finder_of, make_spec
from importcycle.values.model import (
    FALSE,
    NONE,
    TRUE,
    ClassValue,
    Constant,
    DictValue,
    External,
    ListValue,
    ModuleValue,
    NativeFunction,
    Symbolic,
    TupleValue,
    Value,
)


def name_in_this_world(machine: Core, name: Value, package: str | None = None) -> Value:
    """The name of a module of the target, where an input decides which it is; relative names are those in a package."""
    if not isinstance(name, Symbolic):
        return name
    wanted = set(machine.project.modules)
    if package is not None:
        wanted |= {each[len(package) :] for each in wanted if each.startswith(f"{package}.")}
    found = machine.settled_among(name, wanted)
    text = machine.text_of(found)
    is_own = text is not None and (text.startswith(".") or machine.project.contains(text.partition(".")[0]))
    return found if is_own else name


def _import_module(machine: Core, arguments: Arguments) -> Value:
    name, package = arguments.get(0, "name"), arguments.get(1, "package")
    if name is not None:
        name = name_in_this_world(machine, name, machine.text_of(package) if package is not None else None)
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
        text = _absolute(machine, text, base)
    return machine.import_system.import_dynamically(text)


def _absolute(machine: Core, text: str, base: str) -> str:
    """A relative name in a package as an absolute one."""
    level = len(text) - len(text.lstrip("."))
    parts = base.rsplit(".", level - 1)
    if len(parts) < level:
        machine.raise_error("ImportError", "attempted relative import beyond top-level package", explicit=True)
    return f"{parts[0]}.{text[level:]}" if text[level:] else parts[0]


def _reload(machine: Core, arguments: Arguments) -> Value:
    module = arguments.positional[0]
    return machine.import_system.reload(module) if isinstance(module, ModuleValue) else module


# ------------------------------------------------------------------------------------------------ sys.modules
def _loaded(machine: Core, name: Value, default: Value | None) -> Value:
    """``sys.modules.get(name, default)``; without default: ``sys.modules[name]``"""
    text = machine.text_of(name)
    loaded = machine.import_system.loaded_modules()
    if default is not None and text is not None and (text in loaded or machine.project.contains(text)):
        return loaded.get(text, default)
    return machine.get_item(External("sys.modules"), name)


def _get_loaded(machine: Core, arguments: Arguments) -> Value:
    return _loaded(machine, arguments.positional[0], arguments.get(1, "default") or NONE)


def _pop_loaded(machine: Core, arguments: Arguments) -> Value:
    found = _loaded(machine, arguments.positional[0], arguments.get(1, "default"))
    machine.delete_item(External("sys.modules"), arguments.positional[0])
    return found


def _set_default_loaded(machine: Core, arguments: Arguments) -> Value:
    name, content = arguments.positional[:2]
    text = machine.text_of(name)
    known = machine.import_system.loaded_modules().get(text) if text is not None else None
    if known is None:
        machine.set_item(External("sys.modules"), name, content)
    return known or content


def _update_loaded(machine: Core, arguments: Arguments) -> Value:
    given = arguments.positional[0] if arguments.positional else NONE
    for name, content in given.items.values() if isinstance(given, DictValue) else ():
        machine.set_item(External("sys.modules"), name, content)
    return NONE


def _all_loaded(kind: str) -> Model:
    """Those of the target are known; there are others."""

    def model(machine: Core, arguments: Arguments) -> Value:
        loaded = DictValue((Constant(name), module) for name, module in machine.import_system.loaded_modules().items())
        return loaded if kind == "copy" else machine.call_method(loaded, kind)

    return model


def _find_spec(machine: Core, arguments: Arguments) -> Value:
    name, package = arguments.get(0, "name"), arguments.get(1, "package")
    text = machine.text_of(name) if name is not None else None
    base = machine.text_of(package) if package is not None else None
    if text is not None and text.startswith(".") and base is not None:
        text = _absolute(machine, text, base)
    if text is not None and machine.project.contains(text):
        parent = text.rpartition(".")[0]
        if parent and text not in machine.import_system.loaded_modules():
            machine.import_system.import_dynamically(parent)
        return make_spec(machine, text, text) if text in machine.project.modules else NONE
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
        finder = finder_of(machine, package)
        for name, is_package in machine.import_system.submodules(package):
            short = name.rpartition(".")[2]
            values = (finder, Constant(shown + short), TRUE if is_package else FALSE)
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
    """importlib.metadata.entry_points(group=..., name=...): those of distributions beside the target are known."""
    wanted = {key: machine.text_of(value) for key, value in arguments.keywords.items()}
    if "group" not in wanted:
        return _every_entry_point(machine)
    if wanted["group"] is None:
        return machine.unknown("importlib.metadata.entry_points(...)")
    name = wanted.get("name")
    items = [
        _entry_point(machine, each)
        for each in machine.import_system.entry_points()
        if each.group == wanted["group"] and name in (None, each.name)
    ]
    return ListValue(items, is_open=True)


def _every_entry_point(machine: Core) -> Value:
    """``importlib.metadata.entry_points()``: they are selected from it by their group."""
    instance = machine.allocate(ClassValue("EntryPoints", (machine.builtins["object"],)), Arguments())
    instance.is_open = True

    def by_group(inner: Core, arguments: Arguments) -> Value:
        group = arguments.get(0, "group")
        return _entry_points(inner, Arguments((), {"group": group} if group is not None else {}))

    instance.attributes["select"] = NativeFunction("select", _entry_points)
    instance.attributes["get"] = NativeFunction("get", by_group)
    return instance


def _iterate_entry_points(machine: Core, arguments: Arguments) -> Value:
    """``pkg_resources.iter_entry_points(group, name=None)``"""
    given = {"group": arguments.get(0, "group"), "name": arguments.get(1, "name")}
    return _entry_points(machine, Arguments((), {key: value for key, value in given.items() if value is not None}))


def _entry_point(machine: Core, declared: EntryPoint) -> Value:
    instance = machine.allocate(ClassValue("EntryPoint", (machine.builtins["object"],)), Arguments())
    instance.is_open = True
    module, _, attribute = declared.reference.partition(":")

    def load(inner: Core, arguments: Arguments) -> Value:
        value = inner.import_system.import_for_others(module)
        for name in attribute.split(".") if attribute else ():
            value = inner.get_attribute(value, name)
        return value

    texts = {"group": declared.group, "name": declared.name, "value": declared.reference}
    texts |= {"module": module, "module_name": module}
    instance.attributes.update({key: Constant(text) for key, text in texts.items()})
    instance.attributes["attr"] = Constant(attribute) if attribute else NONE
    for name in ("load", "resolve"):
        instance.attributes[name] = NativeFunction(name, load)
    if declared.distribution is not None:
        instance.attributes["dist"] = _distribution(machine, declared.distribution)
    return instance


def _distribution(machine: Core, name: str) -> Value:
    instance = machine.allocate(ClassValue("Distribution", (machine.builtins["object"],)), Arguments())
    instance.is_open = True
    instance.attributes["name"] = Constant(name)
    instance.attributes["metadata"] = DictValue([(Constant("Name"), Constant(name))], is_open=True)
    return instance


MODELS: dict[str, Model] = {
    "importlib.metadata.entry_points": _entry_points,
    "importlib_metadata.entry_points": _entry_points,
    "pkg_resources.iter_entry_points": _iterate_entry_points,
    "importlib.import_module": _import_module,
    "importlib.reload": _reload,
    "importlib.util.find_spec": _find_spec,
    "importlib.invalidate_caches": lambda machine, arguments: NONE,
    "sys.modules.get": _get_loaded,
    "sys.modules.pop": _pop_loaded,
    "sys.modules.setdefault": _set_default_loaded,
    "sys.modules.update": _update_loaded,
    **{f"sys.modules.{kind}": _all_loaded(kind) for kind in ("copy", "keys", "values", "items")},
    "pkgutil.iter_modules": _iterate_modules(False),
    "pkgutil.walk_packages": _iterate_modules(True),
    "pkgutil.resolve_name": _resolve_name,
    "pkgutil.extend_path": lambda machine, arguments: arguments.positional[0],
    "lazy_loader.attach": _attach,
}
