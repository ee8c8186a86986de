"""What the generator gives: a tree of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.judge.tree import write_tree


@dataclass(frozen=True, slots=True)
class GeneratedPackage:
    """Files by relative path, and the environment variables that they ask about."""

    files: Mapping[str, str]
    variables: Mapping[str, Sequence[str | None]]
    """Values to try for each variable; ``None``: unset."""
    scripts: tuple[str, ...] = ()
    """Files that are run as ``__main__`` too."""

    def save(self, folder: Path) -> None:
        """Write the files below the folder, for instance to keep a failing example."""
        write_tree(folder, self.files)

    def __str__(self) -> str:
        """The package as text that one can keep: each file behind its path."""
        values = "".join(f"# {name}: {list(tried)}\n" for name, tried in self.variables.items())
        values += "".join(f"# script: {script}\n" for script in self.scripts)
        return values + "".join(f"## {path}\n{text}" for path, text in sorted(self.files.items()))
