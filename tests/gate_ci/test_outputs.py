"""Several reports of one scan."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from importcycle.report.formats import FORMAT_NAMES
from tests.cli.running import importcycle, write
from tests.gate_ci.repository import CLEAN, CRASH


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path, CRASH)


def test_one_scan_writes_many_reports(project: Path) -> None:
    wanted = {name: project / "reports" / f"all.{name}" for name in FORMAT_NAMES}
    arguments = [argument for name, path in wanted.items() for argument in ("--output", f"{name}={path}")]
    completed = importcycle("scan", "shop", *arguments, folder=project)
    assert completed.returncode == 1
    assert "IC101 import-crash" in completed.stdout
    assert wanted["text"].read_text(encoding="utf-8") == completed.stdout
    assert json.loads(wanted["json"].read_text(encoding="utf-8"))["summary"]["error"] >= 1
    assert json.loads(wanted["sarif"].read_text(encoding="utf-8"))["version"] == "2.1.0"
    assert json.loads(wanted["gitlab"].read_text(encoding="utf-8"))[0]["severity"] == "critical"
    assert wanted["github"].read_text(encoding="utf-8").startswith("::error file=shop/")
    assert ElementTree.parse(wanted["junit"]).getroot().get("failures") != "0"
    assert wanted["markdown"].read_text(encoding="utf-8").startswith("## importcycle: ")


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_files_and_standard_output_hold_the_same(project: Path, name: str) -> None:
    path = project / "report"
    completed = importcycle("scan", "shop", "--format", name, "--output", f"{name}={path}", folder=project)
    assert path.read_text(encoding="utf-8") == completed.stdout


def test_files_have_no_colours(project: Path) -> None:
    path = project / "report.txt"
    importcycle("scan", "shop", "--color", "always", "--output", f"text={path}", folder=project)
    assert "\x1b" not in path.read_text(encoding="utf-8")


def test_a_clean_project_has_reports_too(tmp_path: Path) -> None:
    write(tmp_path, CLEAN)
    completed = importcycle("scan", "shop", "--output", "junit=a.xml", "--output", "github=b.txt", folder=tmp_path)
    assert completed.returncode == 0
    assert ElementTree.parse(tmp_path / "a.xml").getroot().get("failures") == "0"
    assert (tmp_path / "b.txt").read_text(encoding="utf-8") == ""


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        ("sariff=x", "did you mean 'sarif'?"),
        ("html=x", "it is one of text, json, sarif"),
        ("sarif", "names no file"),
        ("sarif=shop", "cannot write shop"),
        ("sarif=shop/orders.py/x", "cannot write"),
    ],
)
def test_mistakes_are_answered_with_status_2(project: Path, value: str, answer: str) -> None:
    completed = importcycle("scan", "shop", "--output", value, folder=project)
    assert completed.returncode == 2
    assert answer in completed.stderr
    assert "Traceback" not in completed.stderr


def test_a_source_layout_is_named_from_the_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    folder = write(tmp_path / "services", {f"src/{name}": text for name, text in CRASH.items()})
    completed = importcycle("scan", "--format", "github", folder=folder)
    assert completed.stdout.startswith("::error file=services/src/shop/")
