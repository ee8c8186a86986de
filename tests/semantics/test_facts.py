"""The findings agree with CPython on every fixture, for every version that is there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from importcycle.importing import simulate
from tests.judge import Interpreter, Judge, find_interpreters, worlds_of
from tests.judge.compare import conditions_to_ask, disagreements
from tests.judge.tree import name_of_script, project_of

from .facts import Fixture, fixtures


@pytest.fixture(scope="module", params=find_interpreters(), ids=str)
def judge(request: pytest.FixtureRequest) -> Iterator[Judge]:
    interpreter: Interpreter = request.param
    with Judge(interpreter) as asked:
        yield asked


@pytest.mark.parametrize("fixture", fixtures(), ids=lambda fixture: fixture.name)
def test_findings_agree_with_cpython(judge: Judge, fixture: Fixture) -> None:
    project = project_of(fixture.root, judge.interpreter.version)
    worlds = worlds_of(fixture.variables)
    report = simulate(project, scripts=[name_of_script(script) for script in fixture.scripts])
    tests = conditions_to_ask(report, worlds[0])
    verdicts = judge.ask(fixture.root, sorted(project.modules), fixture.scripts, worlds, tests)
    assert [str(each) for each in disagreements(report, verdicts, worlds, tests)] == []


def test_more_than_one_version_was_asked() -> None:
    if len(find_interpreters()) == 1:
        pytest.skip("this machine has only one CPython between 3.10 and 3.13")
    assert len({interpreter.version for interpreter in find_interpreters()}) > 1
