"""Virtual environments that hold one package with its dependencies, and truth tables, cached outside the repository."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import platformdirs

from tests.corpus.tables import Package
from tests.judge.interpreters import find_interpreters

TRUTH_PYTHON = (3, 13)
"""The CPython that is asked."""
_COMPILED = frozenset({"mypy"})
"""Packages whose wheels hold their modules compiled: they are built from source, without compiling, instead."""


class EnvironmentUnavailable(Exception):
    """A package could not be installed, or not be asked about; the text says why."""


def corpus_cache() -> Path:
    """The folder of environments and truth tables; ``XDG_CACHE_HOME`` moves it."""
    return platformdirs.user_cache_path("importcycle-corpus", appauthor=False)


def prepare_environment(package: Package) -> Path:
    """The interpreter of an environment with the package and its dependencies; made at first use.

    Raises:
        EnvironmentUnavailable: no interpreter of the version, or pip could not install the package.
    """
    folder = corpus_cache() / "environments" / f"{package.package}-{package.version}"
    python, complete = folder / "bin" / "python", folder / "complete"
    if complete.exists():
        return python
    base = next((one for one in find_interpreters() if one.version == TRUTH_PYTHON), None)
    if base is None:
        raise EnvironmentUnavailable("no CPython {}.{} on this machine".format(*TRUTH_PYTHON))
    shutil.rmtree(folder, ignore_errors=True)
    _run([str(base.executable), "-m", "venv", str(folder)])
    source = ["--no-binary", package.package] if package.package in _COMPILED else []
    requirement = f"{package.package}=={package.version}"
    _run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *source, requirement])
    complete.touch()
    return python


def search_path_folder(python: Path) -> Path:
    """The site-packages of an environment."""
    question = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return Path(_run([str(python), "-I", "-c", question]).strip())


def truth_table(package: Package, python: Path) -> Mapping[str, Any]:
    """What CPython does with every module of the package; asked at first use.

    Raises:
        EnvironmentUnavailable: the oracle failed.
    """
    oracle = Path(__file__).with_name("oracle.py")
    # A changed oracle is asked anew.
    place = corpus_cache() / "truth" / f"{package.package}-{package.version}.json"
    if not place.exists() or place.stat().st_mtime < oracle.stat().st_mtime:
        place.parent.mkdir(parents=True, exist_ok=True)
        incoming = place.with_suffix(".incoming")
        _run([str(python), str(oracle), ",".join(package.imports), str(incoming)])
        incoming.rename(place)
    table: Mapping[str, Any] = json.loads(place.read_text(encoding="utf-8"))
    return table


def _run(command: list[str]) -> str:
    # Without compiled files every child of the oracle would compile the package anew.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    completed = subprocess.run(command, capture_output=True, text=True, check=False, env=kept)
    if completed.returncode != 0:
        lines = [line for line in completed.stderr.strip().splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith(("ERROR", "error"))] or lines[-1:] or ["no message"]
        raise EnvironmentUnavailable(f"{' '.join(command[1:3])}: {errors[0]}")
    return completed.stdout
