"""From targets to a project: which modules there are, and which files hold them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from importcycle.project.environment import Environment, environment_of, running_environment
from importcycle.project.errors import TargetError
from importcycle.project.finder import Findings, Found, find_descendants
from importcycle.project.model import Module, ModuleKind, Project, Unreadable
from importcycle.project.targets import (
    Selection,
    find_chain,
    own_search_paths,
    resolve_followed,
    resolve_target,
    surroundings,
)


def discover(
    targets: Sequence[str],
    *,
    working_directory: Path,
    python: Path | None = None,
    python_version: tuple[int, int] | None = None,
    platform: str | None = None,
    source_roots: Sequence[Path] = (),
    follow: Sequence[str] = (),
    untrusted: Path | None = None,
) -> Project:
    """Find the modules of the targets, without importing or running anything of them.

    A target is the dotted name of a package or module, looked for in the working directory, in its ``src`` and among
    the installed packages; a folder that is a package; a folder that holds packages, itself or in its ``src``, or
    else files that are modules each; or a single file.

    Args:
        targets: Names and paths; relative paths start from the working directory.
        working_directory: The folder that names are looked for in first.
        python: The interpreter, or folder of the virtual environment, whose installed packages count; by default those
            of the running interpreter.
        python_version: By default the version of that interpreter.
        platform: A value of ``sys.platform``; by default that of the interpreter.
        source_roots: Folders in which names are looked for before all others.
        follow: Names of packages whose modules are taken in as well, as no part of the target.
        untrusted: A folder of which no interpreter may be run.

    Raises:
        TargetError: a target or a followed package is not to be found or holds no Python; the text says what to do.
    """
    if not targets:
        raise TargetError("no target: name a package, a folder or a file")
    environment = environment_of(python, untrusted=untrusted) if python is not None else running_environment()
    folder = Path(os.path.abspath(working_directory))
    named = [selection for target in targets for selection in resolve_target(target, folder, environment, source_roots)]
    selections = _merged(named)
    project = _project(named, selections, environment, python_version, platform)
    beside = [each for selection in selections for each in surroundings(selection)]
    every_path = (*own_search_paths(folder, source_roots), *environment.search_paths)
    return _with_others(project, beside, [resolve_followed(name, every_path) for name in dict.fromkeys(follow)])


def _merged(selections: Iterable[Selection]) -> list[Selection]:
    """One for each name: a namespace package may have parts in several places."""
    merged: dict[tuple[str, bool], Selection] = {}
    for selection in selections:
        key = (selection.name, selection.whole)
        known = merged.setdefault(key, selection)
        paths = dict.fromkeys((*known.search_paths, *selection.search_paths))
        merged[key] = replace(known, search_paths=tuple(paths))
    return list(merged.values())


def _project(
    named: Sequence[Selection],
    selections: Sequence[Selection],
    environment: Environment,
    python_version: tuple[int, int] | None,
    platform: str | None,
) -> Project:
    """The project of the selections; what was named and is none of it, since its name is taken, is unreadable."""
    findings = Findings()
    for selection in selections:
        chain = find_chain(selection.name, selection.search_paths)
        if _first_hidden(chain, findings.modules) is not None:
            continue
        if selection.whole:
            find_descendants(chain[-1], findings)
        # Importing the target imports the packages above it, so they are modules of the project as well.
        for found in chain if chain[-1].name in findings.modules or not selection.whole else []:
            findings.modules.setdefault(found.name, found)
    if not findings.modules:
        names = ", ".join(selection.name for selection in selections)
        raise TargetError(f"{names} holds no Python module: name a package, a folder or a file that does")
    chains = [find_chain(selection.name, selection.search_paths) for selection in (*selections, *named)]
    roots = dict.fromkeys(root for chain in chains for root in _roots(chain[0]))
    root = Path(os.path.commonpath([str(path) for path in roots]))
    modules = {
        name: Module(name, found.kind, found.is_package, found.path, _display_path(found.path, root))
        for name, found in sorted(findings.modules.items())
    }
    hidden = [each for chain in chains if (each := _first_hidden(chain, findings.modules)) is not None]
    return Project(
        root=root,
        packages=_outermost(selection.name for selection in selections),
        modules=modules,
        python_version=python_version or environment.python_version,
        platform=platform or environment.platform,
        search_paths=tuple(roots),
        unreadable=_unreadable(findings, hidden, modules, root),
    )


def _first_hidden(chain: Iterable[Found], modules: Mapping[str, Found | Module]) -> Found | None:
    return next((found for found in chain if _is_hidden(found, modules)), None)


def _is_hidden(found: Found, modules: Mapping[str, Found | Module]) -> bool:
    """Whether another file or folder has been taken for the module; of namespace packages all parts count."""
    taken = modules.get(found.name)
    if taken is None or taken.path == found.path:
        return False
    return not taken.kind is found.kind is ModuleKind.NAMESPACE


def _with_others(project: Project, beside: Sequence[Selection], followed: Sequence[Selection]) -> Project:
    """The project with the modules of these packages, save those that are modules of the target."""
    findings = Findings()
    holders: dict[Path, None] = {}
    for selection in (*beside, *followed):
        chain = find_chain(selection.name, selection.search_paths)
        if all(_first_hidden(chain, taken) is None for taken in (project.modules, findings.modules)):
            find_descendants(chain[-1], findings)
            for found in chain:
                findings.modules.setdefault(found.name, found)
            holders.update(dict.fromkeys(_roots(chain[0])))
    shown = {module.display_path for module in project.modules.values()}
    modules = dict(project.modules)
    elsewhere: dict[str, Path] = {}
    for name, found in findings.modules.items():
        if name not in modules:
            path = _followed_display_path(found.path, project, holders)
            if path in shown:
                path = found.path.as_posix()
            if project.root / path != found.path:
                elsewhere[path] = found.path
            modules[name] = Module(name, found.kind, found.is_package, found.path, path, is_followed=True)
    return replace(
        project,
        modules=dict(sorted(modules.items())),
        search_paths=tuple(dict.fromkeys((*project.search_paths, *holders))),
        followed=_outermost(selection.name for selection in followed if selection.name not in project.packages),
        files_elsewhere=elsewhere,
    )


def _followed_display_path(path: Path, project: Project, holders: Iterable[Path]) -> str:
    """Relative to the root, for a package that stands beside the target; else to the folder that holds it."""
    above = [folder for folder in holders if path.is_relative_to(folder)]
    holder = max(above, key=lambda folder: len(folder.parts), default=project.root)
    return _display_path(path, project.root if holder in project.search_paths else holder)


def _roots(top: Found) -> Iterator[Path]:
    if top.portions:
        yield from (portion.parent for portion in top.portions)
    else:
        yield top.path.parent


def _outermost(names: Iterable[str]) -> tuple[str, ...]:
    every = set(names)
    return tuple(
        sorted(name for name in every if not any(name != other and name.startswith(f"{other}.") for other in every))
    )


def _unreadable(
    findings: Findings, hidden: Iterable[Found], modules: Mapping[str, Module], root: Path
) -> tuple[Unreadable, ...]:
    reasons = {_display_path(trouble.path, root): trouble.reason for trouble in findings.troubles}
    for found in hidden:
        first = modules[found.name].display_path
        reasons[_display_path(found.path, root)] = f"{first} has the same name and comes first; scan them apart"
    for module in modules.values():
        if module.kind is ModuleKind.SOURCE and not os.access(module.path, os.R_OK):
            reasons.setdefault(module.display_path, "permission denied")
    return tuple(Unreadable(path, reason) for path, reason in sorted(reasons.items()))


def _display_path(path: Path, root: Path) -> str:
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return path.as_posix()
