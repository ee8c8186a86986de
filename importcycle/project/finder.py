"""Modules on the file system, found as CPython's path finder finds them, without importing anything."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from importcycle.project.model import ModuleKind
from importcycle.project.source import reason_of

_EXTENSION_SUFFIX = re.compile(r"(?:\.[\w-]+)?\.(?:so|pyd)\Z", re.ASCII)
_SOURCE_SUFFIX = ".py"
_BYTECODE_SUFFIX = ".pyc"
_INITIALISER = "__init__"
_SAME_FOLDER_LIMIT = 2
"""How often one real folder is taken under different names: symbolic links that cross could else multiply for ever."""


@dataclass(frozen=True, slots=True)
class Found:
    """A module and the file that holds it; for a namespace package, the folders."""

    name: str
    kind: ModuleKind
    is_package: bool
    path: Path
    portions: tuple[Path, ...] = ()
    """For a package, the folders in which its submodules are looked for."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A file or folder that could not be taken in."""

    path: Path
    reason: str


@dataclass(slots=True)
class Findings:
    """The modules found so far, by dotted name, and what was in the way."""

    modules: dict[str, Found] = field(default_factory=dict)
    troubles: list[Trouble] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Listing:
    """The entries of a folder that can matter to the import system."""

    folders: frozenset[str]
    files: Mapping[str, tuple[str, ...]]
    """Module name to the files that could hold it."""
    troubles: tuple[Trouble, ...] = ()

    def file_of(self, stem: str) -> tuple[str, ModuleKind] | None:
        """The file that holds the module: a source, else compiled code, else bytecode.

        CPython takes compiled code before a source. But where both lie side by side, one was made from the other (by
        mypyc or Cython), and does the same imports in the same order; the source can be read.
        """
        names = self.files.get(stem, ())
        if not names:
            return None
        name = min(names, key=lambda name: (_precedence(name), name))
        return name, ModuleKind.SOURCE if name.endswith(_SOURCE_SUFFIX) else ModuleKind.EXTENSION

    def stems(self) -> list[str]:
        """Names that a module or package in this folder can have, sorted."""
        return sorted(self.folders.union(self.files))


def find_module(name: str, search_paths: Sequence[Path]) -> Found | None:
    """The module or package of this last name in the search paths, as ``PathFinder`` would choose it.

    ``None`` when there is none; a folder without ``__init__`` counts only when no path has anything better.
    """
    portions: list[Path] = []
    for folder in search_paths:
        listing = list_folder(folder)
        found = _regular(name, name, folder, listing)
        if found is not None:
            return found
        if name in listing.folders:
            portions.append(folder / name)
    return _namespace(name, tuple(portions)) if portions else None


def find_descendants(top: Found, findings: Findings) -> None:
    """Add the module and all that lies beneath it to the findings.

    A folder without ``__init__`` is taken when a module lies somewhere beneath it.
    """
    kept: set[str] = set()
    visits: dict[str, int] = {}
    pending: list[tuple[Found, frozenset[str]]] = [(top, frozenset())]
    while pending:
        found, above = pending.pop()
        findings.modules.setdefault(found.name, found)
        if found.kind is not ModuleKind.NAMESPACE:
            kept.add(found.name)
        portions = []
        real_paths = set(above)
        for portion in found.portions:
            real_path = os.path.realpath(portion)
            visits[real_path] = visits.get(real_path, 0) + 1
            # A folder above itself is a link that goes round in circles.
            if real_path not in above and visits[real_path] <= _SAME_FOLDER_LIMIT:
                portions.append(portion)
                real_paths.add(real_path)
        pending.extend((child, frozenset(real_paths)) for child in _children(found.name, portions, findings))
    _drop_empty_namespaces(findings, top.name, kept)


def list_folder(folder: Path) -> Listing:
    """What a folder holds; empty, with the reason, when it cannot be read. Nothing is opened but the folder."""
    folders: set[str] = set()
    files: dict[str, list[str]] = {}
    troubles: list[Trouble] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                _sort_entry(entry, folders, files, troubles)
    except NotADirectoryError:
        pass
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        troubles.append(Trouble(folder, f"folder cannot be read: {reason_of(error)}"))
    return Listing(
        frozenset(folders),
        {stem: tuple(names) for stem, names in files.items()},
        tuple(sorted(troubles, key=lambda trouble: str(trouble.path))),
    )


def is_package_folder(folder: Path) -> bool:
    """Whether the folder has an ``__init__`` that makes it a regular package."""
    return list_folder(folder).file_of(_INITIALISER) is not None


def _sort_entry(
    entry: os.DirEntry[str], folders: set[str], files: dict[str, list[str]], troubles: list[Trouble]
) -> None:
    name = entry.name
    stem = _module_stem(name)
    is_code = stem != name and stem.isidentifier()
    if not is_code and (not name.isidentifier() or name == "__pycache__"):
        return
    try:
        if entry.is_dir():
            if name.isidentifier():
                folders.add(name)
        elif is_code and entry.is_file():
            files.setdefault(stem, []).append(name)
        elif name.endswith(_SOURCE_SUFFIX):
            reason = "broken symbolic link" if entry.is_symlink() else "not a regular file"
            troubles.append(Trouble(Path(entry.path), reason))
    except OSError as error:
        if is_code:
            troubles.append(Trouble(Path(entry.path), reason_of(error)))


def _precedence(file_name: str) -> int:
    if file_name.endswith(_BYTECODE_SUFFIX):
        return 2
    return 0 if file_name.endswith(_SOURCE_SUFFIX) else 1


def _module_stem(name: str) -> str:
    for suffix in (_SOURCE_SUFFIX, _BYTECODE_SUFFIX):
        if name.endswith(suffix):
            return name[: -len(suffix)]
    match = _EXTENSION_SUFFIX.search(name)
    return name[: match.start()] if match else name


def _children(parent: str, portions: Sequence[Path], findings: Findings) -> Iterator[Found]:
    """The modules directly beneath a package, over all its folders, the first regular one of a name winning."""
    chosen: dict[str, Found] = {}
    namespaces: dict[str, list[Path]] = {}
    for folder in portions:
        listing = list_folder(folder)
        findings.troubles.extend(listing.troubles)
        for stem in listing.stems():
            if stem == _INITIALISER or stem in chosen:
                continue
            found = _regular(stem, f"{parent}.{stem}", folder, listing)
            if found is not None:
                chosen[stem] = found
            elif stem in listing.folders:
                namespaces.setdefault(stem, []).append(folder / stem)
    for stem, folders in namespaces.items():
        chosen.setdefault(stem, _namespace(f"{parent}.{stem}", tuple(folders)))
    return iter(chosen.values())


def _regular(stem: str, name: str, folder: Path, listing: Listing) -> Found | None:
    if stem in listing.folders:
        initialiser = list_folder(folder / stem).file_of(_INITIALISER)
        if initialiser is not None:
            file_name, kind = initialiser
            return Found(name, kind, True, folder / stem / file_name, (folder / stem,))
    held = listing.file_of(stem)
    return Found(name, held[1], False, folder / held[0]) if held is not None else None


def _namespace(name: str, portions: tuple[Path, ...]) -> Found:
    return Found(name, ModuleKind.NAMESPACE, True, portions[0], portions)


def _drop_empty_namespaces(findings: Findings, top: str, kept: set[str]) -> None:
    needed = set(kept)
    for name in kept:
        while (name := name.rpartition(".")[0]) and name not in needed:
            needed.add(name)
    beneath = f"{top}."
    for name in list(findings.modules):
        if (name == top or name.startswith(beneath)) and name not in needed:
            del findings.modules[name]
