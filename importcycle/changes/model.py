"""Changed files and lines, as they are found in the present files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class FileChange:
    """What has changed in one file."""

    whole: bool = False
    """The file is new, or what has changed in it is not known."""
    lines: tuple[range, ...] = ()
    """Lines that were added or changed."""
    gaps: tuple[int, ...] = ()
    """Lines after which lines are gone; 0 for the beginning of the file."""
    lost_statements: bool = False
    """Whether statements at module level are gone, with nothing in their place."""

    def touches(self, lines: range) -> bool:
        """Whether any of the lines, which follow one another, was changed, or lines between them are gone."""
        if self.whole:
            return True
        changed = any(part.start < lines.stop and lines.start < part.stop for part in self.lines)
        return changed or any(lines.start <= gap < lines.stop - 1 for gap in self.gaps)


@dataclass(frozen=True, slots=True)
class Changes:
    """All that has changed, by real paths."""

    files: Mapping[str, FileChange]
    poorer_folders: frozenset[str] = frozenset()
    """Folders in which a file is gone."""

    def of(self, path: Path) -> FileChange | None:
        """The change of a file, if it has any."""
        return self.files.get(os.path.realpath(path)) if self.files else None

    def has_removed_from(self, folder: Path) -> bool:
        """Whether a file that lay in the folder is gone."""
        return os.path.realpath(folder) in self.poorer_folders
