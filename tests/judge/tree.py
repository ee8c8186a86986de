"""Trees of modules on disk, seen as CPython's path finder sees them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from importcycle.project.model import Module, ModuleKind, Project


def modules_of(root: Path) -> dict[str, Module]:
    """Every module below a folder that stands on the path, by dotted name."""
    return {module.name: module for module in _below(root, root, "")}


def project_of(root: Path, python_version: tuple[int, int]) -> Project:
    """The tree as the analyzer takes it."""
    modules = modules_of(root)
    packages = tuple(sorted({name.partition(".")[0] for name in modules}))
    return Project(root, packages, modules, python_version, platform=sys.platform, search_paths=(root,))


def name_of_script(path: str) -> str:
    """The dotted name under which the analyzer knows a script of the tree."""
    return path.removesuffix(".py").replace("/", ".")


def write_tree(root: Path, files: Mapping[str, str]) -> None:
    """Write a tree of files, given by relative path."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _below(root: Path, folder: Path, package: str) -> Iterator[Module]:
    for path in sorted(folder.iterdir()):
        name = f"{package}.{path.stem}" if package else path.stem
        if path.is_dir() and path.name.isidentifier() and any(path.rglob("*.py")):
            initial = path / "__init__.py"
            file, kind = (initial, ModuleKind.SOURCE) if initial.exists() else (path, ModuleKind.NAMESPACE)
            yield Module(name, kind, True, file, file.relative_to(root).as_posix())
            yield from _below(root, path, name)
        # A package wins over a module file of the same name.
        elif path.suffix == ".py" and path.name != "__init__.py" and not (folder / path.stem / "__init__.py").exists():
            yield Module(name, ModuleKind.SOURCE, False, path, path.relative_to(root).as_posix())
