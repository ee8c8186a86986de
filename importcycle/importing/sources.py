"""The code of the target's modules: read, decoded and lowered once."""

from __future__ import annotations

from dataclasses import dataclass, field

from importcycle.ir import ModuleCode, UnparsableError, lower_module
from importcycle.project import SourceError, decode_source, read_source
from importcycle.project.model import Module, ModuleKind, Project


@dataclass(slots=True)
class Sources:
    """Gives the code of a module; remembers which files could not be lowered, and why."""

    project: Project
    unparsable: dict[str, str] = field(default_factory=dict)
    """Display path to reason."""
    _codes: dict[str, ModuleCode | None] = field(default_factory=dict)

    def code(self, module: Module) -> ModuleCode | None:
        """The code of a source module; None if there is none, or none that can be lowered."""
        if module.kind is not ModuleKind.SOURCE:
            return None
        if module.name not in self._codes:
            self._codes[module.name] = self._lowered(module)
        return self._codes[module.name]

    def _lowered(self, module: Module) -> ModuleCode | None:
        try:
            return lower_module(module.name, module.display_path, decode_source(read_source(module)))
        except (SourceError, UnparsableError) as error:
            self.unparsable[module.display_path] = str(error)
            return None
