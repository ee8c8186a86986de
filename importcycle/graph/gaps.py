"""Imports that Grimp passes over: of modules that it was not shown, and of modules that do not exist.

The latter matter because the import of a missing module still initialises the packages above it, before it fails.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from importcycle.project.model import Module, ModuleKind, Project
from importcycle.project.names import absolute_name

_RELATIVE_IMPORT = re.compile(r"from[ \t]+(\.+)[ \t]*([\w.]*)")
_IMPORT_LINE = re.compile(r"[ \t\f]*(?:lazy[ \t]+)?(?:from|import)\b")


class GrimpGaps:
    """Tells for which files Grimp's answer may be incomplete, by a quick look at the text."""

    def __init__(self, project: Project, shown: Collection[str]) -> None:
        self._modules = project.modules
        hidden = {
            name.rpartition(".")[2]
            for name, module in project.modules.items()
            if name not in shown and module.kind is not ModuleKind.NAMESPACE
        }
        self._hidden = re.compile(rf"\b(?:{'|'.join(sorted(hidden))})\b") if hidden else None
        # A pattern for each package of its own, since one that begins with literal text is searched for very fast.
        tops = sorted({name.partition(".")[0] for name in shown})
        self._absolute = [re.compile(rf"{top}\.[\w.]+") for top in tops]

    def __call__(self, module: Module, text: str) -> bool:
        """Whether the module may import what Grimp passes over."""
        if self._hidden is not None and self._hidden.search(text):
            return True
        return any(self._is_missing(module, match) for match in _RELATIVE_IMPORT.finditer(text)) or any(
            match.group() not in self._modules and self._is_imported(text, match)
            for pattern in self._absolute
            for match in pattern.finditer(text)
        )

    def _is_missing(self, module: Module, match: re.Match[str]) -> bool:
        name = absolute_name(module.name, module.is_package, len(match[1]), match[2])
        return bool(name) and name not in self._modules

    def _is_imported(self, text: str, match: re.Match[str]) -> bool:
        line_start = text.rfind("\n", 0, match.start()) + 1
        return _IMPORT_LINE.match(text, line_start, match.start()) is not None
