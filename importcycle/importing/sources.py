"""The code of the target's modules: read, decoded and lowered once."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from importcycle.evaluate.core import AskedNames
from importcycle.ir import CodeShelf, ModuleCode, UnparsableError
from importcycle.project import SourceError
from importcycle.project.model import Module, ModuleKind, Project
from importcycle.values.model import Value


@dataclass(slots=True)
class Sources:
    """Gives the code of a module; remembers which files could not be lowered, and why."""

    project: Project
    shelf: CodeShelf = field(default_factory=CodeShelf)
    invalid: Mapping[str, str] = field(default_factory=dict)
    """Display paths of files that are known to be no valid Python, with the reason: the body of a function is looked at
    only when it is called, but an error in it makes the import of the module fail."""
    unparsable: dict[str, str] = field(default_factory=dict)
    """Display path to reason."""
    codes: dict[str, ModuleCode | None] = field(default_factory=dict)
    """The modules that were asked for."""
    results: dict[Hashable, Value] = field(default_factory=dict)
    """What costly functions of the target gave, for all interpreters that play it."""
    asked: AskedNames = field(default_factory=AskedNames)
    """What all interpreters asked of modules."""
    kept: list[object] = field(default_factory=list)
    """Interpreters whose work is done: to free one takes a tenth of the time that it ran, which a process that is about
    to end need not spend."""

    def code(self, module: Module) -> ModuleCode | None:
        """The code of a source module; None if there is none, or none that can be lowered."""
        if module.kind is not ModuleKind.SOURCE:
            return None
        if module.name not in self.codes:
            self.codes[module.name] = self._lowered(module)
        return self.codes[module.name]

    def _lowered(self, module: Module) -> ModuleCode | None:
        if module.display_path in self.invalid:
            self.unparsable[module.display_path] = self.invalid[module.display_path]
            return None
        try:
            return self.shelf.code(module)
        except (SourceError, UnparsableError) as error:
            self.unparsable[module.display_path] = str(error)
            return None
