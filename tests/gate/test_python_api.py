"""The Python interface, and the test that teams paste."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import importcycle
from tests.cli.running import write
from tests.gate.projects import CRASH, SURVIVES, project

RECIPE = """\
import importcycle


def test_no_import_fails_because_of_a_cycle():
    importcycle.scan().check()
"""


@pytest.mark.parametrize(("files", "status"), [(CRASH, 1), (SURVIVES, 0)])
def test_the_recipe_in_a_test_suite(files: dict[str, str], status: int, tmp_path: Path) -> None:
    folder = write(tmp_path, {**files, "tests/test_imports.py": RECIPE})
    completed = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == status, completed.stdout
    assert ("IC101 shop/customers.py:1  import shop.orders fails: " in completed.stdout) is bool(status)


def test_the_recipe_is_documented() -> None:
    root = Path(__file__).parents[2]
    assert RECIPE in (root / "README.md").read_text(encoding="utf-8")


def test_checking_heeds_the_settings(tmp_path: Path) -> None:
    folder = project(tmp_path, "fail-on = 'note'", SURVIVES)
    with pytest.raises(importcycle.CheckFailed, match="IC202"):
        importcycle.scan(working_directory=folder).check()
    importcycle.scan(working_directory=folder, fail_on="never").check()
    importcycle.scan(working_directory=folder, configuration=False).check()


def test_a_baseline_counts(tmp_path: Path) -> None:
    folder = write(tmp_path, CRASH)
    subprocess.run([sys.executable, "-m", "importcycle", "baseline"], cwd=folder, check=True, capture_output=True)
    report = importcycle.scan(working_directory=folder)
    assert (report.findings, len(report.known), report.failed) == ((), 2, False)
    assert importcycle.scan(working_directory=folder, baseline=False).failed
    with pytest.raises(importcycle.BaselineError):
        importcycle.scan(working_directory=folder, baseline="nowhere.json")


def test_the_package_is_typed(tmp_path: Path) -> None:
    code = """\
import importcycle

report: importcycle.Report = importcycle.scan("shop", assume={"in_wsl()": False}, severity={"IC103": "error"})
names: list[str] = [finding.rule for finding in report.findings if finding.severity is importcycle.Severity.ERROR]
"""
    write(tmp_path, {"use.py": code})
    completed = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "use.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert completed.returncode == 0, completed.stdout
