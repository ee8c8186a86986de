"""What docs/scaling.md says: its programs run on a cluster, and what it says of the cache is so."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from distributed import LocalCluster

from importcycle.analysis import making, reuse
from importcycle.cache import CACHE_FOLDER
from importcycle.cache.store import DAYS_KEPT, SIZE_KEPT
from tests.cli.running import importcycle, write
from tests.gate.projects import CRASH, SURVIVES

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with LocalCluster(n_workers=1, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as cluster:
        yield cluster.scheduler_address


def run_program(name: str, folder: Path, *arguments: str) -> str:
    """What a program of the document prints."""
    found = re.search(rf"^```python\n(# {re.escape(name)} .*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL)
    assert found is not None
    (folder / name).write_text(found[1], encoding="utf-8")
    completed = subprocess.run(
        [sys.executable, name, *arguments], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert completed.returncode == 0, completed.stderr
    return completed.stdout


def two_packages(folder: Path) -> None:
    write(folder, CRASH)
    write(folder, {path.replace("shop", "till"): text.replace("shop", "till") for path, text in SURVIVES.items()})


def test_many_packages_are_scanned_on_a_cluster(address: str, tmp_path: Path) -> None:
    two_packages(tmp_path / "packages")
    lines = run_program("scan_many.py", tmp_path, address, "packages").splitlines()
    assert any(line.startswith("shop: IC101 ") for line in lines)
    assert {line.partition(":")[0] for line in lines} == {"shop", "till"}
    assert not any(line.startswith("till: IC1") for line in lines)


def test_a_large_package_is_scanned_with_a_cluster(address: str, tmp_path: Path) -> None:
    two_packages(tmp_path)
    assert "IC101 " in run_program("scan_large.py", tmp_path, address, "shop")


def test_the_limits_are_those_of_the_code() -> None:
    assert f"in {DAYS_KEPT} days" in DOCUMENT
    assert SIZE_KEPT == 1024**3
    assert f"at most {reuse.MOST_CHANGED})" in DOCUMENT
    assert f"about {making.BYTES_FOR_OTHER_PROCESSES / 1e6} MB" in DOCUMENT


def test_the_folder_is_where_it_is_said_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("IMPORTCYCLE_CACHE_DIR", raising=False)
    write(tmp_path, SURVIVES)
    importcycle("scan", "--no-cache", folder=tmp_path)
    assert not (tmp_path / CACHE_FOLDER).exists()
    importcycle("scan", folder=tmp_path, environment={"IMPORTCYCLE_CACHE_DIR": "elsewhere"})
    assert sorted(file.name for file in (tmp_path / "elsewhere").iterdir()) == [
        ".gitignore", "CACHEDIR.TAG", "facts.sqlite3",
    ]  # fmt: skip
    assert importcycle("clean", "--cache-dir", "elsewhere", folder=tmp_path).returncode == 0
    assert not (tmp_path / "elsewhere").exists()
    (tmp_path / "sub").mkdir()
    write(tmp_path, {"pyproject.toml": '[tool.importcycle]\ntargets = ["shop"]\n'})
    assert importcycle("scan", folder=tmp_path / "sub").returncode == 0
    assert (tmp_path / CACHE_FOLDER).is_dir()


def test_the_recipe_is_valid() -> None:
    recipe = re.search(r"^```yaml\n(.*?)^```", DOCUMENT, re.MULTILINE | re.DOTALL)
    assert recipe is not None
    [step] = yaml.safe_load(recipe[1])
    assert CACHE_FOLDER in step["with"]["path"].split()
