"""Paths as other tools want them: relative to the repository, whatever part of it was scanned."""

from __future__ import annotations

import os
from pathlib import Path, PurePath
from urllib.parse import quote

from importcycle.project.model import Project
from importcycle.report.escaping import printable


def repository_folder(folder: Path) -> Path:
    """The nearest folder upwards that holds ``.git``; without one, the folder itself."""
    absolute = folder.absolute()
    return next((place for place in (absolute, *absolute.parents) if (place / ".git").exists()), absolute)


class SourceLocations:
    """The files of a project as seen from a folder, most often that of the repository."""

    def __init__(self, project: Project, base: Path) -> None:
        self._project = project
        self._base = base.absolute()
        self._known: dict[str, PurePath | None] = {}

    def relative(self, display_path: str) -> str | None:
        """The path below the base, with ``/`` and fit to be shown; ``None`` for a file outside of it."""
        path = self._below(display_path)
        return printable(path.as_posix()) if path is not None else None

    def shown(self, display_path: str) -> str:
        """The path below the base where there is one, else as in the other reports."""
        return self.relative(display_path) or printable(display_path)

    def uri(self, display_path: str) -> tuple[str, bool]:
        """The file's URI, and whether it is relative to the base."""
        path = self._below(display_path)
        if path is not None:
            # A colon in the first segment would make a scheme of it; names that are no text are kept byte by byte.
            return quote(os.fsencode(path.as_posix()), safe="/"), True
        return self._file(display_path).as_uri(), False

    def _below(self, display_path: str) -> PurePath | None:
        if display_path not in self._known:
            try:
                self._known[display_path] = self._file(display_path).relative_to(self._base)
            except ValueError:
                self._known[display_path] = None
        return self._known[display_path]

    def _file(self, display_path: str) -> Path:
        return self._project.file_of(display_path).absolute()
