"""Programs that compute what they import: the evaluator loads the modules that CPython loads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from importcycle.importing.runs import Interpreter as SimulatedInterpreter
from importcycle.importing.sources import Sources
from tests.judge import Judge, find_interpreters
from tests.judge.tree import project_of

FOLDER = Path(__file__).parents[2] / "fixtures" / "evaluator"
EXACT = sorted(path for path in (FOLDER / "exact").iterdir() if path.is_dir())
"""Programs all of whose values are known."""
LIKELY = sorted(path for path in (FOLDER / "likely").iterdir() if path.is_dir())
"""Programs that ask what cannot be known here: the likely world is followed."""


@pytest.fixture(scope="module")
def newest() -> Iterator[Judge]:
    with Judge(find_interpreters()[-1]) as asked:
        yield asked


def loaded(root: Path, judge: Judge, is_exact: bool) -> tuple[list[str], list[str]]:
    """The modules that CPython runs, and those that the evaluator runs, when ``pkg.app`` comes first."""
    project = project_of(root, judge.interpreter.version)
    (verdict,) = judge.ask(root, ["pkg.app"])
    assert verdict.error_type is None, verdict
    simulated = SimulatedInterpreter(project, Sources(project), is_exact)
    outcome = simulated.run("pkg.app")
    assert (outcome.error_type, outcome.is_complete) == (None, True)
    return [name for name, _ in verdict.executed], list(simulated.recorder.started)


@pytest.mark.parametrize("root", EXACT, ids=lambda root: root.name)
@pytest.mark.parametrize("is_exact", [True, False], ids=["exact", "likely"])
def test_known_programs_load_the_same_modules(root: Path, is_exact: bool, newest: Judge) -> None:
    run, simulated = loaded(root, newest, is_exact)
    assert simulated == run


@pytest.mark.parametrize("root", LIKELY, ids=lambda root: root.name)
def test_programs_with_unknown_values_load_the_same_modules(root: Path, newest: Judge) -> None:
    run, simulated = loaded(root, newest, is_exact=False)
    assert sorted(set(simulated)) == sorted(run)
