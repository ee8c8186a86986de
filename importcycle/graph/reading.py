"""Import statements of one source text, and when each of them runs."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from importcycle.graph.model import ImportKind
from importcycle.graph.placement import Unclear, logical_line, place_imports
from importcycle.project.errors import SourceError
from importcycle.project.syntax import UnparsableError
from importcycle.project.syntax import parse as parse_source

_PRECEDENCE = (ImportKind.EAGER, ImportKind.DEFERRED, ImportKind.TYPING)


@dataclass(frozen=True, slots=True)
class ImportStatement:
    """One name that a statement imports."""

    line: int
    kind: ImportKind
    level: int
    """Number of leading dots."""
    module: str
    """The dotted name after the dots; may be empty."""
    name: str | None
    """For ``from module import name``; ``None`` for ``import module``."""


def kinds_of_lines(text: str, lines: Collection[int]) -> dict[int, ImportKind]:
    """The kind of the import statement on each of these lines.

    An import that begins in the first column is eager, with no further look; else the text is read as far as needed,
    and parsed only where reading leaves it open.
    """
    rows = text.split("\n")
    unsure = [line for line in lines if not _is_plainly_eager(rows, line)]
    if not unsure:
        return dict.fromkeys(lines, ImportKind.EAGER)
    last = max(unsure)
    try:
        known = place_imports(text, sum(len(row) + 1 for row in rows[:last])).kinds()
    except Unclear:
        known = {}
    if not known.keys() >= set(unsure):
        parsed = _parse(text)
        known = _kinds_in_tree(parsed) if isinstance(parsed, ast.Module) else known
    unsure_lines = frozenset(unsure)
    return {line: known.get(line, ImportKind.EAGER) if line in unsure_lines else ImportKind.EAGER for line in lines}


def read_imports(text: str, *, parse: bool = True) -> list[ImportStatement]:
    """All names that the import statements of a text import.

    Args:
        text: The source, with line feeds.
        parse: Whether to use the parser; else the statements are picked out of the text, as far as they stand on
            lines of their own.

    Raises:
        SourceError: the parser does not take the text.
    """
    if not parse:
        return list(_picked_imports(text))
    parsed = _parse(text)
    if not isinstance(parsed, ast.Module):
        raise SourceError(str(parsed))
    return [one for node, kind in _imports_in_tree(parsed) for one in _names(node, kind, node.lineno)]


def _is_plainly_eager(rows: list[str], line: int) -> bool:
    row = rows[line - 1] if 0 < line <= len(rows) else ""
    continues = line > 1 and rows[line - 2].endswith("\\")
    return row.startswith(("import ", "from ")) and not continues


def _parse(text: str) -> ast.Module | UnparsableError:
    try:
        return parse_source(text)
    except UnparsableError as error:
        return error


def _kinds_in_tree(tree: ast.Module) -> dict[int, ImportKind]:
    kinds: dict[int, ImportKind] = {}
    for node, kind in _imports_in_tree(tree):
        kinds[node.lineno] = min(kind, kinds.get(node.lineno, kind), key=_PRECEDENCE.index)
    return kinds


def _imports_in_tree(tree: ast.Module) -> Iterator[tuple[ast.Import | ast.ImportFrom, ImportKind]]:
    guards = {"TYPE_CHECKING"}
    pending: list[tuple[ast.stmt, ImportKind]] = [(node, ImportKind.EAGER) for node in reversed(tree.body)]
    while pending:
        node, kind = pending.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            guards.update(alias.asname for alias in node.names if alias.name == "TYPE_CHECKING" and alias.asname)
            is_lazy = getattr(node, "is_lazy", 0) and kind is ImportKind.EAGER
            yield node, ImportKind.DEFERRED if is_lazy else kind
            continue
        pending.extend(reversed(list(_inner_statements(node, kind, guards))))


def _inner_statements(
    node: ast.stmt, kind: ImportKind, guards: Collection[str]
) -> Iterator[tuple[ast.stmt, ImportKind]]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        kind = kind if kind is ImportKind.TYPING else ImportKind.DEFERRED
        yield from ((inner, kind) for inner in node.body)
    elif isinstance(node, ast.If):
        body, rest = _branches(node.test, kind, guards)
        yield from ((inner, body) for inner in node.body)
        yield from ((inner, rest) for inner in node.orelse)
    else:
        for part in ("body", "handlers", "orelse", "finalbody", "cases"):
            for inner in getattr(node, part, ()):
                if isinstance(inner, ast.stmt):
                    yield inner, kind
                else:
                    yield from ((statement, kind) for statement in inner.body)


def _branches(test: ast.expr, kind: ImportKind, guards: Collection[str]) -> tuple[ImportKind, ImportKind]:
    if kind is ImportKind.TYPING:
        return kind, kind
    known = _truth(test, guards)
    if known is not None:
        return (kind, ImportKind.TYPING) if known else (ImportKind.TYPING, kind)
    return (ImportKind.DEFERRED if _is_main_test(test) else kind), kind


def _truth(test: ast.expr, guards: Collection[str]) -> bool | None:
    if isinstance(test, ast.Constant) and test.value in (True, False):
        return bool(test.value)
    if isinstance(test, (ast.Name, ast.Attribute)):
        name = test.id if isinstance(test, ast.Name) else test.attr
        return False if name in guards else None
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        known = _truth(test.operand, guards)
        return None if known is None else not known
    if isinstance(test, ast.BoolOp):
        truths = [_truth(value, guards) for value in test.values]
        decisive = isinstance(test.op, ast.Or)
        if decisive in truths:
            return decisive
        return None if None in truths else not decisive
    return None


def _is_main_test(test: ast.expr) -> bool:
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
        and isinstance(test.ops[0], ast.Eq)
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value == "__main__"
    )


def _picked_imports(text: str) -> Iterator[ImportStatement]:
    try:
        statements = place_imports(text).statements
    except Unclear:
        return
    for statement in statements:
        parsed = _parse(re.sub(r"\Alazy[ \t]+", "", logical_line(text, statement.start)))
        if isinstance(parsed, ast.Module):
            for node in parsed.body:
                if isinstance(node, (ast.Import, ast.ImportFrom)):
                    yield from _names(node, statement.kind, statement.line)


def _names(node: ast.Import | ast.ImportFrom, kind: ImportKind, line: int) -> Iterator[ImportStatement]:
    for alias in node.names:
        if isinstance(node, ast.Import):
            yield ImportStatement(line, kind, 0, alias.name, None)
        else:
            yield ImportStatement(line, kind, node.level, node.module or "", alias.name)
