"""Findings are confirmed by running what they say, under the conditions that they say."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.corpus.confirm import confirm, main

FILES = {
    "__init__.py": "",
    "first.py": "import absent_package\nif absent_package.chosen:\n    import package.second\nname = 1\n",
    "second.py": "from package.first import name\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        place = tmp_path / "tree" / "package" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return tmp_path / "tree"


def finding(*, value: bool, name: str = "name") -> dict[str, Any]:
    return {
        "rule": "IC102",
        "entry": "package.first",
        "error": {"type": "ImportError", "module": "package.first", "name": name},
        "location": {"path": "package/second.py", "line": 1},
        "conditions": [{"test": "absent_package.chosen", "value": value, "path": "package/first.py", "line": 2}],
    }


def test_a_true_finding_is_shown_under_its_conditions_only(tree: Path) -> None:
    assert confirm(finding(value=True), tree, sys.executable).shown
    refuted = confirm(finding(value=False), tree, sys.executable)
    assert (refuted.shown, refuted.remark) == (False, "imports")


def test_another_failure_confirms_nothing(tree: Path) -> None:
    result = confirm(finding(value=True, name="other"), tree, sys.executable)
    assert not result.shown
    assert result.remark.startswith("fails otherwise: ImportError at package/second.py:1")


def test_the_command_goes_through_a_document(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = tree.parent / "document.json"
    document.write_text(json.dumps({"findings": [finding(value=True), finding(value=False)]}), encoding="utf-8")
    assert main([str(document), str(tree)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line[:9].strip() for line in lines] == ["shown", "NOT SHOWN"]
