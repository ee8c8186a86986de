"""The rules say of each entry what CPython did: it always fails, sometimes, or never."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

import pytest

from importcycle.findings import ALL_RULES, Evidence, Finding, judge
from importcycle.importing import simulate
from tests.judge import Cause, Judge, Verdict, find_interpreters, worlds_of
from tests.judge.compare import NotEvaluable, condition_holds
from tests.judge.tree import name_of_script, project_of

from .facts import Fixture, fixtures

ALWAYS = {"IC101", "IC105", "IC401"}
CRASH_RULES = {*ALWAYS, "IC102"}


@pytest.fixture(scope="module")
def newest() -> Iterator[Judge]:
    with Judge(find_interpreters()[-1]) as asked:
        yield asked


def outcome(fixture: Fixture, asked: Judge) -> tuple[tuple[Finding, ...], list[Verdict]]:
    scripts = [name_of_script(script) for script in fixture.scripts]
    project = project_of(fixture.root, asked.interpreter.version)
    report = judge(Evidence(project, simulate(project, scripts=scripts), ()), ALL_RULES)
    worlds = worlds_of(fixture.variables)
    return report.findings, asked.ask(fixture.root, sorted(project.modules), fixture.scripts, worlds)


def crash_rules(findings: Iterable[Finding], verdicts: Sequence[Verdict], fixture: Fixture) -> set[str]:
    """The rules that say of the verdicts' entry that it fails, in any of the worlds asked about."""
    entry, script = verdicts[0].entry, verdicts[0].script
    name = name_of_script(entry) if script else entry
    return {
        finding.rule
        for finding in findings
        if finding.rule in CRASH_RULES and finding.error is not None
        if finding.script is script and name in finding.entries and happens(finding, fixture)
    }


def happens(finding: Finding, fixture: Fixture) -> bool:
    try:
        worlds = worlds_of(fixture.variables)
        return any(all(condition_holds(each, world, {}) for each in finding.conditions) for world in worlds)
    except NotEvaluable:
        return True


@pytest.mark.parametrize("fixture", fixtures(), ids=lambda fixture: fixture.name)
def test_crash_rules(fixture: Fixture, newest: Judge) -> None:
    findings, verdicts = outcome(fixture, newest)
    for entry, script in {(verdict.entry, verdict.script) for verdict in verdicts}:
        asked = [verdict for verdict in verdicts if (verdict.entry, verdict.script) == (entry, script)]
        rules = crash_rules(findings, asked, fixture)
        if not any(verdict.fails for verdict in asked):
            assert not rules, entry
        elif all(verdict.cause is Cause.DIRECT for verdict in asked):
            is_one_crash = len({identity(verdict) for verdict in asked}) == 1
            is_conditional = fixture.fact == "platform"
            assert rules & (ALWAYS if is_one_crash and not is_conditional else CRASH_RULES), entry
        elif any(verdict.cause in (Cause.DIRECT, Cause.FOLLOW_UP) for verdict in asked):
            assert rules, entry
            assert "IC101" not in rules or all(verdict.fails for verdict in asked), entry
        else:
            assert not rules & {"IC101", "IC102"}, entry


def identity(verdict: Verdict) -> tuple[str | None, str | None, str | None]:
    return verdict.error_type, verdict.module, verdict.name


def with_scripts() -> Sequence[Fixture]:
    return [fixture for fixture in fixtures() if fixture.scripts]


@pytest.mark.parametrize("fixture", with_scripts(), ids=lambda fixture: fixture.name)
def test_double_import(fixture: Fixture, newest: Judge) -> None:
    """IC401 is said of exactly those scripts whose file CPython runs twice."""
    findings, verdicts = outcome(fixture, newest)
    twice = {
        verdict.entry
        for verdict in verdicts
        if verdict.script and sum(file == verdict.entry for _, file in verdict.executed) > 1
    }
    assert {f"{finding.entry}.py" for finding in findings if finding.rule == "IC401"} == twice


@pytest.mark.parametrize("fixture", with_scripts(), ids=lambda fixture: fixture.name)
def test_shadowed_modules(fixture: Fixture, newest: Judge) -> None:
    """IC402 is said of exactly those files that hide a standard module from an import that then fails."""
    findings, verdicts = outcome(fixture, newest)
    hiding = {
        file
        for verdict in verdicts
        for name, file in verdict.executed
        if verdict.module == name and name in sys.stdlib_module_names and file == PurePosixPath(f"{name}.py").as_posix()
    }
    assert {finding.location.path for finding in findings if finding.rule == "IC402"} == hiding
