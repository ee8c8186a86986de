"""The forms by which a module gets hold of another module's export."""

from __future__ import annotations

from .choices import chance, pick, weighted
from .exports import Export
from .layout import Module, relative_name
from .state import State

FORMS = (
    ("from", 34),
    ("from-as", 10),
    ("import", 12),
    ("import-as", 10),
    ("module", 14),
    ("star", 6),
    ("import_module", 8),
    ("dunder", 2),
    ("sys_modules", 2),
    ("helper", 3),
    ("dunder-top", 2),
    ("dunder-level", 2),
    ("loaded", 1),
    ("resolved", 1),
)
UNIQUE_FORMS = (("from-as", 10), ("import-as", 10), ("module", 10), ("import_module", 8), ("dunder", 2), ("helper", 3))
"""Forms that bind names of their own only, or none: safe in a branch of a function."""


def reach(state: State, importer: Module, export: Export, star: bool, unique: bool) -> tuple[list[str], str]:
    """Statements that import the export, and an expression for it."""
    if export.home == importer.name and not export.lazy:
        return [], export.name
    form = weighted(state.choices, UNIQUE_FORMS if unique else FORMS)
    if form == "star" and (not star or export.lazy):
        form = "from"
    if form == "star":
        return [f"from {_spelt(state, importer, export.home)} import *"], export.name
    if form == "from":
        return [f"from {_spelt(state, importer, export.home)} import {export.name}"], export.name
    if form == "from-as":
        alias = state.private("x")
        return [f"from {_spelt(state, importer, export.home)} import {export.name} as {alias}"], alias
    if form == "resolved":
        importer.libraries.add("pkgutil")
        return [], f"pkgutil.resolve_name({f'{export.home}:{export.name}'!r})"
    if form == "helper":
        importer.libraries.add("importlib")
        importer.needs_helper = True
        return [], f"_import_string({f'{export.home}.{export.name}'!r})"
    lines, module = _module(state, importer, export.home, form, unique)
    return lines, _attribute(state, module, export)


def _attribute(state: State, module: str, export: Export) -> str:
    if chance(state.choices, 8):
        return f"getattr({module}, {export.name!r})"
    if export.kind == "constant" and chance(state.choices, 8):
        # A name that is not there is no failure for these.
        forms = ("getattr({0}, {1!r}, 0)", "({0}.{1} if hasattr({0}, {1!r}) else 0)", "vars({0}).get({1!r}, 0)")
        return pick(state.choices, forms).format(module, export.name)
    return f"{module}.{export.name}"


def reach_module(state: State, importer: Module, target: str, unique: bool) -> list[str]:
    """Statements that import a module, for nothing but its import."""
    forms = UNIQUE_FORMS if unique else FORMS
    form = weighted(
        state.choices, [pair for pair in forms if pair[0] not in ("from", "from-as", "star", "helper", "resolved")]
    )
    return _module(state, importer, target, form, unique)[0]


def _spelt(state: State, importer: Module, target: str) -> str:
    """The module's name, absolute or relative."""
    relative = relative_name(importer, target)
    return relative if relative is not None and chance(state.choices, 45) else target


def _module(state: State, importer: Module, target: str, form: str, unique: bool) -> tuple[list[str], str]:
    alias = state.private("m")
    parent, _, leaf = target.rpartition(".")
    if form == "import":
        return [f"import {target}"], target
    if form == "module" and parent:
        bound = leaf if not unique and chance(state.choices, 50) else alias
        suffix = "" if bound == leaf else f" as {bound}"
        # Under its own name a module stands for itself everywhere in the package: names of modules are unique.
        return [f"from {_spelt(state, importer, parent)} import {leaf}{suffix}"], bound
    if form == "import_module":
        importer.libraries.add("importlib")
        return [f"{alias} = importlib.import_module({_name_expression(state, importer, target)})"], alias
    if form == "dunder":
        return [f"{alias} = __import__({target!r}, fromlist=['__name__'])"], alias
    if form == "dunder-top":
        return [f"{alias} = __import__({target!r})"], f"{alias}{target[len(target.partition('.')[0]) :]}"
    if form == "dunder-level" and importer.package and parent == importer.package:
        return [f"{alias} = __import__({leaf!r}, globals(), None, ['__name__'], 1)"], alias
    if form == "loaded":
        importer.libraries.add("sys")
        return [f"import {target}", f"{alias} = sys.modules.get({target!r})"], alias
    if form == "sys_modules":
        importer.libraries.add("sys")
        return [f"import {target}", f"{alias} = sys.modules[{target!r}]"], alias
    return [f"import {target} as {alias}"], alias


def _name_expression(state: State, importer: Module, target: str) -> str:
    """An expression for the module's name as a string."""
    parent, _, leaf = target.rpartition(".")
    if not parent:
        return repr(target)
    forms = [
        repr(target),
        f"f'{parent}." + '{"' + leaf + "\"}'",
        f"{parent!r} + '.' + {leaf!r}",
        f"'%s.%s' % ({parent!r}, {leaf!r})",
        f"'{{}}.{{}}'.format({parent!r}, {leaf!r})",
        f"'.'.join([{parent!r}, {leaf!r}])",
    ]
    if importer.package == parent:
        forms += [f"'.{leaf}', __package__", f"f'{{__package__}}.{leaf}'", f"'.{leaf}', package={parent!r}"]
    return pick(state.choices, forms)
