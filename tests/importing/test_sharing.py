"""Entries that share work end as they do when each is played in an interpreter of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from importcycle.importing import sharing
from importcycle.importing.deep_stack import with_deep_stack
from importcycle.importing.runs import Interpreter, Outcome
from importcycle.importing.sharing import SharedSimulation
from importcycle.importing.sources import Sources
from tests.judge.tree import project_of, write_tree

from .random_packages import random_package

LEAST_AGREEMENT = 0.995


def ending(outcome: Outcome | None) -> tuple[object, ...] | None:
    """How the import ended, as a user is told."""
    if outcome is None:
        return None
    miss = outcome.crash
    return outcome.error_type, miss and (miss.error_type, miss.module, miss.name)


def compared(folder: Path, seeds: range, modules: int) -> tuple[int, list[str]]:
    """The number of entries of the packages, and those that end otherwise when they share work."""
    count, different = 0, []
    for seed in seeds:
        root = folder / str(seed)
        write_tree(root, random_package(seed, modules))
        project = project_of(root, (3, 12))
        sources = Sources(project)
        simulation = SharedSimulation(project, sources)
        simulation.play(project.modules)
        count += len(project.modules)
        for entry in project.modules:
            alone = Interpreter(project, sources, is_exact=False).run(entry)
            if ending(alone) != ending(simulation.outcomes.get(entry)):
                different.append(f"{seed}: {entry}")
    return count, different


def test_small_packages_end_alike(tmp_path: Path) -> None:
    count, different = with_deep_stack(lambda: compared(tmp_path, range(40), 24))
    assert len(different) <= count * (1 - LEAST_AGREEMENT), different


def test_what_is_put_together_without_checks_is_mostly_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a package too large for checks the rules alone decide."""
    monkeypatch.setattr(sharing, "STEPS_OF_CHECKS", -1)
    count, different = with_deep_stack(lambda: compared(tmp_path, range(1000, 1010), 80))
    assert len(different) <= count * (1 - LEAST_AGREEMENT), different


def test_a_member_that_its_package_leaves_to_others_is_an_entry_of_its_own(tmp_path: Path) -> None:
    """The package is a member of the component, too, but importing it loads nothing."""
    files = {
        "pkg/__init__.py": "",
        "pkg/lazy/__init__.py": "def __getattr__(name):\n    from pkg import other\n    return other.load(name)\n",
        "pkg/lazy/part.py": "import pkg.user\nLATE = 1\n",
        "pkg/other.py": "def load(name):\n    import pkg.lazy\n    from pkg.lazy.part import LATE\n    return LATE\n",
        "pkg/user.py": "from pkg.lazy import LATE\n",
    }
    write_tree(tmp_path, files)
    project = project_of(tmp_path, (3, 12))

    def play() -> SharedSimulation:
        simulation = SharedSimulation(project, Sources(project))
        simulation.play(project.modules)
        return simulation

    simulation = with_deep_stack(play)
    failing = {name for name, outcome in simulation.outcomes.items() if outcome.error_type is not None}
    assert failing == {"pkg.lazy.part"}
