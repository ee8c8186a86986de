"""From the words for targets to names and the folders in which these are looked for."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from importcycle.project.distributions import imported_names
from importcycle.project.environment import Environment
from importcycle.project.errors import SourceError, TargetError
from importcycle.project.finder import Findings, Found, find_descendants, find_module, is_package_folder, list_folder
from importcycle.project.model import ModuleKind
from importcycle.project.source import read_file

_INSTALLATION_FOLDERS = frozenset({"site-packages", "dist-packages"})
_SELF_IMPORT_SAMPLE = 300
"""Files looked into to learn whether a folder without ``__init__`` is imported under its own name."""


@dataclass(frozen=True, slots=True)
class Selection:
    """A part of the target, or a package beside it: a dotted name, and the folders its first part is looked for in."""

    name: str
    search_paths: tuple[Path, ...]
    whole: bool = True
    """Whether all that lies beneath it belongs to it."""


def resolve_target(
    target: str, folder: Path, environment: Environment, source_roots: Sequence[Path]
) -> list[Selection]:
    """What a target means: a name, a folder or a file, see ``discover``.

    Raises:
        TargetError: it is not to be found, or holds no Python.
    """
    if not target or "\0" in target:
        raise TargetError(f"{target!r} is no target: name a package, a folder or a file")
    own_paths = own_search_paths(folder, source_roots)
    parts = target.split(".")
    is_name = all(part.isidentifier() for part in parts)
    if is_name and _finds(target, own_paths):
        return [Selection(target, own_paths)]
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
        return [Selection(target, every_path)]
    raise TargetError(_not_found(target, is_name, every_path, environment))


def own_search_paths(folder: Path, source_roots: Sequence[Path]) -> tuple[Path, ...]:
    """Where names are looked for before the installed packages."""
    return (*source_roots, folder, folder / "src")


def _finds(name: str, search_paths: Sequence[Path], *, namespaces: bool = False) -> bool:
    """Whether the dotted name can be found; without ``namespaces``, only below a package with ``__init__``."""
    chain = find_chain(name, search_paths)
    if not chain:
        return False
    return namespaces or chain[0].kind is not ModuleKind.NAMESPACE or len(chain) > 1


def find_chain(name: str, search_paths: Sequence[Path]) -> list[Found]:
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


def _of_folder(path: Path) -> list[Selection]:
    if is_package_folder(path):
        return [_of_package_folder(path)]
    for root in path.parents:
        # A folder among installed packages has a name that is known, such as google/api_core.
        if root.name in _INSTALLATION_FOLDERS and (name := _name_beneath(path, root)) is not None:
            return [Selection(name, (root,))]
    holders = (path / "src", path)
    packages = [Selection(name, (holder,)) for holder in holders for name in _package_names(holder) if holder.is_dir()]
    if packages:
        return _as_namespace(path) or packages
    modules = [Selection(stem, (path,)) for stem in sorted(list_folder(path).files)]
    if modules:
        return _as_namespace(path) or modules + _namespaces(path)
    return _namespaces(path / "src") or _as_namespace(path) or _namespaces(path)


def _of_package_folder(path: Path) -> Selection:
    root = path
    parts: list[str] = []
    while is_package_folder(root) and root.parent != root:
        parts.insert(0, root.name)
        root = root.parent
    if not all(part.isidentifier() for part in parts):
        raise TargetError(f"{path} is no importable package: {'.'.join(parts)!r} is no dotted name; rename the folder")
    return Selection(".".join(parts), (root,))


def _of_file(path: Path) -> Selection:
    listing = list_folder(path.parent)
    stem = next((stem for stem, names in listing.files.items() if path.name in names), None)
    if stem is None:
        raise TargetError(
            f"{path.name} is no importable module: name a .py file whose name is an identifier, a folder or a package"
        )
    if not is_package_folder(path.parent):
        return Selection(stem, (path.parent,), whole=False)
    package = _of_package_folder(path.parent)
    name = package.name if stem == "__init__" else f"{package.name}.{stem}"
    return Selection(name, package.search_paths, whole=stem == "__init__")


def _package_names(folder: Path) -> list[str]:
    return [name for name in sorted(list_folder(folder).folders) if is_package_folder(folder / name)]


def _namespaces(folder: Path) -> list[Selection]:
    """Folders without ``__init__`` in which modules lie."""
    return [
        Selection(name, (folder,))
        for name in sorted(list_folder(folder).folders)
        if not is_package_folder(folder / name) and _descendants(name, (folder,)).modules
    ]


def _as_namespace(path: Path) -> list[Selection]:
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
    return [Selection(name, (path.parent,))] if named & children else []


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
    chain = find_chain(name, search_paths)
    if chain:
        find_descendants(chain[-1], findings)
    return findings


def surroundings(selection: Selection) -> list[Selection]:
    """What modules of the selection can import from beside it: the package that it is a part of, or a file's folder."""
    chain = find_chain(selection.name, selection.search_paths)
    package = next((found for found in chain if found.kind is not ModuleKind.NAMESPACE), chain[-1])
    if package is not chain[-1]:
        return [Selection(package.name, selection.search_paths)]
    folder = package.path.parent
    if selection.whole or folder.name in _INSTALLATION_FOLDERS:
        return []
    beside = {*list_folder(folder).files, *_package_names(folder)} - {package.name}
    return [Selection(name, (folder,)) for name in sorted(beside)]


def resolve_followed(name: str, search_paths: Sequence[Path]) -> Selection:
    """A package of others, whole: a module of it cannot be imported without the packages above it.

    Raises:
        TargetError: it is not to be found, or holds no Python.
    """
    if not all(part.isidentifier() for part in name.split(".")):
        if imported := imported_names(name, search_paths):
            raise TargetError(_imported_as(name, imported))
        raise TargetError(f"cannot follow {name!r}: give the name by which the package is imported, such as sqlalchemy")
    chain = find_chain(name, search_paths)
    if not chain:
        raise TargetError(_not_followed(name, search_paths))
    selected = next((found for found in chain if found.kind is not ModuleKind.NAMESPACE), chain[-1]).name
    if not _descendants(selected, search_paths).modules:
        raise TargetError(f"cannot follow {name!r}: {chain[-1].path} holds no Python module")
    return Selection(selected, tuple(search_paths))


def _not_followed(name: str, search_paths: Sequence[Path]) -> str:
    top = name.partition(".")[0]
    neighbours = {stem for place in search_paths for stem in list_folder(place).stems() if not stem.startswith("_")}
    near = [] if top in neighbours else difflib.get_close_matches(top, sorted(neighbours), 3)
    places = ", ".join(dict.fromkeys(str(place) for place in search_paths if place.is_dir()))
    if imported := imported_names(name, search_paths):
        return _imported_as(name, imported)
    text = f"no package {name!r} to follow in {places}"
    if near:
        return f"{text}; did you mean {' or '.join(near)}?"
    advice = "give the name by which it is imported, install it, or name the interpreter that has it with --python"
    return f"{text}: {advice}"


def _not_found(target: str, is_name: bool, search_paths: Sequence[Path], environment: Environment) -> str:
    if imported := imported_names(target, search_paths):
        return _imported_as(target, imported)
    if not is_name:
        return f"{target} is neither a file nor a folder nor the name of a package: check the path"
    parent, _, last = target.rpartition(".")
    chain = find_chain(parent, search_paths) if parent else []
    if parent and not chain:
        return _not_found(parent, is_name, search_paths, environment)
    places = chain[-1].portions if chain else search_paths
    neighbours = {stem for place in places for stem in list_folder(place).stems() if not stem.startswith("__")}
    near = difflib.get_close_matches(last, sorted(neighbours), 3)
    where = f"in {parent}" if parent else "in the working directory, its src or the installed packages"
    text = f"no package or module {target!r} {where}"
    if near:
        return f"{text}; did you mean {' or '.join(f'{parent}.{name}' if parent else name for name in near)}?"
    return f"{text}: install it, name its folder, or name the interpreter that has it with --python"


def _imported_as(distribution: str, names: Sequence[str]) -> str:
    return f"{distribution} is the name of a distribution, which is imported as {' or '.join(names)}: name that"
