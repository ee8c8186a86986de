"""Git repositories that tests make, and installations that need the package registry."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.running import write

ROOT = Path(__file__).parents[2]
CRASH = {
    "shop/__init__.py": "",
    "shop/orders.py": "from shop.customers import Customer\n\n\nclass Order: ...\n",
    "shop/customers.py": "from shop.orders import Order\n\n\nclass Customer: ...\n",
}
CLEAN = {**CRASH, "shop/customers.py": "class Customer: ...\n"}
_INSTALLED_PARTS = ("importcycle", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml", "action.yml")
_UNREACHABLE = (
    "No matching distribution found",
    "Could not find a version",
    "Temporary failure in name resolution",
    "Connection refused",
    "Network is unreachable",
    "ConnectionError",
)


class Repository:
    """A git repository in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str) -> str:
        """What git prints; it must succeed. The user's own configuration does not matter."""
        identity = {f"GIT_{who}_{what}": "test" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        isolation = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        plain = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        completed = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            env={**plain, **identity, **isolation},
            capture_output=True,
            text=True,
            check=False,
        )
        assert completed.returncode == 0, completed.stderr
        return completed.stdout.strip()

    def commit(self, files: Mapping[str, str]) -> str:
        """Write the files and commit all there is; gives the commit's name."""
        write(self.folder, files)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message=change")
        return self.git("rev-parse", "HEAD")


def copy_of_the_project(folder: Path) -> Path:
    """What is needed to install importcycle, as it stands in the work tree."""
    for part in _INSTALLED_PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, folder / part)
    return folder


def skip_if_unreachable(output: str) -> None:
    """Skip the test when an installation failed because the package registry cannot be reached."""
    reason = next((sign for sign in _UNREACHABLE if sign in output), None)
    if reason is not None:
        pytest.skip(f"importcycle cannot be installed here, the package registry is out of reach: {reason}")
