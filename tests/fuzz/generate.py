"""Makes a package: modules that offer each other things, in an order that makes some imports fail.

Every package is sound but for the order: each export depends on exports made before it only, so there is always an
order of statements in which all of them can be had, and what fails, fails because of a half-loaded module.
"""

from __future__ import annotations

from dataclasses import replace

from .choices import Choices, chance, pick, weighted
from .expressions import condition
from .functions import CAUGHT, indent
from .items import ITEMS
from .layout import Module, lay_out
from .package import GeneratedPackage
from .reaching import reach_module
from .state import State
from .worlds import choose_variables

HELPER = [
    "def _import_string(path):",
    "    module, _, name = path.rpartition('.')",
    "    return getattr(importlib.import_module(module), name)",
]


def generate(choices: Choices) -> GeneratedPackage:
    """One package."""
    state = State(choices, lay_out(choices))
    choose_variables(state)
    homes = [module for module in state.modules if not module.is_namespace]
    for _ in range(2 + choices.below(2 * len(homes) + 3)):
        _add_item(state, pick(choices, homes))
    for module in homes:
        if chance(choices, 25):
            _add_bare_import(state, module)
    files = {module.path: _text(state, module) for module in homes}
    is_flat = not any(module.is_package for module in state.modules)
    scripts = tuple(module.path for module in homes) if is_flat else ()
    return GeneratedPackage(files, dict(state.variables), scripts)


def _add_item(state: State, module: Module) -> None:
    kind = state.choices.below(100)
    offered = [export for export in state.exports if export.home != module.name]
    if kind >= 90 and offered and module.is_package:
        _reexport(state, module)
    elif kind >= 84 and offered:
        _lazy_export(state, module)
    else:
        state.exports.append(weighted(state.choices, ITEMS)(state, module))


def _reexport(state: State, module: Module) -> None:
    """A package offers the export of another module as its own."""
    children = [export for export in state.exports if export.home.startswith(module.name + ".")]
    offered = children or [export for export in state.exports if export.home != module.name]
    export = pick(state.choices, [export for export in offered if not export.lazy] or offered)
    if any((other.name, other.home) == (export.name, module.name) for other in state.exports):
        return
    source = export.home
    if source.startswith(module.name + ".") and chance(state.choices, 70):
        source = source[len(module.name) :]
    line = f"from {source} import {'*' if chance(state.choices, 20) and not export.lazy else export.name}"
    if chance(state.choices, 50):
        module.top.append(line)
    else:
        module.blocks.append([line])
    module.public.append(export.name)
    state.exports.append(replace(export, home=module.name, lazy=False))


def _lazy_export(state: State, module: Module) -> None:
    """A module ``__getattr__`` that imports what another module offers when it is asked for."""
    offered = [export for export in state.exports if export.home != module.name]
    export = pick(state.choices, offered)
    if any(other.name == export.name and other.home == module.name for other in state.exports):
        return
    lines = [f"if name == {export.name!r}:"]
    if chance(state.choices, 40):
        module.libraries.add("importlib")
        lines += [f"    return getattr(importlib.import_module({export.home!r}), name)"]
    else:
        lines += [f"    from {export.home} import {export.name}"]
        if chance(state.choices, 30):
            lines += [f"    globals()[name] = {export.name}"]
        lines += [f"    return {export.name}"]
    module.lazy.append(lines)
    module.public.append(export.name)
    state.exports.append(replace(export, home=module.name, lazy=True))


def _add_bare_import(state: State, module: Module) -> None:
    """An import that nothing uses: cycles are made of them too."""
    others = [other for other in state.modules if other.name != module.name]
    lines = reach_module(state, module, pick(state.choices, others).name, unique=False)
    kind = state.choices.below(10)
    position = state.choices.below(len(module.blocks) + 1)
    if kind == 1:
        lines = ["if TYPE_CHECKING:", *indent(lines)]
        module.libraries.add("typing.TYPE_CHECKING")
    elif kind == 2:
        test = condition(state, module, deferred=False)
        lines = [*test.prelude, f"if {test.text}:", *indent(lines)]
        position = len(module.blocks)  # behind the flags that it may ask
    elif kind == 5:
        lines = ["if __name__ == '__main__':", *indent(lines)]
    elif kind == 3:
        lines = ["try:", *indent(lines), f"except {pick(state.choices, CAUGHT)}:".replace(" :", ":"), "    pass"]
    elif kind == 4:
        target = pick(state.choices, others).name
        module.libraries.add("importlib")
        both = f"({target!r}, {pick(state.choices, others).name!r})"
        lines = [f"for _name in {both}:", "    importlib.import_module(_name)"]
    elif kind == 7 and module.is_package:
        module.libraries |= {"importlib", "pkgutil"}
        lines = ["for _found in pkgutil.iter_modules(__path__):"]
        lines += ["    importlib.import_module(f'{__name__}.{_found.name}')"]
    elif kind == 8:
        module.libraries.add("importlib")
        target = pick(state.choices, others).name
        alias = state.private("m")
        lines = [f"import {target} as {alias}", f"importlib.reload({alias})"]
    elif kind == 9:
        lines = [f"exec({lines[0]!r})"]
    module.blocks.insert(position, lines)


def _merged(state: State, lines: list[str]) -> list[str]:
    """Sometimes several names are imported by one statement."""
    merged: list[str] = []
    for line in lines:
        head, found, names = line.partition(" import ")
        previous = next((other for other in merged if other.startswith(head + " import ")), None)
        if found and "*" not in names and previous and "*" not in previous and chance(state.choices, 60):
            merged[merged.index(previous)] = f"{previous}, {names}"
        else:
            merged.append(line)
    return merged


def _text(state: State, module: Module) -> str:
    blocks = [HELPER, *module.blocks] if module.needs_helper else list(module.blocks)
    if module.lazy:
        body = ["def __getattr__(name):", *indent([line for lines in module.lazy for line in lines])]
        body += ["    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')"]
        blocks.insert(state.choices.below(len(blocks) + 1), body)
    libraries = []
    for library in sorted(module.libraries):
        package, _, name = library.partition(".")
        libraries.append(f"from {package} import {name}" if name else f"import {library}")
    top = _merged(state, list(dict.fromkeys(module.top)))
    lines = ["from __future__ import annotations"] if module.postpones_annotations else []
    lines += [*libraries]
    names = [f"__all__ = {sorted(set(module.public))!r}"] if module.has_all else []
    early = chance(state.choices, 60)
    lines += [*(names if early else []), *top]
    lines += [line for block in blocks for line in block]
    lines += [] if early else names
    return "\n".join(lines) + "\n" if lines else ""
