"""What is measured: released crashes, and packages with their versions. The tables themselves are in ``cases.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

OLDEST_ANALYSED = (3, 10)
"""Crashes seen on an older Python are analysed as this one: the analyzer knows no older one, and each of the crashes
listed has a cause (statement order) that is the same on both."""


@dataclass(frozen=True, slots=True)
class Crash:
    """A release whose import failed because of a cycle, and the release that mended it."""

    package: str
    bad: str
    clean: str | None
    """The version without the crash; ``None`` where none was shown."""
    python: tuple[int, int]
    """The version with which the failure was seen."""
    entry: str
    error: str
    module: str
    """The half-loaded module that was asked, ..."""
    name: str
    """... for this name, ..."""
    asked_by: str
    """... by this module, ..."""
    line: int
    """... on this line."""
    kind: str
    condition: str | None = None
    """A word of the condition that the failure needs, where it needs one."""
    user_module: Mapping[str, str] = field(default_factory=dict)
    """A file of the user's that starts the chain: its name and its text."""

    @property
    def analysed_python(self) -> tuple[int, int]:
        return max(self.python, OLDEST_ANALYSED)

    @property
    def top_level(self) -> str:
        return self.entry.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Package:
    """A release of which every module is imported first by CPython."""

    package: str
    version: str
    imports: tuple[str, ...]
    """Import names that are measured together as one package."""


@dataclass(frozen=True, slots=True)
class Tables:
    """Both tables."""

    crashes: tuple[Crash, ...]
    packages: tuple[Package, ...]

    def only(self, names: frozenset[str]) -> Tables:
        """The rows of the packages named; all when none is named.

        Raises:
            ValueError: a name is in neither table.
        """
        if not names:
            return self
        known = {crash.package for crash in self.crashes} | {package.package for package in self.packages}
        if not names <= known:
            raise ValueError(f"not in the corpus: {', '.join(sorted(names - known))}")
        return Tables(
            tuple(crash for crash in self.crashes if crash.package in names),
            tuple(package for package in self.packages if package.package in names),
        )


def load_tables() -> Tables:
    """Read ``cases.json``."""
    content = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))
    return Tables(
        tuple(_crash(row) for row in content["crashes"]),
        tuple(Package(row["package"], row["version"], tuple(row["imports"])) for row in content["packages"]),
    )


def _crash(row: Mapping[str, Any]) -> Crash:
    major, minor = row["python"].split(".")
    return Crash(**{**row, "python": (int(major), int(minor))})
