"""What is imported for a command: nothing heavy where nothing is analysed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HEAVY = {"grimp", "networkx"}


def _imported(folder: Path, *arguments: str) -> set[str]:
    completed = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "importcycle", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr
    lines = [line for line in completed.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}


def test_a_scan_that_finds_all_in_the_cache_imports_no_analysis(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__init__.py").write_text("")
    assert _imported(tmp_path, "scan", "shop") >= HEAVY
    assert not HEAVY & _imported(tmp_path, "scan", "shop")
