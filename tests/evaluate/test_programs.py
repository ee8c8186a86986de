"""Programs that compute what they import: the evaluator loads the modules that CPython loads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from importcycle.importing.deep_stack import with_deep_stack
from importcycle.importing.runs import Interpreter as SimulatedInterpreter
from importcycle.importing.sources import Sources
from tests.judge import Judge, find_interpreters
from tests.judge.tree import project_of

FOLDER = Path(__file__).parents[2] / "fixtures" / "evaluator"
EXACT = sorted(path for path in (FOLDER / "exact").iterdir() if path.is_dir())
"""Programs all of whose values are known."""
LIKELY = sorted(path for path in (FOLDER / "likely").iterdir() if path.is_dir())
"""Programs that ask what cannot be known here: the likely world is followed."""
FOLLOWED = sorted(path for path in (FOLDER / "followed").iterdir() if path.is_dir())
"""The same, where worlds nearby load other modules."""


@pytest.fixture(scope="module")
def newest() -> Iterator[Judge]:
    with Judge(find_interpreters()[-1]) as asked:
        yield asked


def loaded(root: Path, judge: Judge, is_exact: bool) -> tuple[list[str], SimulatedInterpreter]:
    """The modules that CPython runs when ``pkg.app`` comes first, and the interpreter in which it was simulated."""
    project = project_of(root, judge.interpreter.version)
    (verdict,) = judge.ask(root, ["pkg.app"])
    assert verdict.error_type is None, verdict
    simulated = SimulatedInterpreter(project, Sources(project), is_exact)
    outcome = with_deep_stack(lambda: simulated.run("pkg.app"))
    assert (outcome.error_type, outcome.is_complete) == (None, True)
    return [name for name, _ in verdict.executed], simulated


@pytest.mark.parametrize("root", EXACT, ids=lambda root: root.name)
@pytest.mark.parametrize("is_exact", [True, False], ids=["exact", "likely"])
def test_known_programs_load_the_same_modules(root: Path, is_exact: bool, newest: Judge) -> None:
    run, simulated = loaded(root, newest, is_exact)
    assert simulated.recorder.started == run


@pytest.mark.parametrize("root", LIKELY, ids=lambda root: root.name)
def test_programs_with_unknown_values_load_the_same_modules(root: Path, newest: Judge) -> None:
    run, simulated = loaded(root, newest, is_exact=False)
    assert sorted(set(simulated.recorder.started)) == sorted(run)


@pytest.mark.parametrize("root", FOLLOWED, ids=lambda root: root.name)
def test_the_followed_world_is_that_of_cpython(root: Path, newest: Judge) -> None:
    run, simulated = loaded(root, newest, is_exact=False)
    assert sorted(simulated.imports.loaded_modules()) == sorted(run)
