"""Statements of a module that do nothing but bind a new name: definitions, and constants."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection
from dataclasses import dataclass

_BUILTIN_TYPES = frozenset(name for name, value in vars(builtins).items() if isinstance(value, type))


@dataclass(frozen=True, slots=True)
class Difference:
    """Two bodies that are the same but for inert statements."""

    common: tuple[tuple[ast.stmt, ast.stmt], ...]
    """The statements of both, in order: as they were, and as they are."""
    added: tuple[tuple[str, ast.stmt], ...]
    """Inert statements of the second, each with the name that it binds."""
    removed: tuple[tuple[str, ast.stmt], ...]
    """Those of the first."""


def difference(old: ast.Module, new: ast.Module, bound: Collection[str], postponed: bool) -> Difference | None:
    """What was added and removed between two states of a module; ``None`` if any of it is not inert.

    `bound` are the names that either state binds; `postponed` says that annotations are not evaluated (PEP 563).
    """
    common: list[tuple[ast.stmt, ast.stmt]] = []
    added: list[tuple[str, ast.stmt]] = []
    removed: list[tuple[str, ast.stmt]] = []
    before = [(each, ast.dump(each)) for each in reversed(old.body)]
    after = [(each, ast.dump(each)) for each in reversed(new.body)]
    known = {dump for _, dump in before}
    while before or after:
        if before and after and before[-1][1] == after[-1][1]:
            common.append((before.pop()[0], after.pop()[0]))
        elif after and after[-1][1] not in known and (name := bound_name(after[-1][0], bound, postponed)):
            added.append((name, after.pop()[0]))
        elif before and (name := bound_name(before[-1][0], bound, postponed)):
            removed.append((name, before.pop()[0]))
        else:
            return None
    return Difference(tuple(common), tuple(added), tuple(removed))


def bound_name(statement: ast.stmt, bound: Collection[str], postponed: bool) -> str | None:
    """The name that an inert statement binds; ``None`` if it could do more, or the name has a meaning to Python.

    `bound` are names that the module binds: a builtin type of the same name need not be that.
    """
    checker = _Checker(bound, postponed)
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if checker.is_inert_function(statement):
            found = name
        case ast.ClassDef(name=name) if checker.is_inert_class(statement):
            found = name
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_literal(value):
            found = name
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value, annotation=annotation) if _is_literal(
            value
        ) and checker.is_harmless_annotation(annotation):
            found = name
        case _:
            return None
    return found if found.isascii() and not found.startswith("__") else None


@dataclass(frozen=True, slots=True)
class _Checker:
    bound: Collection[str]
    postponed: bool

    def is_inert_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        arguments = node.args
        defaults = [*arguments.defaults, *(each for each in arguments.kw_defaults if each is not None)]
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [each for each in (arguments.vararg, arguments.kwarg) if each is not None]
        annotations = [*(each.annotation for each in every), node.returns]
        return (
            not node.decorator_list
            and not getattr(node, "type_params", None)
            and all(_is_literal(each) for each in defaults)
            and all(each is None or self.is_harmless_annotation(each) for each in annotations)
        )

    def is_inert_class(self, node: ast.ClassDef) -> bool:
        return not (node.decorator_list or node.bases or node.keywords or getattr(node, "type_params", None)) and all(
            self._is_inert_member(each) for each in node.body
        )

    def _is_inert_member(self, statement: ast.stmt) -> bool:
        match statement:
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                return True
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return self.is_inert_function(statement)
            case ast.Assign(targets=[ast.Name()], value=value):
                return _is_literal(value)
        return False

    def is_harmless_annotation(self, node: ast.expr) -> bool:
        """Whether evaluating it, should it be evaluated, can neither fail nor run code."""
        if self.postponed:
            return True
        match node:
            case ast.Constant():
                return True
            case ast.Name(id=name):
                return name in _BUILTIN_TYPES and name not in self.bound
            case ast.Subscript(value=ast.Name() as value, slice=index):
                return self.is_harmless_annotation(value) and self.is_harmless_annotation(index)
            case ast.Tuple(elts=items):
                return all(self.is_harmless_annotation(each) for each in items)
        return False


def _is_literal(node: ast.expr) -> bool:
    match node:
        case ast.Constant():
            return True
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float())):
            return True
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return all(_is_literal(each) for each in items)
        case ast.Dict(keys=keys, values=values):
            return all(isinstance(key, ast.Constant) for key in keys) and all(_is_literal(each) for each in values)
    return False
