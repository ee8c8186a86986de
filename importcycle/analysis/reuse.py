"""A record of files that have changed since, where the changes cannot matter to it.

What a simulation knows of a file is its skeleton (the text without the bodies of functions) and the bodies of the
functions that were called. If these are the same but for the lines on which they stand, so is the result, but for the
lines it tells. The file's imports have to be the same, too, since the cycles follow from them.

In a large project a module may also have new statements that only bind a name, or lack some, if nobody can tell: the
name stands nowhere else in the project's sources, and nothing has asked for all names of the module. (A small project
is played in every world, which hardly takes longer, and in which each step counts.)
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import chain
from typing import Any, TypeVar

from importcycle.analysis.inert import difference
from importcycle.analysis.record import Edge, Lines, LoweredFunction, Record, RecordKey, load_edges
from importcycle.cache import Cache
from importcycle.findings import ImportCycle
from importcycle.graph import sites_of_module
from importcycle.importing.outcomes import (
    Condition,
    Cut,
    DeferredImport,
    Failure,
    Opaque,
    SimulationReport,
    Site,
    Step,
)
from importcycle.importing.simulation import is_small
from importcycle.ir import CodeShelf, ModuleCode, UnparsableError
from importcycle.project import SourceError, decode_source, read_source, unify_line_ends
from importcycle.project.contents import source_modules
from importcycle.project.model import Module, Project
from importcycle.project.syntax import parse

Value = TypeVar("Value")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
MOST_CHANGED = 40
"""Files that are compared before it is quicker to simulate anew."""


class _Matters(Exception):
    """The change can make a difference."""


def reuse(
    record: Record, key: RecordKey, digests: Mapping[str, bytes], project: Project, cache: Cache
) -> Record | None:
    """The record as it would be for the files as they are now; ``None`` if only a simulation can tell."""
    changed = [name for name, digest in digests.items() if record.digests.get(name) != digest]
    if record.digests.keys() != digests.keys() or len(changed) > MOST_CHANGED:
        return None
    comparison = _Comparison(record, load_edges(cache, key), project, CodeShelf(cache))
    try:
        mover = _Mover({project.modules[name].display_path: comparison.moved_lines(name) for name in changed})
        return replace(record, simulation=mover.moved(record.simulation), cycles=mover.moved(record.cycles))
    except (_Matters, SourceError, UnparsableError):
        return None


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Holds the files as they are now against those of the record."""

    record: Record
    edges: Mapping[str, list[Edge]]
    project: Project
    shelf: CodeShelf

    def moved_lines(self, name: str) -> dict[int, int]:
        """For each line of the file that the record can speak of, the line where the same now stands.

        Raises:
            _Matters: the file has changed in a way that can make a difference.
            SourceError: it cannot be read.
            UnparsableError: it cannot be parsed.
        """
        module = self.project.modules[name]
        if module.display_path in self.record.simulation.unparsable:
            raise _Matters
        parse(unify_line_ends(decode_source(read_source(module))))  # errors in the bodies of functions
        moves = self._moves_of_imports(module)
        lowered = self.record.lowered.get(name)
        if lowered is not None:
            before = self.shelf.earlier(module, self.record.digests[name])
            if before is None:
                raise _Matters
            moves.update(self._moves_of_code(before, self.shelf.code(module), lowered))
        return moves

    def _moves_of_imports(self, module: Module) -> dict[int, int]:
        now = sorted(
            (imported, site.line, site.kind.value, site.statement.value)
            for imported, sites in sites_of_module(self.project, module.name).items()
            for site in sites
        )
        before = self.edges.get(module.name, [])
        if [edge[:1] + edge[2:] for edge in before] != [edge[:1] + edge[2:] for edge in now]:
            raise _Matters
        return {old[1]: new[1] for old, new in zip(before, now, strict=True)}

    def _moves_of_code(
        self, before: ModuleCode, after: ModuleCode, lowered: Sequence[LoweredFunction]
    ) -> dict[int, int]:
        """The moved lines of what a simulation knows of a module's code."""
        names = before.bound_lines.keys() | after.bound_lines.keys()
        found = difference(parse(before.skeleton), parse(after.skeleton), names, after.future_annotations)
        if found is None or _facts(before) != _facts(after):
            raise _Matters
        added, removed = ({name for name, _ in each} for each in (found.added, found.removed))
        if before.bound_lines.keys() | added != after.bound_lines.keys() | removed:
            raise _Matters
        pairs = [pair for old, new in found.common for pair in zip(ast.walk(old), ast.walk(new), strict=True)]
        moves = _moves_of_nodes(pairs, before, after)
        functions = {
            _lines_of_function(old): _lines_of_function(new)
            for old, new in pairs
            if isinstance(old, _FUNCTIONS) and isinstance(new, _FUNCTIONS)
        }
        for function in lowered:
            moves.update(_moves_of_function(function, functions, after))
        if added or removed:
            called = (after.lines[moves[each.first] - 1 : moves[each.last]] for each in lowered)
            parts = (_without(before.skeleton, found.removed), _without(after.skeleton, found.added), *called)
            self._check_that_nobody_can_tell(after.name, added | removed, "\n".join(chain.from_iterable(parts)))
        return moves

    def _check_that_nobody_can_tell(self, module: str, names: Collection[str], own: str) -> None:
        """Raise _Matters if it could make a difference whether a module has these names.

        `own` is what a simulation knows of the module's text besides the statements that bind them.
        """
        record = self.record
        if (
            is_small(self.project)
            or module in record.listed
            or not record.missed.isdisjoint(names)
            or any(failure.module == module and failure.bound_at is None for failure in record.simulation.failures)
        ):
            raise _Matters
        sources = (read_source(each) for each in source_modules(self.project) if each.name != module)
        for text in chain([own.encode("utf-8", "surrogatepass")], sources):
            if any(name.encode() in text for name in names):
                raise _Matters


def _moves_of_nodes(pairs: Iterable[tuple[ast.AST, ast.AST]], before: ModuleCode, after: ModuleCode) -> dict[int, int]:
    """The moved lines of statements and expressions, of which reports show the text and its column."""
    moves: dict[int, int] = {}
    for one, other in pairs:
        moves.update(zip(_lines(one), _lines(other), strict=True))
    old_lines, new_lines = before.skeleton.split("\n"), after.skeleton.split("\n")
    if any(old_lines[line - 1].rstrip() != new_lines[moved - 1].rstrip() for line, moved in moves.items()):
        raise _Matters
    return moves


def _without(text: str, statements: Sequence[tuple[str, ast.stmt]]) -> list[str]:
    """The lines of a text that do not belong to the statements."""
    lines = text.split("\n")
    for _, statement in statements:
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        lines[first - 1 : last] = [""] * (last - first + 1)
    return lines


def _moves_of_function(
    function: LoweredFunction, functions: Mapping[Lines, Lines], after: ModuleCode
) -> Iterable[tuple[int, int]]:
    found = functions.get((function.first, function.last))
    if found is None:
        raise _Matters
    first, last = found
    if LoweredFunction.of(after, first, last).digest != function.digest:
        raise _Matters
    return zip(range(function.first, function.last + 1), range(first, last + 1), strict=True)


def _facts(code: ModuleCode) -> tuple[object, ...]:
    """What a simulation knows of a module besides its code."""
    return code.has_open_names, code.future_annotations, code.docstring


def _lines(node: ast.AST) -> tuple[int, ...]:
    first = getattr(node, "lineno", None)
    return (first, getattr(node, "end_lineno", None) or first) if first is not None else ()


def _lines_of_function(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Lines:
    return min([node.lineno, *(each.lineno for each in node.decorator_list)]), node.end_lineno or node.lineno


@dataclass(slots=True)
class _Mover:
    """Makes values anew with all places in changed files where they now are."""

    moves: Mapping[str, Mapping[int, int]]
    """By display path, old line to new line."""
    _known: dict[int, Any] = field(default_factory=dict)
    """By identity of what was moved: failures share most of their parts."""

    def moved(self, value: Value) -> Value:
        """The value in its new form.

        Raises:
            _Matters: it speaks of a line that is gone.
        """
        if not isinstance(value, _PARTS):
            return value
        if id(value) not in self._known:
            self._known[id(value)] = self._made(value)
        result: Value = self._known[id(value)]
        return result

    def _made(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(self.moved(item) for item in value)
        if isinstance(value, Site | Condition):
            moves = self.moves.get(value.path)
            if moves is None:
                return value
            if value.line not in moves:
                raise _Matters
            return replace(value, line=moves[value.line])
        parts = {each.name: getattr(value, each.name) for each in fields(value)}
        return replace(value, **{name: self.moved(part) for name, part in parts.items()})


_PARTS = (tuple, Site, Condition, Step, Failure, DeferredImport, Cut, Opaque, ImportCycle, SimulationReport)
