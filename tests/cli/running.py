"""Runs the installed console script as a user does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SCRIPT = Path(sys.executable).with_name("importcycle")


def importcycle(
    *arguments: str | Path, folder: Path | None = None, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder; output is not a terminal."""
    return subprocess.run(
        [SCRIPT, *arguments],
        cwd=folder,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def scan_json(*arguments: str | Path, folder: Path | None = None) -> dict[str, Any]:
    """The JSON report of a scan that ran to its end."""
    completed = importcycle("scan", *arguments, "--format", "json", folder=folder)
    assert completed.returncode in (0, 1), completed.stderr
    document: dict[str, Any] = json.loads(completed.stdout)
    return document


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write a tree of files, and give the folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
