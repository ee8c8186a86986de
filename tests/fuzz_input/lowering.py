"""Coverage-guided: ``python -m tests.fuzz_input.lowering``, with atheris installed (``make fuzz-lowering``).

Feeds bytes to all that reads source text: decoding, the parser for syntax of any version, the skeleton, the lowering of
modules and of function bodies, and the reading of imports.
"""

from __future__ import annotations

import sys
from contextlib import suppress

import atheris

with atheris.instrument_imports(include=["importcycle"]):
    from importcycle.graph.placement import Unclear, place_imports
    from importcycle.ir import UnparsableError, lower_module, nodes
    from importcycle.project import SourceError, decode_source, unify_line_ends
    from importcycle.project.syntax.newer import rewrite


def look_at(data: bytes) -> None:
    """Everything that may be refused is refused in the documented way."""
    try:
        text = unify_line_ends(decode_source(data))
    except SourceError:
        return
    rewrite(text)
    with suppress(Unclear):
        place_imports(text)
    try:
        code = lower_module("shop.a", "shop/a.py", text)
    except UnparsableError:
        return
    pending: list[nodes.Statement] = list(code.body)
    while pending:
        statement = pending.pop()
        if isinstance(statement, nodes.FunctionDefinition):
            pending += statement.code.body.statements
        elif isinstance(statement, nodes.ClassDefinition):
            pending += statement.body


if __name__ == "__main__":
    atheris.Setup(sys.argv, look_at)
    atheris.Fuzz()
