"""Runs a command as a user does, in a process of its own, and measures it."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

_BYTES_OF_MAXRSS = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True, slots=True)
class Measured:
    """One run of a command."""

    seconds: float
    peak_bytes: int
    """Of the largest of its processes; not below what `smallest_peak` tells."""
    timed_out: bool = False
    problem: str | None = None
    """Why the run says nothing."""


def run(
    command: Sequence[str | Path],
    *,
    folder: Path,
    timeout: float,
    environment: Mapping[str, str] | None = None,
    good: Collection[int] = (0,),
) -> Measured:
    """Run a command to its end, or kill it and its processes after some seconds.

    Exit statuses that are not among the good ones are a problem, which the result tells; so is a command not found.
    """
    variables = {**os.environ, "NO_COLOR": "1", **(environment or {})}
    with tempfile.TemporaryFile() as errors:
        started = time.perf_counter()
        try:
            process = subprocess.Popen(
                [str(part) for part in command], cwd=folder, env=variables, start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
            )  # fmt: skip
        except OSError as error:
            return Measured(0.0, 0, problem=str(error))
        usage = _waited(process, timeout)
        seconds = time.perf_counter() - started
        status = process.returncode
        complaint = _last_line(errors)
    peak = usage.ru_maxrss * _BYTES_OF_MAXRSS
    if status == -signal.SIGKILL and seconds >= timeout:
        return Measured(seconds, peak, timed_out=True)
    problem = None if status in good else f"exit status {status}: {complaint}"
    return Measured(seconds, peak, problem=problem)


def smallest_peak() -> int:
    """Bytes below which no peak can be told: a process begins with the memory of the one that starts it."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _BYTES_OF_MAXRSS


def _waited(process: subprocess.Popen[bytes], timeout: float) -> resource.struct_rusage:
    timer = threading.Timer(timeout, os.killpg, (process.pid, signal.SIGKILL))
    timer.start()
    try:
        _, status, usage = os.wait4(process.pid, 0)
    except BaseException:  # Ctrl-C reaches only this process: the other has a session of its own
        os.killpg(process.pid, signal.SIGKILL)
        raise
    finally:
        timer.cancel()
    # Popen must know that the process is gone: it would wait for it again.
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage


def _last_line(errors: IO[bytes]) -> str:
    errors.seek(0)
    lines = errors.read().decode(errors="replace").strip().splitlines()
    return lines[-1][:200] if lines else "no message"
