"""Cycles of the import graph, and the walk that shows each."""

from __future__ import annotations

from pathlib import Path

from importcycle.findings import CycleKind, ImportCycle
from importcycle.findings.cycles import import_cycles
from importcycle.graph import build_import_graph
from importcycle.importing.outcomes import StepKind
from importcycle.project import discover
from tests.judge.tree import write_tree


def cycles_of(folder: Path, files: dict[str, str]) -> tuple[ImportCycle, ...]:
    """The cycles of a package named ring."""
    write_tree(folder, {"ring/__init__.py": "", **files})
    project = discover(["ring"], working_directory=folder)
    return import_cycles(project, build_import_graph(project))


def walk_of(cycle: ImportCycle) -> list[tuple[str, int, str]]:
    """Path, line and text of each step."""
    return [(step.site.path, step.site.line, step.text) for step in cycle.example]


def test_the_walk_is_short_and_closed(tmp_path: Path) -> None:
    (cycle,) = cycles_of(
        tmp_path,
        {
            "ring/a.py": "'''A.'''\nimport ring.b\n",
            "ring/b.py": "import ring.c\n",
            "ring/c.py": "import ring.d\nimport ring.a\n",
            "ring/d.py": "from ring import c\n",
        },
    )
    assert cycle.kind is CycleKind.EAGER
    assert cycle.modules == ("ring.a", "ring.b", "ring.c", "ring.d")
    assert sorted(walk_of(cycle)) == [("ring/c.py", 1, "import ring.d"), ("ring/d.py", 1, "from ring import c")]


def test_a_deferred_cycle_is_shown_by_the_import_that_closes_it(tmp_path: Path) -> None:
    (cycle,) = cycles_of(
        tmp_path,
        {"ring/a.py": "import ring.b\n", "ring/b.py": "def late():\n    import ring.a\n"},
    )
    assert cycle.kind is CycleKind.DEFERRED
    assert {step.site.path: step.kind for step in cycle.example} == {
        "ring/a.py": StepKind.IMPORT,
        "ring/b.py": StepKind.DEFERRED_IMPORT,
    }


def test_a_typing_cycle_is_named_as_such(tmp_path: Path) -> None:
    (cycle,) = cycles_of(
        tmp_path,
        {
            "ring/a.py": "import ring.b\n",
            "ring/b.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import ring.a\n",
        },
    )
    assert cycle.kind is CycleKind.TYPING
    assert ("ring/b.py", 3, "import ring.a") in walk_of(cycle)


def test_no_cycle_no_finding(tmp_path: Path) -> None:
    assert cycles_of(tmp_path, {"ring/a.py": "import ring.b\n", "ring/b.py": ""}) == ()
