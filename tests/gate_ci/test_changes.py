"""--diff and --changed: the whole project is analysed, and only what a change touches is told."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from importcycle.changes import FileChange
from tests.cli.running import SCRIPT, importcycle, write
from tests.gate_ci.repository import CLEAN, CRASH, Repository

OLD_CRASH = {
    "shop/a.py": "from shop.b import two\n\n\ndef helper():\n    return 1\n\n\none = 1\n",
    "shop/b.py": "from shop.a import one\n\ntwo = 2\n",
}

NEW_CRASH = {"shop/c.py": "from shop.d import x\ny = 1\n", "shop/d.py": "from shop.c import y\nx = 1\n"}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """One with a crash of old between shop.a and shop.b, and with shop.orders and shop.customers sound."""
    made = Repository(tmp_path / "project")
    made.commit({**CLEAN, **OLD_CRASH})
    return made


def crashes(repository: Repository, *arguments: str) -> list[tuple[str, str]]:
    """Module and name of each crash that is told."""
    completed = importcycle("scan", "shop", "--format", "json", *arguments, folder=repository.folder)
    assert completed.returncode in (0, 1), completed.stderr
    document: dict[str, Any] = json.loads(completed.stdout)
    found = sorted({(f["error"]["module"], f["error"]["name"]) for f in document["findings"] if f["error"]})
    assert completed.returncode == int(bool(found))
    return found


ORDER = ("shop.orders", "Order")
OLD = [("shop.a", "one"), ("shop.b", "two")]


def test_without_changes_nothing_is_told(repository: Repository) -> None:
    assert crashes(repository) == OLD
    assert crashes(repository, "--changed") == []
    assert crashes(repository, "--diff", "HEAD") == []


@pytest.mark.parametrize("staged", [False, True])
def test_a_change_that_makes_an_import_fail_is_told(repository: Repository, staged: bool) -> None:
    write(repository.folder, {"shop/customers.py": CRASH["shop/customers.py"]})
    if staged:
        repository.git("add", "--all")
    assert ORDER in crashes(repository, "--changed")
    assert not set(OLD) & set(crashes(repository, "--changed"))


def test_how_many_are_not_shown_is_said(repository: Repository) -> None:
    completed = importcycle("scan", "shop", "--changed", folder=repository.folder)
    assert completed.returncode == 0
    assert "not shown: 2 findings that the changes do not touch" in completed.stderr
    assert importcycle("scan", "shop", "--changed", "--quiet", folder=repository.folder).stderr == ""


def test_new_files_count(repository: Repository) -> None:
    write(repository.folder, NEW_CRASH)
    assert crashes(repository, "--changed") == [("shop.c", "y"), ("shop.d", "x")]


def test_ignored_files_do_not_count(repository: Repository) -> None:
    repository.commit({".gitignore": "c.py\nd.py\n"})
    write(repository.folder, NEW_CRASH)
    assert crashes(repository, "--changed") == []


def test_a_change_inside_an_uninvolved_function_touches_nothing(repository: Repository) -> None:
    text = OLD_CRASH["shop/a.py"].replace("return 1", "return 2")
    write(repository.folder, {"shop/a.py": text})
    assert crashes(repository, "--changed") == []


USER = "from shop.names import alpha\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("alpha = 1\nimport shop.user\n", "import shop.user\n"),
        ("def alpha():\n    pass\n\n\nimport shop.user\n", "def gamma():\n    pass\n\n\nimport shop.user\n"),
    ],
)
def test_a_removed_or_renamed_name_is_told_where_it_is_missed(repository: Repository, before: str, after: str) -> None:
    repository.commit({"shop/user.py": USER, "shop/names.py": before})
    assert crashes(repository, "--changed") == []
    write(repository.folder, {"shop/names.py": after})
    assert crashes(repository, "--changed") == [("shop.names", "alpha")]


def test_a_removed_file_is_told_where_it_is_missed(repository: Repository) -> None:
    files = {"pot/__init__.py": "import pot.user\n", "pot/user.py": "from pot import lid\n", "pot/lid.py": ""}
    repository.commit(files)
    (repository.folder / "pot" / "lid.py").unlink()
    completed = importcycle("scan", "pot", "shop", "--changed", folder=repository.folder)
    assert completed.returncode == 1
    assert "cannot import name 'lid'" in completed.stdout
    assert "'one'" not in completed.stdout


def test_a_removed_import_that_kept_the_order_is_told(repository: Repository) -> None:
    files = {
        "kit/__init__.py": "import kit.second\n\nVALUE = 1\n",
        "kit/first.py": "from kit.second import two\n\none = 1\n",
        "kit/second.py": "two = 2\n\nfrom kit.first import one\n",
    }
    repository.commit(files)
    assert importcycle("scan", "kit", folder=repository.folder).returncode == 0
    write(repository.folder, {"kit/__init__.py": "VALUE = 1\n"})
    assert importcycle("scan", "kit", "--changed", folder=repository.folder).returncode == 1


def test_a_branch_is_compared_from_where_it_left(repository: Repository) -> None:
    repository.git("checkout", "--quiet", "-b", "feature")
    repository.commit({"shop/customers.py": CRASH["shop/customers.py"]})
    repository.git("checkout", "--quiet", "main")
    repository.commit({"shop/a.py": "# moved\n" + OLD_CRASH["shop/a.py"]})
    repository.git("checkout", "--quiet", "feature")
    assert ORDER in crashes(repository, "--diff", "main")
    assert not set(OLD) & set(crashes(repository, "--diff", "main"))
    assert crashes(repository, "--changed") == []


def test_in_a_repository_without_commits_all_is_new(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "fresh")
    write(repository.folder, CRASH)
    assert ORDER in crashes(repository, "--changed")
    repository.git("add", "--all")
    assert ORDER in crashes(repository, "--changed")


def test_odd_names_of_files_are_read_right(repository: Repository) -> None:
    odd = 'notes "a"\tb\nc é.txt'
    repository.commit({odd: "1\n"})
    write(repository.folder, {odd: "2\n", "shop/customers.py": CRASH["shop/customers.py"]})
    assert ORDER in crashes(repository, "--changed")


def test_in_a_hook_of_git_the_projects_repository_is_asked(repository: Repository, tmp_path: Path) -> None:
    write(repository.folder, {"shop/customers.py": CRASH["shop/customers.py"]})
    other = Repository(tmp_path / "other")
    completed = importcycle(
        "scan", "shop", "--changed", folder=repository.folder, environment={"GIT_DIR": str(other.folder / ".git")}
    )
    assert completed.returncode == 1


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (["--diff", "nowhere"], "no commit 'nowhere'"),
        (["--diff", "--output=x"], "no commit '--output=x'"),
        (["--diff", "main", "--changed"], "exclude each other"),
    ],
)
def test_mistakes_are_answered_with_status_2(repository: Repository, arguments: list[str], answer: str) -> None:
    completed = importcycle("scan", "shop", *arguments, folder=repository.folder)
    assert completed.returncode == 2
    assert answer in completed.stderr
    assert not (repository.folder / "x").exists()


def test_outside_of_a_repository_that_is_said(tmp_path: Path) -> None:
    completed = importcycle(
        "scan", "shop", "--changed", folder=write(tmp_path, CLEAN), environment={"GIT_CEILING_DIRECTORIES": "/"}
    )
    if completed.returncode == 0:
        pytest.skip("the folder for temporary files lies in a repository")
    assert completed.returncode == 2
    assert "not a git repository" in completed.stderr


def test_without_git_that_is_said(repository: Repository) -> None:
    completed = subprocess.run(
        [SCRIPT, "scan", "shop", "--changed"],
        cwd=repository.folder,
        env={**os.environ, "PATH": str(repository.folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 2
    assert "git cannot be run" in completed.stderr


def test_the_repositorys_configuration_runs_no_program(repository: Repository) -> None:
    marker = repository.folder / "marker"
    program = repository.folder / "program"
    program.write_text(f"#!/bin/sh\ntouch '{marker}'\n", encoding="utf-8")
    program.chmod(0o755)
    for name in ("core.fsmonitor", "diff.external", "diff.odd.textconv", "diff.odd.command", "core.pager"):
        repository.git("config", name, str(program))
    hook = repository.folder / ".git" / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    program.rename(hook)
    write(repository.folder, {".gitattributes": "*.py diff=odd\n", "shop/a.py": OLD_CRASH["shop/a.py"] + "\n"})
    importcycle("scan", "shop", "--changed", folder=repository.folder)
    assert not marker.exists()


def test_what_lines_a_change_touches() -> None:
    change = FileChange(lines=(range(4, 6),), gaps=(10,))
    assert change.touches(range(5, 9))
    assert not change.touches(range(1, 4))
    assert not change.touches(range(6, 8))
    assert change.touches(range(10, 12))
    assert not change.touches(range(8, 11))
    assert not change.touches(range(11, 12))
    assert FileChange(whole=True).touches(range(1, 2))
