"""The hook, run by the real pre-commit in a temporary repository."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.gate_ci.repository import CLEAN, CRASH, ROOT, Repository, copy_of_the_project, skip_if_unreachable

pytest.importorskip("pre_commit", reason="pre-commit is not installed: install the project's extra 'test'")

PRE_COMMIT = (sys.executable, "-m", "pre_commit")
OLD = {
    "old/__init__.py": "",
    "old/a.py": "from old.b import two\none = 1\n",
    "old/b.py": "from old.a import one\ntwo = 2\n",
}
QUICK = 20.0
"""Seconds: making the environment anew takes longer, and a slow machine must not fail the test."""


@dataclass(frozen=True)
class PreCommit:
    """The hook's repository, and a home for pre-commit in which the hook's environment is made once."""

    hooks: Repository
    revision: str
    home: Path

    def run(self, project: Repository, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run pre-commit in the project."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        return subprocess.run(
            [*PRE_COMMIT, *arguments],
            cwd=project.folder,
            env={**environment, "PRE_COMMIT_HOME": str(self.home), "PRE_COMMIT_COLOR": "never"},
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )

    def configuration(self, *arguments: str) -> str:
        """A configuration that uses the hook, with arguments for it."""
        hook = {"id": "importcycle", "args": list(arguments)}
        return yaml.safe_dump({"repos": [{"repo": str(self.hooks.folder), "rev": self.revision, "hooks": [hook]}]})


@pytest.fixture(scope="module")
def pre_commit(tmp_path_factory: pytest.TempPathFactory) -> PreCommit:
    folder = tmp_path_factory.mktemp("pre-commit")
    hooks = Repository(copy_of_the_project(folder / "hooks"))
    made = PreCommit(hooks, hooks.commit({}), folder / "home")
    warming = Repository(folder / "warming")
    warming.commit({".pre-commit-config.yaml": made.configuration()})
    completed = made.run(warming, "install-hooks")
    skip_if_unreachable(completed.stdout + completed.stderr)
    assert completed.returncode == 0, completed.stdout + completed.stderr
    return made


@pytest.fixture
def project(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "project")


def test_the_manifest_is_valid() -> None:
    completed = subprocess.run(
        [*PRE_COMMIT, "validate-manifest", ROOT / ".pre-commit-hooks.yaml"], capture_output=True, text=True, check=False
    )
    assert completed.returncode == 0, completed.stdout


def test_try_repo_passes_on_a_sound_project(pre_commit: PreCommit, project: Repository) -> None:
    project.commit(CLEAN)
    completed = pre_commit.run(project, "try-repo", str(pre_commit.hooks.folder), "importcycle", "--all-files")
    skip_if_unreachable(completed.stdout + completed.stderr)
    assert completed.returncode == 0, completed.stdout + completed.stderr
    assert "Passed" in completed.stdout


def test_a_staged_crash_fails_and_the_second_run_is_quick(pre_commit: PreCommit, project: Repository) -> None:
    project.commit({**CLEAN, ".pre-commit-config.yaml": pre_commit.configuration()})
    (project.folder / "shop" / "customers.py").write_text(CRASH["shop/customers.py"], encoding="utf-8")
    project.git("add", "--all")
    completed = pre_commit.run(project, "run")
    assert completed.returncode == 1
    assert "IC101 import-crash   import shop.orders" in completed.stdout
    assert "x shop/customers.py:1" in completed.stdout
    started = time.monotonic()
    assert pre_commit.run(project, "run").returncode == 1
    assert time.monotonic() - started < QUICK


def test_a_crash_that_is_not_staged_does_not_matter(pre_commit: PreCommit, project: Repository) -> None:
    project.commit({**CLEAN, ".pre-commit-config.yaml": pre_commit.configuration()})
    (project.folder / "shop" / "orders.py").write_text(CLEAN["shop/orders.py"] + "\nx = 1\n", encoding="utf-8")
    project.git("add", "--all")
    (project.folder / "shop" / "customers.py").write_text(CRASH["shop/customers.py"], encoding="utf-8")
    completed = pre_commit.run(project, "run")
    assert completed.returncode == 0, completed.stdout + completed.stderr


def test_without_python_files_it_does_not_run(pre_commit: PreCommit, project: Repository) -> None:
    project.commit({**CRASH, ".pre-commit-config.yaml": pre_commit.configuration()})
    (project.folder / "notes.txt").write_text("", encoding="utf-8")
    project.git("add", "--all")
    completed = pre_commit.run(project, "run")
    assert completed.returncode == 0
    assert "Skipped" in completed.stdout


def test_with_changed_crashes_of_old_let_a_commit_pass(pre_commit: PreCommit, project: Repository) -> None:
    project.commit({**CLEAN, **OLD, ".pre-commit-config.yaml": pre_commit.configuration("--changed")})
    (project.folder / "shop" / "orders.py").write_text(CLEAN["shop/orders.py"] + "\nx = 1\n", encoding="utf-8")
    project.git("add", "--all")
    completed = pre_commit.run(project, "run")
    assert completed.returncode == 0, completed.stdout + completed.stderr
    (project.folder / "shop" / "customers.py").write_text(CRASH["shop/customers.py"], encoding="utf-8")
    project.git("add", "--all")
    completed = pre_commit.run(project, "run")
    assert completed.returncode == 1
    assert "import shop.orders" in completed.stdout
    assert "import old" not in completed.stdout
