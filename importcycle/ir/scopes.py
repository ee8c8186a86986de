"""Which names a body binds itself (those of nested functions and classes are their own)."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DYNAMIC_CALLS = {"globals", "exec", "setattr", "vars", "locals"}


def bound_names(body: ast.Module) -> tuple[dict[str, int], bool]:
    """Each name bound by the body with the line of its first binding, and whether more may be bound dynamically.

    A ``global`` declaration in any function binds in the module; those names are included.
    """
    bound: dict[str, int] = {}
    is_open = False
    for node in _own_nodes(body.body):
        for name, line in _bindings(node):
            bound[name] = min(line, bound.get(name, line))
    for node in ast.walk(body):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _DYNAMIC_CALLS:
            is_open = True
        elif isinstance(node, ast.Global):
            for name in node.names:
                bound.setdefault(name, node.lineno)
    return bound, is_open


def contains_yield(statements: Sequence[ast.stmt]) -> bool:
    """Whether a function with this body is a generator function."""
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in _own_nodes(statements))


def _own_nodes(statements: Sequence[ast.AST]) -> Iterator[ast.AST]:
    pending: list[ast.AST] = list(reversed(statements))
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = node.args
            pending += [*node.decorator_list, *arguments.defaults, *(d for d in arguments.kw_defaults if d)]
        elif isinstance(node, ast.ClassDef):
            pending += [*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)]
        elif isinstance(node, ast.Lambda):
            pending += [*node.args.defaults, *(d for d in node.args.kw_defaults if d)]
        elif isinstance(node, _COMPREHENSIONS):
            # Targets are the comprehension's own; a walrus inside binds in the enclosing scope.
            pending += [child for child in ast.walk(node) if isinstance(child, ast.NamedExpr)]
            pending += [node.generators[0].iter]
        else:
            pending.extend(reversed(list(ast.iter_child_nodes(node))))


def _bindings(node: ast.AST) -> Iterator[tuple[str, int]]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del(), lineno=line):
            yield name, line
        case (
            ast.FunctionDef(name=name, lineno=line)
            | ast.AsyncFunctionDef(name=name, lineno=line)
            | ast.ClassDef(name=name, lineno=line)
        ):
            yield name, line
        case ast.Import(names=names, lineno=line):
            for alias in names:
                yield alias.asname or alias.name.partition(".")[0], line
        case ast.ImportFrom(names=names, lineno=line):
            for alias in names:
                if alias.name != "*":
                    yield alias.asname or alias.name, line
        case ast.ExceptHandler(name=str(name), lineno=line):
            yield name, line
        case ast.MatchAs(name=str(name), lineno=line) | ast.MatchStar(name=str(name), lineno=line):
            yield name, line
        case ast.MatchMapping(rest=str(name), lineno=line):
            yield name, line
