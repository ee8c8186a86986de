"""Whether a package still is what the generator makes: all that fails would not, in some order of statements."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from tests.judge import Cause, Verdict

from .package import GeneratedPackage


def is_sound(package: GeneratedPackage, verdicts: Sequence[Verdict]) -> bool:
    """Whether every name asked in vain is bound in the module that was asked, and nothing fails for another reason.

    A package that is being made smaller must stay sound, or the disagreement that remains is about a missing name.
    """
    if any(verdict.cause is Cause.OTHER for verdict in verdicts):
        return False
    asked = {(miss.module, miss.name) for verdict in verdicts for miss in verdict.swallowed}
    asked |= {(verdict.module, verdict.name) for verdict in verdicts if verdict.module and verdict.name}
    names = {_module_name(path): set(_bound(ast.parse(text))) for path, text in package.files.items()}
    anywhere = set().union(*names.values())
    for module, name in asked:
        bound = names.get(module or "", set())
        is_submodule = any(other.startswith(f"{module}.{name}") for other in names)
        is_open = bound & {"*", "__getattr__"} and name in anywhere
        if module in names and not is_submodule and name not in bound and not is_open and not _is_dunder(name):
            return False
    return True


def _is_dunder(name: str | None) -> bool:
    """``__path__`` is asked by the import system itself."""
    return name is not None and name.startswith("__") and name.endswith("__")


def _module_name(path: str) -> str:
    parts = PurePosixPath(path).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _bound(tree: ast.Module) -> Iterator[str]:
    """Names that statements of the module itself bind, in whatever branch, and those its functions call global."""
    pending: list[ast.AST] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
            yield from (name for inner in ast.walk(node) if isinstance(inner, ast.Global) for name in inner.names)
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Constant | ast.keyword):
            # globals()["NAME"] = ..., globals().update(NAME=...), setattr(module, "NAME", ...)
            text = node.value if isinstance(node, ast.Constant) else node.arg
            if isinstance(text, str):
                yield text
        pending.extend(ast.iter_child_nodes(node))
