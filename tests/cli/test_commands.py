"""Commands that need no scan, and the manners of all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import importcycle as package
from importcycle.cli import run
from importcycle.findings import ALL_RULES
from tests.cli.running import importcycle, write


def test_the_version_is_told() -> None:
    assert importcycle("--version").stdout == f"importcycle {package.__version__}\n"


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["scan", "--help"], ["trace", "--help"]])
def test_version_and_help_import_nothing_heavy(arguments: list[str]) -> None:
    completed = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "importcycle", *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    imported = {line.rpartition("|")[2].strip() for line in completed.stderr.splitlines()}
    assert "click" in imported
    assert not imported & {"networkx", "grimp", "rich", "importcycle.scanning"}


def test_help_has_examples_and_exit_statuses() -> None:
    assert "importcycle scan src/shop --format json" in importcycle("--help").stdout
    assert "130  interrupted" in importcycle("scan", "--help").stdout


def test_each_rule_is_explained_by_code_and_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules"]) == 0
    listed = capsys.readouterr().out
    for rule in ALL_RULES:
        assert run(["rule", rule.code.lower()]) == 0
        by_code = capsys.readouterr().out
        assert run(["rule", rule.name]) == 0
        assert capsys.readouterr().out == by_code
        assert rule.meaning in by_code
        assert rule.meaning in listed


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (["scna"], "did you mean 'scan'?"),
        (["rule", "IC1O2"], "did you mean IC102?"),
        (["scan", "--select", "IC7"], "no rule 'IC7'"),
        (["scan", "--formt", "json"], "--format"),
        (["scan", "--python-version", "three"], "no version of Python 3"),
    ],
)
def test_mistakes_are_answered_with_status_2(arguments: list[str], answer: str, tmp_path: Path) -> None:
    completed = importcycle(*arguments, folder=write(tmp_path, {"shop/__init__.py": ""}))
    assert completed.returncode == 2
    assert answer in completed.stderr
    assert "Traceback" not in completed.stderr


def test_run_as_a_module_it_takes_nothing_from_the_current_folder(tmp_path: Path) -> None:
    bait = "open('touched', 'w').close()\n"
    names = ("click", "json", "rich", "networkx", "grimp", "traceback", "platform", "sitecustomize", "typing")
    write(tmp_path, {f"{name}.py": bait for name in names})
    completed = subprocess.run(
        [sys.executable, "-m", "importcycle", "rules"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "IC101" in completed.stdout
    assert not (tmp_path / "touched").exists()


def test_the_public_names_are_there_but_loaded_at_first_use() -> None:
    code = "import sys, importcycle; assert 'importcycle.scanning' not in sys.modules; print(importcycle.scan.__name__)"
    completed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert completed.stdout == "scan\n"
    with pytest.raises(AttributeError, match="no attribute 'scam'"):
        package.scam  # type: ignore[attr-defined]  # noqa: B018
