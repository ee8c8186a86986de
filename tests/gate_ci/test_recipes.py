"""The recipes of docs/ci.md are valid, and do what the document says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from importcycle.report.formats import FORMAT_NAMES
from tests.cli.running import write
from tests.gate_ci.repository import CRASH, ROOT, copy_of_the_project, skip_if_unreachable

DOCUMENT = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))


def block(heading: str) -> str:
    """The first block of code below a heading."""
    found = re.search(rf"^## {re.escape(heading)}$.*?^```\w+\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
    assert found is not None, heading
    return found[1]


def check(schema: str, text: str, folder: Path) -> None:
    """See to it that a service would take the file."""
    path = folder / "recipe.yml"
    path.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", str(path)]
    completed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert completed.returncode == 0, completed.stdout


def test_the_workflow_is_valid_and_uses_what_the_action_has(tmp_path: Path) -> None:
    text = block("GitHub Actions")
    check("github-workflows", text, tmp_path)
    steps = yaml.safe_load(text)["jobs"]["importcycle"]["steps"]
    (step,) = [step for step in steps if "importcycle@" in step["uses"]]
    assert set(step["with"]) <= set(ACTION["inputs"])
    assert set(re.findall(r"steps\.importcycle\.outputs\.([\w-]+)", text)) <= set(ACTION["outputs"])
    for name in (*ACTION["inputs"], *ACTION["outputs"]):
        assert f"`{name}`" in DOCUMENT


def test_the_gitlab_recipe_is_valid(tmp_path: Path) -> None:
    check("gitlab-ci", block("GitLab"), tmp_path)


def test_the_configuration_of_pre_commit_is_valid_and_uses_the_hook(tmp_path: Path) -> None:
    text = block("pre-commit")
    path = tmp_path / ".pre-commit-config.yaml"
    path.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "pre_commit", "validate-config", str(path)]
    assert subprocess.run(command, check=False).returncode == 0
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (used,) = yaml.safe_load(text)["repos"][0]["hooks"]
    assert used["id"] in [hook["id"] for hook in hooks]


def run_recipe(script: str, folder: Path, source: Path, programs: Path | None = None) -> int:
    """Run a recipe in a project with a crash; gives its exit status."""
    path = f"{programs}{os.pathsep}{os.environ['PATH']}" if programs is not None else os.environ["PATH"]
    completed = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path, "IMPORTCYCLE": str(source), "ENVIRONMENT": str(folder / "environment")},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    skip_if_unreachable(completed.stdout + completed.stderr)
    assert "IC101" in completed.stdout, completed.stderr
    return completed.returncode


def test_the_shell_and_gitlab_recipes_write_their_reports(tmp_path: Path) -> None:
    source = copy_of_the_project(tmp_path / "source")
    folder = write(tmp_path / "project", CRASH)
    assert run_recipe(block("Any other CI"), folder, source) == 1
    assert (folder / "reports" / "importcycle.xml").read_text(encoding="utf-8").startswith("<?xml")
    assert (folder / "reports" / "importcycle.md").read_text(encoding="utf-8").startswith("## importcycle: ")

    # The job of GitLab works in a container of its own: here in the environment that the shell recipe has made.
    job = yaml.safe_load(block("GitLab"))["importcycle"]
    programs = folder / "environment" / "bin"
    assert run_recipe("set -e\n" + "\n".join(job["script"]), folder, source, programs) == 1
    issues = json.loads((folder / job["artifacts"]["reports"]["codequality"]).read_text(encoding="utf-8"))
    assert {issue["location"]["path"] for issue in issues} <= set(CRASH)
    assert (folder / job["artifacts"]["reports"]["junit"]).exists()


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_every_format_is_described(name: str) -> None:
    assert f"\n| `{name}` |" in (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
