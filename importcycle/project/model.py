"""What a scan is about: packages, their modules and the files that hold them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from importcycle.project.names import lies_in


class ModuleKind(Enum):
    """How a module comes to be, as CPython's path finder sees it."""

    SOURCE = "source"
    """A ``.py`` file, or a package with ``__init__.py``."""
    NAMESPACE = "namespace"
    """A folder without ``__init__``: PEP 420."""
    EXTENSION = "extension"
    """Compiled code: it can be imported, but what it binds is not known."""


@dataclass(frozen=True, slots=True)
class Module:
    """One importable module of the target, or of a followed package."""

    name: str
    kind: ModuleKind
    is_package: bool
    path: Path
    """The file; for a namespace package, the folder."""
    display_path: str
    """The path shown to users: relative to the target's root, with ``/``; see ``Project.file_of``."""
    is_followed: bool = False
    """It belongs to a package of others: it is looked into where the target imports it, and is no part of the target.
    """
    most_bytes: int | None = None
    """A larger file is left out; by default one of more than ``SOURCE_SIZE_LIMIT``."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that could not be taken in, and why."""

    display_path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Project:
    """The packages under analysis, those that are followed, and all their modules, by dotted name."""

    root: Path
    """The folder that display paths start from."""
    packages: tuple[str, ...]
    """Names of the target's outermost packages and modules, sorted; dotted when only a part was asked for."""
    modules: Mapping[str, Module]
    """By dotted name, sorted. The packages above a dotted target are among them, since importing it runs them."""
    python_version: tuple[int, int]
    platform: str = "linux"
    """A value of ``sys.platform``."""
    search_paths: tuple[Path, ...] = ()
    """Folders that hold the top-level packages, in the order of ``sys.path``."""
    unreadable: tuple[Unreadable, ...] = field(default=())
    assume: Mapping[str, bool] = field(default_factory=dict)
    """Values of tests that are known to the user, by the test's source text as ``canonical_test`` writes it."""
    followed: tuple[str, ...] = ()
    """Names of packages of others that are looked into where the target imports them, sorted."""
    files_elsewhere: Mapping[str, Path] = field(default_factory=dict)
    """Files whose display path does not start from the root, by display path."""

    def contains(self, name: str) -> bool:
        """Whether the dotted name is a module of the project, or lies in one of its packages or of those followed."""
        if name.partition(".")[0] in self.packages or name in self.modules:
            return True
        return any(name.startswith(f"{package}.") for package in (*self.packages, *self.followed))

    def is_followed(self, name: str) -> bool:
        """Whether the dotted name belongs to a followed package, and not to the target."""
        module = self.modules.get(name)
        if module is not None:
            return module.is_followed
        return any(lies_in(name, package) for package in self.followed) and not any(
            lies_in(name, package) for package in self.packages
        )

    def is_of_others(self, name: str) -> bool:
        """Whether the dotted name belongs to a package that the user has named to be followed."""
        return self.is_followed(name) and any(lies_in(name, package) for package in self.followed)

    def target_modules(self) -> list[str]:
        """The names of the target's own modules, sorted."""
        return [name for name, module in self.modules.items() if not module.is_followed]

    def closed_modules(self) -> list[str]:
        """The names of the target's modules that have no source, sorted: what they do is not known."""
        return [
            name
            for name, module in self.modules.items()
            if module.kind is ModuleKind.EXTENSION and not module.is_followed and module.path.suffix != ".py"
        ]

    def file_of(self, display_path: str) -> Path:
        """The file that a display path stands for."""
        return self.files_elsewhere.get(display_path, self.root / display_path)
