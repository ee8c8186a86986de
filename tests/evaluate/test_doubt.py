"""Crashes that only ignorance leads to are not followed; those that the machine decides are."""

from __future__ import annotations

from pathlib import Path

import pytest

from importcycle.importing.runs import Interpreter, Outcome
from importcycle.importing.sources import Sources
from tests.judge.tree import project_of


def outcome_of(folder: Path, test: str) -> Outcome:
    """How `pkg.first` ends, when the test decides whether it comes to a module that imports it back too early."""
    package = folder / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "first.py").write_text(
        "import os\nimport elsewhere\n\n"
        f"def load():\n    if {test}:\n        return None\n    from pkg import second\n\n"
        "load()\nlate = 1\n"
    )
    (package / "second.py").write_text("from pkg.first import late\n")
    project = project_of(folder, (3, 13))
    return Interpreter(project, Sources(project), is_exact=False).run("pkg.first")


@pytest.mark.parametrize("test", ["elsewhere.known(1)", "isinstance(elsewhere.value, list)"])
def test_what_is_not_known_is_decided_so_that_the_import_works(tmp_path: Path, test: str) -> None:
    outcome = outcome_of(tmp_path, test)
    assert (outcome.crash, outcome.error_type) == (None, None)


def test_a_variable_of_the_environment_has_both_values(tmp_path: Path) -> None:
    outcome = outcome_of(tmp_path, 'os.environ.get("EASY")')
    assert outcome.crash is not None
    assert (outcome.crash.module, outcome.crash.name) == ("pkg.first", "late")


def test_a_certain_crash_stays(tmp_path: Path) -> None:
    assert outcome_of(tmp_path, "False").error_type == "ImportError"
