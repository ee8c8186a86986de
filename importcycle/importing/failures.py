"""From misses to failures: what happened, where the name would have been bound, and whether it exists at all."""

from __future__ import annotations

import difflib

from importcycle.evaluate.frames import FrameKind, Guard
from importcycle.evaluate.signals import Miss
from importcycle.importing.outcomes import Failure, FailureKind, Site
from importcycle.importing.recording import condition_of, site_of, steps_of
from importcycle.importing.sources import Sources
from importcycle.importing.system import SimulatedImports
from importcycle.project.model import Project


class FailureMaker:
    """Makes failures of one project."""

    def __init__(self, project: Project, sources: Sources, imports: SimulatedImports) -> None:
        self._project = project
        self._sources = sources
        self._imports = imports

    def make(
        self,
        kind: FailureKind,
        entry: str,
        miss: Miss,
        conditions: tuple[Guard, ...],
        is_certain: bool,
        *,
        handler: Site | None = None,
        final_error: str | None = None,
        script: bool = False,
    ) -> Failure:
        """The failure that a miss is, seen from an entry."""
        last = miss.stack[-1]
        suggestion = None
        site = site_of(last.frame, last.line, miss.column)
        if kind is FailureKind.SHADOWED:
            site = Site(miss.module, self._project.modules[miss.module].display_path, 1)
        if kind is FailureKind.CRASH and not miss.is_star and not self.may_exist(miss.module, miss.name):
            kind = FailureKind.MISSING
            suggestion = self._nearest(miss.module, miss.name)
        return Failure(
            kind,
            entry,
            miss.error_type,
            miss.module,
            miss.name,
            site,
            self._bound_at(miss),
            steps_of(miss),
            _cycle(miss),
            tuple(condition_of(guard) for guard in conditions),
            is_certain,
            not any(stack_entry.is_inferred for stack_entry in miss.stack),
            handler,
            self._reached(miss),
            final_error if final_error != miss.error_type else None,
            suggestion,
            script,
            miss.is_left_over,
        )

    def may_exist(self, module_name: str, name: str) -> bool:
        """Whether any order of imports can bind the name."""
        if f"{module_name}.{name}" in self._project.modules or module_name == "__main__":
            return True
        module = self._project.modules.get(module_name)
        code = self._sources.code(module) if module is not None else None
        if code is None or code.has_open_names or "__getattr__" in code.bound_lines:
            return True
        return name in self._imports.names.of(module_name) or self._imports.names.has_open_star(module_name)

    def _nearest(self, module_name: str, name: str) -> str | None:
        names = self._imports.names.of(module_name)
        names |= {each.rpartition(".")[2] for each, _ in self._imports.submodules(module_name)}
        return next(iter(difflib.get_close_matches(name, sorted(names), 1)), None)

    def _bound_at(self, miss: Miss) -> Site | None:
        module = self._project.modules.get(miss.source or miss.module)
        if module is None:
            return None
        line = self._imports.names.bound_line(module, miss.name.partition(",")[0])
        return None if line is None else Site(module.name, module.display_path, line)

    def _reached(self, miss: Miss) -> Site | None:
        module = self._project.modules.get(miss.source or miss.module)
        return Site(module.name, module.display_path, miss.reached) if module is not None and miss.reached else None


def _cycle(miss: Miss) -> tuple[str, ...]:
    """The modules from the half-loaded one to the one that asked."""
    names = [entry.frame.module.name for entry in miss.stack]
    starts = [
        index
        for index, entry in enumerate(miss.stack)
        if entry.frame.kind is FrameKind.MODULE and entry.frame.module.name == (miss.source or miss.module)
    ]
    return tuple(dict.fromkeys(names[starts[0] if starts else 0 :]))
