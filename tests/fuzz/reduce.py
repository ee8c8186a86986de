"""Makes a failing package smaller, whatever made it: drops files and statements as long as it still fails."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace

from .package import GeneratedPackage

Predicate = Callable[[GeneratedPackage], bool]


def reduced(package: GeneratedPackage, still_fails: Predicate) -> GeneratedPackage:
    """The smallest package that greedy dropping finds; ``still_fails`` is true of it."""
    smaller = True
    while smaller:
        smaller = False
        for candidate in _candidates(package):
            if still_fails(candidate):
                package, smaller = candidate, True
                break
    return package


def _candidates(package: GeneratedPackage) -> Iterator[GeneratedPackage]:
    for path in package.files:
        if not path.endswith("__init__.py"):
            yield replace(package, files={name: text for name, text in package.files.items() if name != path})
    for variable in package.variables:
        if any(variable in text for text in package.files.values()):
            continue  # without its values to try, what asks for it would look certain
        yield replace(
            package, variables={name: values for name, values in package.variables.items() if name != variable}
        )
    for path, text in package.files.items():
        for smaller in _smaller_texts(text):
            yield replace(package, files={**package.files, path: smaller})


def _smaller_texts(text: str) -> Iterator[str]:
    tree = ast.parse(text)
    if len(tree.body) > 3:
        half = len(tree.body) // 2
        yield _unparsed(tree.body[half:])
        yield _unparsed(tree.body[:half])
    for owner in ast.walk(tree):
        for field in ("body", "orelse", "finalbody", "handlers"):
            statements = getattr(owner, field, None)
            if isinstance(statements, list):
                yield from _without_one(tree, owner, field, statements)
    yield from _with_simpler_expressions(tree)


def _without_one(tree: ast.Module, owner: ast.AST, field: str, statements: list[ast.stmt]) -> Iterator[str]:
    for number, statement in enumerate(statements):
        choices = [getattr(statement, "body", []), []] if isinstance(statement, ast.If | ast.Try | ast.With) else [[]]
        for instead in choices:
            shorter = [*statements[:number], *instead, *statements[number + 1 :]]
            if not shorter and isinstance(owner, ast.Module):
                yield ""
                continue
            if not shorter and field == "body":
                if isinstance(statement, ast.Pass):
                    continue
                shorter = [ast.Pass()]
            setattr(owner, field, shorter)
            yield from _if_valid(tree)
            setattr(owner, field, statements)


def _with_simpler_expressions(tree: ast.Module) -> Iterator[str]:
    """Operators, calls with one argument and the like replaced by one of their parts."""
    for owner in ast.walk(tree):
        for field, value in ast.iter_fields(owner):
            if isinstance(value, ast.expr) and not isinstance(owner, ast.Attribute | ast.keyword | ast.FormattedValue):
                for part in ast.iter_child_nodes(value):
                    if isinstance(part, ast.expr) and not isinstance(part, ast.Name | ast.Starred):
                        setattr(owner, field, part)
                        yield from _if_valid(tree)
                        setattr(owner, field, value)


def _if_valid(tree: ast.Module) -> Iterator[str]:
    try:
        text = _unparsed(tree.body)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "candidate", "exec")
    except (SyntaxError, ValueError, AttributeError, TypeError):
        return
    yield text


def _unparsed(body: list[ast.stmt]) -> str:
    return ast.unparse(ast.fix_missing_locations(ast.Module(body, []))) + "\n"
