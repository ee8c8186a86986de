"""Which names a body binds itself (those of nested functions and classes are their own)."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from importcycle.project.syntax import UnparsableError, parse

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DYNAMIC_CALLS = ("globals(", "exec(", "setattr(", "vars(", "locals(")
_CLASS_ASSIGNED = re.compile(r"\.__class__[ \t]*=[^=]")
"""A module may get a class that answers for names as ``__getattr__`` does."""
_GLOBAL_STATEMENT = re.compile(
    r"^[ \t]+global[ \t]+([^\W\d]\w*(?:[ \t]*,[ \t]*[^\W\d]\w*)*)[ \t]*(?:#.*|;.*)?\r?$", re.MULTILINE
)


def bound_names(
    body: ast.Module, source: str, with_expressions: bool, imports_itself: Callable[[ast.ImportFrom], bool]
) -> dict[str, int]:
    """Each name bound by a module's body with the line of its first binding.

    A ``global`` declaration in any function binds in the module; those names are included, and looked for in the
    source, since the functions of the tree may have no bodies. Expressions bind only by ``:=``.
    """
    # What ``except ... as name`` and ``del name`` name is gone afterwards.
    bound = own_bindings(
        body.body,
        with_expressions,
        lambda node: _passes(node) or (isinstance(node, ast.ImportFrom) and imports_itself(node)),
    )
    for match in _GLOBAL_STATEMENT.finditer(source) if "global" in source else ():
        line = source.count("\n", 0, match.start(1)) + 1
        for name in match[1].split(","):
            bound.setdefault(name.strip(), line)
    return bound


def may_bind_dynamically(source: str) -> bool:
    """Whether more names may be bound than statements bind."""
    return any(call in source for call in _DYNAMIC_CALLS) or _CLASS_ASSIGNED.search(source) is not None


def own_bindings(
    statements: Sequence[ast.stmt],
    with_expressions: bool,
    binds_nothing: Callable[[ast.AST], bool] = lambda node: False,
) -> dict[str, int]:
    """Each name that the statements of one scope bind, with the line of its first binding.

    Expressions bind only by ``:=``; they need not be looked at where the source has none.
    """
    bound: dict[str, int] = {}
    for node in _own_nodes(statements) if with_expressions else _own_statements(statements):
        if binds_nothing(node):
            continue
        for name, line in _bindings(node):
            bound[name] = min(line, bound.get(name, line))
    return bound


def _passes(node: ast.AST) -> bool:
    return isinstance(node, ast.ExceptHandler) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del))


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


def _own_statements(statements: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """The statements of a scope, and the targets that they bind."""
    pending: list[ast.AST] = list(reversed(statements))
    while pending:
        node = pending.pop()
        yield node
        match node:
            case ast.Assign(targets=targets) | ast.Delete(targets=targets):
                pending += targets
            case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
                pending.append(target)
            case ast.For(target=target) | ast.AsyncFor(target=target):
                pending += [target, *node.body, *node.orelse]
            case ast.If() | ast.While():
                pending += [*node.body, *node.orelse]
            case ast.With(items=items) | ast.AsyncWith(items=items):
                pending += [*node.body, *(item.optional_vars for item in items if item.optional_vars)]
            case ast.Try(body=body, handlers=handlers, orelse=otherwise, finalbody=final):
                pending += [*body, *handlers, *otherwise, *final]
            case ast.ExceptHandler(body=body):
                pending += body
            case ast.Match():
                pending += list(ast.walk(node))[1:]
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                pending += elements
            case ast.Starred(value=value):
                pending.append(value)
            case _ if type(node).__name__ in ("TryStar", "TypeAlias"):
                pending += list(ast.iter_child_nodes(node))


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


@dataclass(frozen=True, slots=True)
class DynamicNames:
    """The names that a module binds other than by statements."""

    lines: dict[str, int]
    """Those that its source spells, with the line of the first binding."""
    is_open: bool
    """Whether there may be others."""


def dynamic_names(source: str) -> DynamicNames:
    """What a module binds by ``globals()["name"] = ...``, ``setattr(sys.modules[__name__], "name", ...)`` and so on."""
    try:
        tree = parse(source)
    except UnparsableError:  # a function that nothing has called yet
        return DynamicNames({}, True)
    lines: dict[str, int] = {}
    spelt: set[int] = set()
    for node in ast.walk(tree):
        for name, namespace in _dynamic_bindings(node):
            spelt.add(id(namespace))
            lines[name] = min(node.lineno, lines.get(name, node.lineno))  # type: ignore[attr-defined]
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and _gives_namespace(node))
    return DynamicNames(lines, any(id(call) not in spelt for call in calls))


def _dynamic_bindings(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The names that a node binds in a module's namespace, and the expression for that."""
    match node:
        case ast.Subscript(value=namespace, slice=ast.Constant(value=str(name)), ctx=ast.Store()) if _is_own(namespace):
            yield name, namespace
        case ast.Attribute(value=namespace, attr=name, ctx=ast.Store()) if _is_own_module(namespace):
            yield name, namespace
        case ast.Call(func=ast.Attribute(value=namespace, attr="update"), args=args, keywords=keywords) if _is_own(
            namespace
        ):
            yield from ((keyword.arg, namespace) for keyword in keywords if keyword.arg)
            for argument in args:
                if isinstance(argument, ast.Dict):
                    texts = (key.value for key in argument.keys if isinstance(key, ast.Constant))
                    yield from ((text, namespace) for text in texts if isinstance(text, str))
        case ast.Call(
            func=ast.Attribute(value=namespace, attr="setdefault" | "__setitem__"),
            args=[ast.Constant(value=str(name)), *_],
        ) if _is_own(namespace):
            yield name, namespace
        case ast.Call(func=ast.Name(id="setattr"), args=[namespace, ast.Constant(value=str(name)), _]) if (
            _is_own_module(namespace)
        ):
            yield name, namespace


def _is_own(node: ast.expr) -> bool:
    """Whether an expression is the module's namespace."""
    match node:
        case ast.Call(func=ast.Name(id="globals" | "vars" | "locals"), args=[]):
            return True
        case ast.Call(func=ast.Name(id="vars"), args=[module]) | ast.Attribute(value=module, attr="__dict__"):
            return _is_own_module(module)
    return False


def _is_own_module(node: ast.expr) -> bool:
    """Whether an expression is ``sys.modules[__name__]``, or the like."""
    match node:
        case ast.Subscript(value=ast.Attribute(attr="modules"), slice=ast.Name(id="__name__")):
            return True
        case ast.Subscript(value=ast.Name(id="modules"), slice=ast.Name(id="__name__")):
            return True
        case ast.Call(args=[ast.Name(id="__name__")]):  # importlib.import_module(__name__)
            return True
    return False


def _gives_namespace(node: ast.Call) -> bool:
    """Whether a call gives something through which any name of the module can be bound."""
    match node:
        case ast.Call(func=ast.Name(id="exec")):
            return True
        case ast.Call(func=ast.Name(id="setattr"), args=[module, name, _]):
            return _is_own_module(module) and not isinstance(name, ast.Constant)
    return _is_own(node)
