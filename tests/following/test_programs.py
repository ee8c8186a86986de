"""What a target and a followed package do together is what CPython does with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from importcycle.importing import simulate, simulation
from importcycle.importing.outcomes import FailureKind
from importcycle.project import Project, discover
from tests.cli.running import write
from tests.following.programs import PROGRAMS
from tests.judge import Judge, find_interpreters
from tests.judge.compare import disagreements

WORLDS: Sequence[dict[str, str | None]] = ({}, {"PLUGKIT_EAGER": "1"})


@pytest.fixture(scope="module")
def newest() -> Iterator[Judge]:
    with Judge(find_interpreters()[-1]) as asked:
        yield asked


def project(root: Path, targets: Sequence[str], follow: Sequence[str], judge: Judge) -> Project:
    return discover(targets, working_directory=root, follow=follow, python_version=judge.interpreter.version)


@pytest.mark.parametrize("most_modules_in_worlds", [60, 0], ids=["world by world", "all together"])
@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(
    ("targets", "follow"),
    [(["shop"], ["plugkit"]), (["plugkit"], ["shop"]), (["shop", "plugkit"], []), (["plugkit", "shop"], ["shop"])],
    ids=["followed", "the other way round", "both targets", "both targets, one followed"],
)
def test_the_target_fails_as_in_cpython(
    name: str,
    targets: Sequence[str],
    follow: Sequence[str],
    most_modules_in_worlds: int,
    newest: Judge,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(simulation, "MOST_MODULES_IN_WORLDS", most_modules_in_worlds)
    root = write(tmp_path, PROGRAMS[name])
    known = project(root, targets, follow, newest)
    report = simulate(known)
    assert {entry.partition(".")[0] for entry in report.entries} == set(targets)
    verdicts = newest.ask(root, report.entries, worlds=WORLDS)
    assert [str(each) for each in disagreements(report, verdicts, WORLDS)] == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_of_a_package_that_is_not_followed_nothing_is_certain(name: str, newest: Judge, tmp_path: Path) -> None:
    root = write(tmp_path, PROGRAMS[name])
    report = simulate(project(root, ["shop"], [], newest))
    assert [failure for failure in report.failures if failure.kind is FailureKind.CRASH] == []


def test_the_programs_fail_in_different_ways(newest: Judge, tmp_path: Path) -> None:
    """Else the comparison above would show little."""
    failing = {}
    for name, files in PROGRAMS.items():
        root = write(tmp_path / name, files)
        verdicts = newest.ask(root, project(root, ["shop"], [], newest).modules, worlds=WORLDS)
        failing[name] = any(verdict.fails for verdict in verdicts)
    assert [name for name, fails in failing.items() if not fails] == ["surviving", "swallowed", "late"]
