"""Components are told apart by what it takes to close them."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest

from importcycle.graph import (
    RUNTIME_KINDS,
    STATEMENT_KINDS,
    ImportKind,
    build_import_graph,
    strongly_connected_components,
)
from importcycle.project import discover
from tests.project.trees import plant_texts


def components(
    folder: Path, texts: dict[str, str], kinds: Collection[ImportKind] = STATEMENT_KINDS
) -> list[tuple[str, str]]:
    plant_texts(folder, {"p/__init__.py": "", **{f"p/{name}.py": text for name, text in texts.items()}})
    graph = build_import_graph(discover(["p"], working_directory=folder))
    return [
        (component.kind, " ".join(name.removeprefix("p.") for name in component.modules))
        for component in strongly_connected_components(graph, kinds)
    ]


def deferred(name: str) -> str:
    return f"def f():\n    import p.{name}\n"


def typing(name: str) -> str:
    return f"from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import p.{name}\n"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ({"a": "import p.b", "b": ""}, []),
        ({"a": "import p.b", "b": "import p.a"}, [("eager", "a b")]),
        ({"a": "import p.b", "b": deferred("a")}, [("deferred", "a b")]),
        ({"a": "import p.b", "b": typing("a")}, [("typing", "a b")]),
        ({"a": deferred("b"), "b": typing("a")}, [("typing", "a b")]),
        # A component that deferred imports only repeat comes up once; one that they enlarge comes up again.
        ({"a": "import p.b", "b": "import p.a\n" + deferred("a")}, [("eager", "a b")]),
        (
            {
                "a": "import p.b",
                "b": "import p.a\n" + deferred("c"),
                "c": "import p.a\n" + typing("d"),
                "d": "import p.c",
            },
            [("eager", "a b"), ("deferred", "a b c"), ("typing", "a b c d")],
        ),
        (
            {"a": "import p.b", "b": "import p.a", "c": "import p.d", "d": "import p.e", "e": "import p.c"},
            [("eager", "c d e"), ("eager", "a b")],
        ),
    ],
)
def test_kinds(tmp_path: Path, texts: dict[str, str], expected: list[tuple[str, str]]) -> None:
    assert components(tmp_path, texts) == expected


def test_a_package_that_re_exports_is_a_cycle_only_with_implied_imports(tmp_path: Path) -> None:
    texts = {"__init__": "from p.a import x", "a": "", "b": ""}
    assert components(tmp_path, texts) == []
    assert components(tmp_path, texts, RUNTIME_KINDS) == [("eager", "p a")]
    assert components(tmp_path, texts, {ImportKind.EAGER, ImportKind.IMPLIED}) == [("eager", "p a")]


def test_an_implied_import_is_as_deferred_as_its_statement(tmp_path: Path) -> None:
    texts = {"q/__init__": "import p.a", "q/r": "", "a": deferred("q.r")}
    assert components(tmp_path, texts, {ImportKind.EAGER, ImportKind.IMPLIED}) == []
    assert components(tmp_path, texts, RUNTIME_KINDS) == [("deferred", "a q q.r")]


def test_kinds_can_be_left_out(tmp_path: Path) -> None:
    texts = {"a": "import p.b", "b": deferred("a"), "c": "import p.d", "d": typing("c")}
    assert components(tmp_path, texts, {ImportKind.EAGER}) == []
    assert components(tmp_path, texts, {ImportKind.EAGER, ImportKind.DEFERRED}) == [("deferred", "a b")]
