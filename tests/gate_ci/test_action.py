"""The composite action: valid by its schema, and its steps run as the runner would run them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.running import write
from tests.gate_ci.repository import CLEAN, CRASH, ROOT, Repository, copy_of_the_project, skip_if_unreachable

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
INSTALL, SCAN = ACTION["runs"]["steps"]


@dataclass
class Runner:
    """Enough of GitHub's runner for a composite action of shell steps."""

    action: Path
    temporary: Path
    log: str = ""
    summary: str = ""
    outputs: dict[str, str] = field(default_factory=dict)

    def run(self, step: Mapping[str, Any], workspace: Path, inputs: Mapping[str, str] | None = None) -> int:
        """Run one step; gives its exit status."""
        assert step["shell"] == "bash"
        values = {name: setting["default"] for name, setting in ACTION["inputs"].items()} | dict(inputs or {})
        files = {name: self.temporary / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "script.sh")}
        for path in files.values():
            path.write_text("", encoding="utf-8")
        files["script.sh"].write_text(step["run"], encoding="utf-8")
        given = {name: _evaluated(value, values) for name, value in step.get("env", {}).items()}
        completed = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", files.pop("script.sh")],
            cwd=workspace / _evaluated(step.get("working-directory", "."), values),
            env={
                **os.environ,
                **{name: str(path) for name, path in files.items()},
                "GITHUB_ACTION_PATH": str(self.action),
                "RUNNER_TEMP": str(self.temporary),
                **given,
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        self.log = completed.stdout + completed.stderr
        self.summary = files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
        lines = files["GITHUB_OUTPUT"].read_text(encoding="utf-8").splitlines()
        self.outputs = dict(line.split("=", 1) for line in lines)
        return completed.returncode


def _evaluated(text: str, inputs: Mapping[str, str]) -> str:
    """The text with the runner's expressions replaced by the inputs they name."""
    return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: inputs[found[1]], text)


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    folder = tmp_path_factory.mktemp("runner")
    made = Runner(copy_of_the_project(folder / "action"), folder)
    status = made.run(INSTALL, folder, {"python": sys.executable})
    skip_if_unreachable(made.log)
    assert status == 0, made.log
    return made


def test_the_action_keeps_to_its_schema() -> None:
    completed = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-actions", ROOT / "action.yml"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 0, completed.stdout


def test_inputs_never_become_part_of_a_script() -> None:
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"]


def test_a_crash_is_annotated_and_summed_up(runner: Runner, tmp_path: Path) -> None:
    Repository(tmp_path).commit(CRASH)
    assert runner.run(SCAN, tmp_path) == 1
    assert "::error file=shop/customers.py,line=1,title=IC101 import-crash::" in runner.log
    assert runner.summary.startswith("## importcycle: ")
    assert runner.outputs["exit-status"] == "1"
    sarif = json.loads(Path(runner.outputs["sarif-file"]).read_text(encoding="utf-8"))
    assert sarif["runs"][0]["results"]
    assert Path(runner.outputs["markdown-file"]).read_text(encoding="utf-8") == runner.summary


def test_a_sound_project_passes(runner: Runner, tmp_path: Path) -> None:
    assert runner.run(SCAN, write(tmp_path, CLEAN)) == 0
    assert runner.outputs["exit-status"] == "0"
    assert "no failing import found" in runner.summary


def test_targets_arguments_and_folder_are_heeded(runner: Runner, tmp_path: Path) -> None:
    write(tmp_path / "part", {**CRASH, "till/__init__.py": ""})
    given = {"working-directory": "part", "targets": "till\n  till/__init__.py\n"}
    assert runner.run(SCAN, tmp_path, given) == 0
    given = {"working-directory": "part", "targets": "shop", "arguments": "--fail-on never --ignore IC2"}
    assert runner.run(SCAN, tmp_path, given) == 0
    assert "::error file=" in runner.log


def test_only_what_a_branch_touches_is_told(runner: Runner, tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    repository.commit(CRASH)
    repository.git("checkout", "--quiet", "-b", "feature")
    repository.commit({"shop/parts.py": "x = 1\n"})
    assert runner.run(SCAN, tmp_path, {"diff": "main"}) == 0
    assert "::error" not in runner.log


def test_a_scan_that_cannot_be_done_fails_without_an_old_report(runner: Runner, tmp_path: Path) -> None:
    runner.run(SCAN, write(tmp_path, CRASH))
    assert runner.run(SCAN, tmp_path, {"targets": "shpo"}) == 2
    assert runner.outputs["exit-status"] == "2"
    assert runner.summary == ""
    assert set(runner.outputs) == {"exit-status"}


@pytest.mark.parametrize("name", ["targets", "arguments", "diff"])
def test_inputs_are_no_commands(runner: Runner, tmp_path: Path, name: str) -> None:
    evil = "$(touch${IFS}marker) `touch marker`; touch marker # \" ' * \\"
    assert runner.run(SCAN, write(tmp_path, CLEAN), {name: evil}) == 2
    assert not (tmp_path / "marker").exists()
