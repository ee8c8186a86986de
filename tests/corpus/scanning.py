"""Runs the analyzer as a user does, in a process of its own, and measures it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SCAN_COMMAND = (str(Path(sys.executable).with_name("importcycle")), "scan")
"""The console script, not ``-m``: the folder of the target must not be searched for the tool's own modules."""


@dataclass(frozen=True, slots=True)
class Scan:
    """What one scan gave: the JSON document, or why there is none."""

    document: Mapping[str, Any] | None
    problem: str | None
    seconds: float
    peak_bytes: int

    def findings(self, *rules: str) -> list[Mapping[str, Any]]:
        """The findings under these rules."""
        findings = self.document["findings"] if self.document else ()
        return [finding for finding in findings if finding["rule"] in rules]

    def deferred(self) -> list[Mapping[str, Any]]:
        """The deferred imports that initialisation can trigger."""
        return list(self.document.get("deferred", ())) if self.document else []


def run_scan(
    root: Path,
    targets: Sequence[str],
    python_version: tuple[int, int],
    *,
    timeout: float,
    command: Sequence[str] = SCAN_COMMAND,
) -> Scan:
    """Scan packages by name, as they are found in a folder.

    Exit statuses 0 and 1 are results; anything else, or no JSON, is a problem that the scan's ``problem`` tells.
    """
    options = ["--format", "json", "--deferred", "--python-version", "{}.{}".format(*python_version)]
    environment = {**os.environ, "NO_COLOR": "1"}
    started = time.monotonic()
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [*command, *options, *targets],
            cwd=root, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, start_new_session=True,
        )  # fmt: skip
        timer = threading.Timer(timeout, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        # Popen must know that the process is gone: it would wait for it again.
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        text, complaint = output.read(), errors.read().decode(errors="replace")
    seconds = time.monotonic() - started
    document, problem = _read(process.returncode, text, complaint)
    if process.returncode == -signal.SIGKILL:
        problem = f"killed after {seconds:.0f} seconds"
    return Scan(document, problem, seconds, usage.ru_maxrss * 1024)


def _read(status: int, text: bytes, complaint: str) -> tuple[Mapping[str, Any] | None, str | None]:
    last = complaint.strip().splitlines()[-1:] or ["no message"]
    if status not in (0, 1):
        return None, f"exit status {status}: {last[0]}"
    try:
        return json.loads(text), None
    except ValueError:
        return None, f"no JSON, exit status {status}: {last[0]}"
