"""Which findings a change touches.

A finding is touched when a change lies in
- a function or a statement at module level that its trace passes through, or whose test it depends on,
- the module-level code of the half-loaded module, or the files of a package that lacks a submodule, for they decide
  which names there are,
or when statements are gone from the module level of a file on its trace, or of a package above those files: what is
gone can no longer be on the trace.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from importcycle.changes.model import Changes, FileChange
from importcycle.changes.shape import Shape, read_shape
from importcycle.findings import Finding, Report, Severity
from importcycle.importing.outcomes import Site
from importcycle.project.model import Module, ModuleKind, Project


def only_touched(report: Report, changes: Changes) -> Report:
    """The report without the findings that no change touches."""
    touching = _Touching(report.project, changes)
    findings = tuple(finding for finding in report.findings if touching.concerns(finding))
    summary = {severity: sum(finding.severity is severity for finding in findings) for severity in Severity}
    return replace(report, findings=findings, summary=summary)


class _Touching:
    """The changes, seen from a project; each file is parsed once."""

    def __init__(self, project: Project, changes: Changes) -> None:
        self._project = project
        self._changes = changes
        self._found: dict[str, FileChange | None] = {}
        self._shapes: dict[str, Shape | None] = {}

    def concerns(self, finding: Finding) -> bool:
        """Whether a change touches the finding."""
        places = list(_places(finding))
        return (
            any(self._is_touched(path, line) for path, line in places)
            or self._has_other_names(finding)
            or any(self._has_lost(path) for path in {path for path, _ in places} | self._packages_above(finding))
        )

    def _is_touched(self, path: str, line: int) -> bool:
        change = self._change(path)
        if change is None:
            return False
        shape = self._shape(path)
        return shape is None or change.touches(shape.extent(line))

    def _has_other_names(self, finding: Finding) -> bool:
        module = self._asked(finding)
        if module is None:
            return False
        folder = module.path if module.kind is ModuleKind.NAMESPACE else module.path.parent
        if module.is_package and self._changes.has_removed_from(folder):
            return True
        change = self._change(module.display_path)
        if change is None:
            return False
        shape = self._shape(module.display_path)
        if shape is None or change.whole:
            return True
        changed = [line for lines in change.lines for line in lines]
        return not all(shape.is_in_function(line) for line in [*changed, *change.gaps])

    def _asked(self, finding: Finding) -> Module | None:
        """The module that lacks the name; where there is no such module, the package that lacks it."""
        name = finding.error.module if finding.error is not None else ""
        while name and name not in self._project.modules:
            name = name.rpartition(".")[0]
        return self._project.modules.get(name)

    def _has_lost(self, path: str) -> bool:
        change = self._change(path)
        return change is not None and (change.lost_statements or change.whole)

    def _packages_above(self, finding: Finding) -> set[str]:
        modules = self._project.modules
        names = {site.module for site in _sites(finding)}
        above = {name[:index] for name in names for index, letter in enumerate(name) if letter == "."}
        return {modules[name].display_path for name in above if name in modules}

    def _change(self, path: str) -> FileChange | None:
        if path not in self._found:
            self._found[path] = self._changes.of(self._file(path))
        return self._found[path]

    def _shape(self, path: str) -> Shape | None:
        if path not in self._shapes:
            self._shapes[path] = read_shape(self._file(path))
        return self._shapes[path]

    def _file(self, path: str) -> Path:
        return self._project.file_of(path)


def _sites(finding: Finding) -> Iterator[Site]:
    yield finding.location
    yield from (step.site for step in finding.trace)
    yield from (site for site in (finding.bound_at, finding.reached, finding.handler) if site is not None)


def _places(finding: Finding) -> Iterator[tuple[str, int]]:
    yield from ((site.path, site.line) for site in _sites(finding))
    yield from ((condition.path, condition.line) for condition in finding.conditions)
