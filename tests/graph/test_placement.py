"""The quick reader of import positions agrees with CPython's parser on all code at hand."""

from __future__ import annotations

import ast
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from importcycle.graph.placement import Unclear, place_imports
from importcycle.graph.reading import read_imports
from importcycle.project import SourceError, decode_source, unify_line_ends


def sources() -> Iterator[tuple[Path, str]]:
    """Every tenth file of the standard library."""
    library = Path(sysconfig.get_path("stdlib"))
    for path in sorted(path for path in library.rglob("*.py") if "site-packages" not in path.parts)[::10]:
        try:
            text = unify_line_ends(decode_source(path.read_bytes()))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(text)
        except (SourceError, SyntaxError, OSError):
            continue
        yield path, text


@pytest.mark.filterwarnings("ignore")
def test_it_agrees_with_the_parser_on_the_standard_library() -> None:
    compared = 0
    for path, text in sources():
        try:
            quick = place_imports(text).kinds()
        except Unclear:
            continue
        parsed = read_imports(text)
        assert {one.line for one in parsed} <= quick.keys(), path
        assert [(path, one.line, quick[one.line]) for one in parsed] == [(path, one.line, one.kind) for one in parsed]
        lines = {statement.line for statement in place_imports(text).statements}
        assert read_imports(text, parse=False) == [one for one in parsed if one.line in lines], path
        compared += len(parsed)
    assert compared > 300


@pytest.mark.parametrize(
    "opening",
    ['"""', "'''", '"', "(", "[" * 100_000, "\\", "f(" * 100_000, '"""' * 99_999, "'\\" * 100_000, '\\"""' * 99_999],
)
def test_text_that_is_no_python(opening: str) -> None:
    text = f"import a\nx = {opening}\nimport b\n"
    assert place_imports(text).statements[0].line == 1
    read_imports(text, parse=False)
