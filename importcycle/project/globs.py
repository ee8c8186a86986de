"""Patterns for files, as in ``.gitignore``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from importcycle.project.model import Project


class PathPatterns:
    """Patterns that users write for files of the target.

    A pattern may name a file as reports do (relative to the target's root) or relative to the folder of the
    configuration: ``src/shop/old/`` and ``shop/old/`` are the same for a package in ``src``.
    """

    def __init__(self, patterns: Iterable[str], folder: Path, project: Project) -> None:
        # Most projects have no patterns: they need not wait for this.
        from pathspec import GitIgnoreSpec

        self._patterns = GitIgnoreSpec.from_lines(list(patterns))
        self._folder = folder
        self._project = project

    def match(self, display_path: str) -> bool:
        """Whether a pattern fits the file shown by this path, or a folder that it lies in."""
        if self._patterns.match_file(display_path):
            return True
        beneath = os.path.relpath(self._project.file_of(display_path), self._folder)
        return not beneath.startswith(os.pardir) and self._patterns.match_file(beneath)
