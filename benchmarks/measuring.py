"""The measure is ``ast.parse`` of all files of a package; it runs between the runs of what is measured.

Whatever else the machine has to do then slows both.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.model import Results, Series, Target
from benchmarks.processes import Measured, run

_PARSE_ALL = """
import ast, pathlib, sys, warnings
warnings.simplefilter("ignore")
for file in pathlib.Path(sys.argv[1]).rglob("*.py"):
    try:
        ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        pass
"""


class MeasureFailed(Exception):
    """The files of a package could not even be parsed."""


def parse_all(target: Target, timeout: float) -> Measured:
    """``ast.parse`` of all files of a package in one process, from its start to its end."""
    command = [sys.executable, "-I", "-c", _PARSE_ALL, str(target.root / target.package)]
    return run(command, folder=target.root, timeout=timeout)


@dataclass(frozen=True, slots=True)
class Stopwatch:
    """Repeats what is measured, with the measure before, between and after."""

    results: Results
    runs: int
    budget: float
    """Seconds after which a series is not repeated any more."""
    timeout: float
    """Seconds that the measure may take."""

    def repeated(self, target: Target, task: Callable[[], Measured]) -> Series:
        """Run a task several times; only once when it fails, or takes very long.

        Raises:
            MeasureFailed: the measure itself cannot be had.
        """
        started = time.perf_counter()
        measures = [self._measure(target)]
        done: list[Measured] = []
        for _ in range(self.runs):
            done.append(task())
            measures.append(self._measure(target))
            if done[-1].problem is not None or done[-1].timed_out or time.perf_counter() - started > self.budget:
                break
        return Series(tuple(done), tuple(measures))

    def _measure(self, target: Target) -> float:
        measured = parse_all(target, self.timeout)
        if measured.problem is not None or measured.timed_out:
            raise MeasureFailed(measured.problem or f"ast.parse took more than {self.timeout:.0f} s")
        self.results.measures.setdefault(target.label, []).append(measured.seconds)
        return measured.seconds
