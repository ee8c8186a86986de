"""Which lines of a source file belong together: a changed line tells of the statement or function that holds it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from importcycle.project import SourceError, decode_source, may_exhaust_parser, read_file
from importcycle.project.syntax import UnparsableError, parse

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


class Shape:
    """The statements of a module and where its functions are."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._bodies = list(_function_bodies(tree.body))

    def extent(self, line: int) -> range:
        """The function that holds the line, else the whole statement at module level or in a class body."""
        statements: Iterable[ast.stmt] = self._tree.body
        while True:
            found = next((statement for statement in statements if line in _lines(statement)), None)
            if found is None:
                return range(line, line + 1)
            if not isinstance(found, ast.ClassDef):
                return _lines(found)
            header = range(_lines(found).start, _lines(found.body[0]).start)
            if line in header:
                return header
            statements = found.body

    def is_in_function(self, line: int) -> bool:
        """Whether the line lies in the body of a function, where nothing is bound in the module."""
        return any(line in body for body in self._bodies)


def read_shape(path: Path) -> Shape | None:
    """The shape of a file; ``None`` where it cannot be read or parsed."""

    try:
        text = decode_source(read_file(path))
        return None if may_exhaust_parser(text) else Shape(parse(text))
    except (SourceError, UnparsableError):
        return None


def _lines(statement: ast.stmt) -> range:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
    return range(first, (statement.end_lineno or statement.lineno) + 1)


def _function_bodies(statements: Iterable[ast.stmt]) -> Iterator[range]:
    """The lines of the bodies of outermost functions; a body on the line of its ``def`` counts as that line."""
    for statement in statements:
        if isinstance(statement, _Function):
            yield range(max(_lines(statement.body[0]).start, statement.lineno + 1), _lines(statement).stop)
            continue
        for _, value in ast.iter_fields(statement):
            if isinstance(value, list):
                yield from _function_bodies(_statements_in(value))


def _statements_in(values: Iterable[object]) -> Iterator[ast.stmt]:
    """Statements in a field of a statement; those of handlers and cases, too."""
    for value in values:
        if isinstance(value, ast.stmt):
            yield value
        elif isinstance(value, (ast.ExceptHandler, ast.match_case)):
            yield from value.body
