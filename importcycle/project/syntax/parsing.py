"""From text to Python's syntax tree: of a whole file or of one function, in the syntax of any Python 3."""

from __future__ import annotations

import ast
import warnings

from importcycle.project.source import may_exhaust_parser, unify_line_ends
from importcycle.project.syntax.newer import rewrite

_TOO_DEEP = "expressions are nested too deeply for Python's parser"


class UnparsableError(Exception):
    """The source is not Python that can be parsed; the text says where and why."""


def parse(source: str) -> ast.Module:
    """The syntax tree of a text. For nodes that the running Python does not have, see ``newer``.

    Raises:
        UnparsableError: it is not Python, or too much for the parser.
    """
    if may_exhaust_parser(source):
        raise UnparsableError("expressions are too long for Python's parser")
    try:
        with warnings.catch_warnings():
            # Invalid escape sequences and the like are none of this run's warnings.
            warnings.simplefilter("ignore")
            return _parse(source)
    except SyntaxError as error:
        raise UnparsableError(f"line {error.lineno}: {error.msg}" if error.lineno else str(error.msg)) from error
    except (RecursionError, MemoryError) as error:
        raise UnparsableError(_TOO_DEEP) from error
    except (ValueError, OverflowError) as error:  # NUL bytes, or numbers of more digits than Python converts
        raise UnparsableError(str(error)) from error


def _parse(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except SyntaxError:
        newer = rewrite(unify_line_ends(source))
        if newer is None:
            raise
    return newer.restore(ast.parse(newer.text), _parse_expression)


def _parse_expression(text: str) -> ast.expr:
    statement = _parse(f"({text}\n)").body[0]
    if not isinstance(statement, ast.Expr):
        raise SyntaxError("a replacement field holds no expression")
    return statement.value
