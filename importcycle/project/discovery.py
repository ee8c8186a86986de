"""From targets to a project: which modules there are, and which files hold them."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from importcycle.project.environment import Environment, environment_of, running_environment
from importcycle.project.errors import SourceError, TargetError
from importcycle.project.finder import (
    Findings,
    Found,
    find_descendants,
    find_module,
    is_package_folder,
    list_folder,
)
from importcycle.project.model import Module, ModuleKind, Project, Unreadable
from importcycle.project.source import read_file

_INSTALLATION_FOLDERS = frozenset({"site-packages", "dist-packages"})
_SELF_IMPORT_SAMPLE = 300
"""Files looked into to learn whether a folder without ``__init__`` is imported under its own name."""


@dataclass(frozen=True, slots=True)
class _Selection:
    """A part of the target: a dotted name and the folders in which its first part is looked for."""

    name: str
    search_paths: tuple[Path, ...]
    whole: bool = True
    """Whether all that lies beneath it belongs to the target."""


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
    selections: dict[tuple[str, bool], _Selection] = {}
    for target in targets:
        for selection in _resolve(target, folder, environment, source_roots):
            selections.setdefault((selection.name, selection.whole), selection)
    project = _project(list(selections.values()), environment, python_version, platform)
    if not follow:
        return project
    every_path = (*_own_paths(folder, source_roots), *environment.search_paths)
    return _with_followed(project, [_followed(name, every_path) for name in dict.fromkeys(follow)])


def _resolve(target: str, folder: Path, environment: Environment, source_roots: Sequence[Path]) -> list[_Selection]:
    if not target or "\0" in target:
        raise TargetError(f"{target!r} is no target: name a package, a folder or a file")
    own_paths = _own_paths(folder, source_roots)
    parts = target.split(".")
    is_name = all(part.isidentifier() for part in parts)
    if is_name and _finds(target, own_paths):
        return [_Selection(target, own_paths)]
    path = Path(os.path.abspath(folder / os.path.expanduser(target)))
    if path.is_dir():
        selections = _of_folder(path)
        if selections:
            return selections
        if not is_name:
            raise TargetError(f"{target} holds no Python module: name a folder that does, or a package")
    elif path.is_file():
        return [_of_file(path)]
    every_path = (*own_paths, *environment.search_paths)
    if is_name and _finds(target, every_path, namespaces=True):
        return [_Selection(target, every_path)]
    raise TargetError(_not_found(target, is_name, every_path, environment))


def _own_paths(folder: Path, source_roots: Sequence[Path]) -> tuple[Path, ...]:
    return (*source_roots, folder, folder / "src")


def _finds(name: str, search_paths: Sequence[Path], *, namespaces: bool = False) -> bool:
    """Whether the dotted name can be found; without ``namespaces``, only below a package with ``__init__``."""
    chain = _chain(name, search_paths)
    if not chain:
        return False
    return namespaces or chain[0].kind is not ModuleKind.NAMESPACE or len(chain) > 1


def _chain(name: str, search_paths: Sequence[Path]) -> list[Found]:
    """The packages that lead to a dotted name, and itself; empty when one is missing."""
    chain: list[Found] = []
    prefix = ""
    for part in name.split("."):
        found = find_module(part, search_paths)
        if found is None:
            return []
        prefix = f"{prefix}.{part}" if prefix else part
        chain.append(Found(prefix, found.kind, found.is_package, found.path, found.portions))
        search_paths = found.portions
    return chain


def _of_folder(path: Path) -> list[_Selection]:
    if is_package_folder(path):
        return [_of_package_folder(path)]
    for root in path.parents:
        # A folder among installed packages has a name that is known, such as google/api_core.
        if root.name in _INSTALLATION_FOLDERS and (name := _name_beneath(path, root)) is not None:
            return [_Selection(name, (root,))]
    holders = (path / "src", path)
    packages = [_Selection(name, (holder,)) for holder in holders for name in _package_names(holder) if holder.is_dir()]
    if packages:
        return _as_namespace(path) or packages
    modules = [_Selection(stem, (path,)) for stem in sorted(list_folder(path).files)]
    if modules:
        return _as_namespace(path) or modules + _namespaces(path)
    return _namespaces(path / "src") or _as_namespace(path) or _namespaces(path)


def _of_package_folder(path: Path) -> _Selection:
    root = path
    parts: list[str] = []
    while is_package_folder(root) and root.parent != root:
        parts.insert(0, root.name)
        root = root.parent
    if not all(part.isidentifier() for part in parts):
        raise TargetError(f"{path} is no importable package: {'.'.join(parts)!r} is no dotted name; rename the folder")
    return _Selection(".".join(parts), (root,))


def _of_file(path: Path) -> _Selection:
    listing = list_folder(path.parent)
    stem = next((stem for stem, names in listing.files.items() if path.name in names), None)
    if stem is None:
        raise TargetError(
            f"{path.name} is no importable module: name a .py file whose name is an identifier, a folder or a package"
        )
    if not is_package_folder(path.parent):
        return _Selection(stem, (path.parent,), whole=False)
    package = _of_package_folder(path.parent)
    name = package.name if stem == "__init__" else f"{package.name}.{stem}"
    return _Selection(name, package.search_paths, whole=stem == "__init__")


def _package_names(folder: Path) -> list[str]:
    return [name for name in sorted(list_folder(folder).folders) if is_package_folder(folder / name)]


def _namespaces(folder: Path) -> list[_Selection]:
    """Folders without ``__init__`` in which modules lie."""
    return [
        _Selection(name, (folder,))
        for name in sorted(list_folder(folder).folders)
        if not is_package_folder(folder / name) and _descendants(name, (folder,)).modules
    ]


def _as_namespace(path: Path) -> list[_Selection]:
    """The folder as a namespace package, when its modules import one another by its name; else nothing."""
    name = path.name
    children = set(list_folder(path).stems())
    # A folder that holds a package of its own name is a repository, and its imports mean that package.
    if not name.isidentifier() or name in children or name in list_folder(path / "src").folders:
        return []
    imported = rb"(?:(?:from|import)[ \t]+%b\.|from[ \t]+%b[ \t]+import[ \t]+\(?\s*)(\w+)"
    pattern = re.compile(rb"^[ \t]*" + imported % (name.encode(), name.encode()), re.MULTILINE)
    found = _descendants(name, (path.parent,)).modules
    files = [module.path for module in found.values() if module.kind is ModuleKind.SOURCE][:_SELF_IMPORT_SAMPLE]
    named = {match.decode("utf-8", "replace") for file in files for match in _matches(file, pattern)}
    return [_Selection(name, (path.parent,))] if named & children else []


def _matches(file: Path, pattern: re.Pattern[bytes]) -> list[bytes]:
    try:
        return pattern.findall(read_file(file))
    except SourceError:
        return []


def _name_beneath(path: Path, root: Path) -> str | None:
    parts = path.relative_to(root).parts
    if not all(part.isidentifier() for part in parts):
        return None
    name = ".".join(parts)
    return name if _descendants(name, (root,)).modules else None


def _descendants(name: str, search_paths: Sequence[Path]) -> Findings:
    findings = Findings()
    chain = _chain(name, search_paths)
    if chain:
        find_descendants(chain[-1], findings)
    return findings


def _project(
    selections: Sequence[_Selection],
    environment: Environment,
    python_version: tuple[int, int] | None,
    platform: str | None,
) -> Project:
    findings = Findings()
    roots: dict[Path, None] = {}
    for selection in selections:
        chain = _chain(selection.name, selection.search_paths)
        if selection.whole:
            find_descendants(chain[-1], findings)
        # Importing the target imports the packages above it, so they are modules of the project as well.
        for found in chain if chain[-1].name in findings.modules or not selection.whole else []:
            findings.modules.setdefault(found.name, found)
        for root in _roots(chain[0]):
            roots.setdefault(root)
    if not findings.modules:
        names = ", ".join(selection.name for selection in selections)
        raise TargetError(f"{names} holds no Python module: name a package, a folder or a file that does")
    root = Path(os.path.commonpath([str(path) for path in roots]))
    modules = {
        name: Module(name, found.kind, found.is_package, found.path, _display_path(found.path, root))
        for name, found in sorted(findings.modules.items())
    }
    return Project(
        root=root,
        packages=_outermost(selection.name for selection in selections),
        modules=modules,
        python_version=python_version or environment.python_version,
        platform=platform or environment.platform,
        search_paths=tuple(roots),
        unreadable=_unreadable(findings, modules, root),
    )


def _followed(name: str, search_paths: Sequence[Path]) -> _Selection:
    """A package of others, whole: a module of it cannot be imported without the packages above it."""
    if not all(part.isidentifier() for part in name.split(".")):
        raise TargetError(f"cannot follow {name!r}: give the name by which the package is imported, such as sqlalchemy")
    chain = _chain(name, search_paths)
    if not chain:
        raise TargetError(_not_followed(name, search_paths))
    selected = next((found for found in chain if found.kind is not ModuleKind.NAMESPACE), chain[-1]).name
    if not _descendants(selected, search_paths).modules:
        raise TargetError(f"cannot follow {name!r}: {chain[-1].path} holds no Python module")
    return _Selection(selected, tuple(search_paths))


def _not_followed(name: str, search_paths: Sequence[Path]) -> str:
    top = name.partition(".")[0]
    neighbours = {stem for place in search_paths for stem in list_folder(place).stems() if not stem.startswith("_")}
    near = [] if top in neighbours else difflib.get_close_matches(top, sorted(neighbours), 3)
    places = ", ".join(dict.fromkeys(str(place) for place in search_paths if place.is_dir()))
    text = f"no package {name!r} to follow in {places}"
    if near:
        return f"{text}; did you mean {' or '.join(near)}?"
    return f"{text}: give the name by which it is imported, install it, or name the interpreter that has it"


def _with_followed(project: Project, selections: Sequence[_Selection]) -> Project:
    """The project with the modules of these packages, save those that are modules of the target."""
    findings = Findings()
    holders: dict[Path, None] = {}
    for selection in selections:
        chain = _chain(selection.name, selection.search_paths)
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
        followed=_outermost(selection.name for selection in selections if selection.name not in project.packages),
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


def _unreadable(findings: Findings, modules: Mapping[str, Module], root: Path) -> tuple[Unreadable, ...]:
    reasons = {_display_path(trouble.path, root): trouble.reason for trouble in findings.troubles}
    for module in modules.values():
        if module.kind is ModuleKind.SOURCE and not os.access(module.path, os.R_OK):
            reasons.setdefault(module.display_path, "permission denied")
    return tuple(Unreadable(path, reason) for path, reason in sorted(reasons.items()))


def _display_path(path: Path, root: Path) -> str:
    try:
        return path.relative_to(root).as_posix()
    except ValueError:
        return path.as_posix()


def _not_found(target: str, is_name: bool, search_paths: Sequence[Path], environment: Environment) -> str:
    if not is_name:
        return f"{target} is neither a file nor a folder nor the name of a package: check the path"
    parent, _, last = target.rpartition(".")
    chain = _chain(parent, search_paths) if parent else []
    if parent and not chain:
        return _not_found(parent, is_name, search_paths, environment)
    places = chain[-1].portions if chain else search_paths
    neighbours = {stem for place in places for stem in list_folder(place).stems() if not stem.startswith("__")}
    near = difflib.get_close_matches(last, sorted(neighbours), 3)
    where = f"in {parent}" if parent else "in the working directory, its src or the installed packages"
    text = f"no package or module {target!r} {where}"
    if near:
        return f"{text}; did you mean {' or '.join(f'{parent}.{name}' if parent else name for name in near)}?"
    return f"{text}: install it, name its folder, or name the interpreter that has it"
