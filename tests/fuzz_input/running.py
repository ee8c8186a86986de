"""Runs many inputs in processes that may die or hang without harm."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
BATCH = 100
PATIENCE = 900
"""Seconds for a batch; an input that hangs stands at the end of what the batch has written."""


@dataclass(slots=True)
class Tally:
    """What some inputs gave."""

    inputs: int = 0
    slowest: tuple[float, int] = (0.0, -1)
    """Seconds of processor time, and the number of the input."""
    failures: dict[int, str] = field(default_factory=dict)
    """Number of an input to what went wrong."""


def run_inputs(seed: str, count: int, *, jobs: int = 1, kept: Path | None = None, batch: int = BATCH) -> Tally:
    """Check so many inputs; those that fail are kept in a folder, if one is given."""
    tally = Tally()

    def run(start: int) -> None:
        _run_batch(seed, start, min(batch, count - start), tally, kept)

    with ThreadPoolExecutor(jobs) as pool:
        for _ in pool.map(run, range(0, count, batch)):
            _report_progress(tally, count)
    return tally


def _run_batch(seed: str, start: int, count: int, tally: Tally, kept: Path | None) -> None:
    end = start + count
    while start < end:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "input"
            output = _work(seed, start, end - start, place)
            lines = [line for line in output.splitlines() if line.strip()]
            for line in lines:
                _note(line, tally, lambda number: _keep(seed, number, kept))
            done = [int(line.split()[0]) for line in lines if " " in line.strip()]
            start = max(done, default=start - 1) + 1
            if start < end:  # the process has died at, or hung on, the next one
                tally.inputs += 1
                tally.failures[start] = "the process died, or did not come to an end"
                _keep(seed, start, kept)
                start += 1


def _work(seed: str, start: int, count: int, place: Path) -> str:
    command = [sys.executable, "-m", "tests.fuzz_input.worker", seed, str(start), str(count), str(place)]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE)
    except subprocess.TimeoutExpired as late:
        return late.stdout.decode() if isinstance(late.stdout, bytes) else late.stdout or ""
    return done.stdout


def _note(line: str, tally: Tally, keep: Callable[[int], None]) -> None:
    number, _, rest = line.strip().partition(" ")
    if not rest:
        return
    tally.inputs += 1
    if rest.startswith("failed "):
        tally.failures[int(number)] = rest.removeprefix("failed ")
        keep(int(number))
    else:
        tally.slowest = max(tally.slowest, (float(rest), int(number)))


def _keep(seed: str, number: int, kept: Path | None) -> None:
    from .check import write_input

    if kept is not None:
        shutil.rmtree(kept / str(number), ignore_errors=True)
        write_input(kept / str(number), seed, number)


def _report_progress(tally: Tally, count: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{tally.inputs}/{count}, {len(tally.failures)} failed", end="", file=sys.stderr)
