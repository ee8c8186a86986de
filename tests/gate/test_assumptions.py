"""Tests whose value the user knows: they split nothing and are no conditions of a finding."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from importcycle.importing import simulate
from importcycle.importing.outcomes import Failure, FailureKind
from importcycle.project import canonical_test, discover
from tests.cli.running import write

FILES = {
    "app/__init__.py": "",
    "app/settings.py": """\
import os
from app import log

if os.environ.get('APP_DEBUG') != 'no':
    log.note("debugging")

LEVEL = "info"
""",
    "app/log.py": """\
def note(text):
    if not is_quiet():
        from app.settings import LEVEL
        print(LEVEL, text)


def is_quiet():
    from somewhere import quiet
    return quiet()
""",
}


def crashes(folder: Path, assume: dict[str, bool]) -> list[Failure]:
    project = discover(["app"], working_directory=folder, python_version=(3, 11))
    project = replace(project, assume={canonical_test(test): value for test, value in assume.items()})
    return [failure for failure in simulate(project).failures if failure.kind is FailureKind.CRASH]


def asked_by(failures: list[Failure]) -> set[tuple[str, bool]]:
    return {(condition.test, condition.value) for failure in failures for condition in failure.conditions}


@pytest.mark.parametrize(
    ("assume", "conditions"),
    [
        ({}, {("os.environ.get('APP_DEBUG') != 'no'", True), ("is_quiet()", False)}),
        ({"is_quiet()": False}, {("os.environ.get('APP_DEBUG') != 'no'", True)}),
        ({"is_quiet()": False, 'os.environ.get( "APP_DEBUG" )!="no"': True}, set()),
        ({"is_quiet()": False, "os.environ.get('APP_DEBUG') == 'no'": False}, set()),
    ],
)
def test_a_known_test_is_no_condition(
    assume: dict[str, bool], conditions: set[tuple[str, bool]], tmp_path: Path
) -> None:
    failures = crashes(write(tmp_path, FILES), assume)
    assert failures
    assert asked_by(failures) == conditions
    assert all(failure.certain is not bool(conditions) for failure in failures)


@pytest.mark.parametrize("assume", [{"is_quiet()": True}, {"os.environ.get('APP_DEBUG') != 'no'": False}])
def test_what_cannot_happen_is_not_found(assume: dict[str, bool], tmp_path: Path) -> None:
    assert crashes(write(tmp_path, FILES), assume) == []


def test_the_way_a_test_is_written_makes_no_difference() -> None:
    assert canonical_test("f( 'a',\n  b )") == canonical_test('f("a", b,)')
    assert canonical_test("no expression at") == "no expression at"
    assert canonical_test("(" * 3_000) == "(" * 3_000
