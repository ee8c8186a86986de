"""What is measured, and the arithmetic of it."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from benchmarks.processes import Measured


class Section(Enum):
    """The tables of the report."""

    SCANS = "Scans"
    PEERS = "Other tools"
    SCALING = "Scaling"


@dataclass(frozen=True, slots=True)
class Target:
    """A package to be measured, alone in a folder."""

    label: str
    package: str
    root: Path
    """The folder that holds the package."""
    python: Path | None = None
    """An interpreter that has what the package needs, so that its modules can be imported."""

    def files(self) -> list[Path]:
        """The Python files of the package, sorted."""
        return sorted((self.root / self.package).rglob("*.py"))


@dataclass(frozen=True, slots=True)
class Series:
    """Runs of a command, and of the measure between them: before the first, and after each."""

    runs: tuple[Measured, ...]
    measures: tuple[float, ...]
    """Seconds of ``ast.parse`` of all files."""

    @property
    def seconds(self) -> float:
        """The median."""
        return statistics.median(run.seconds for run in self.runs)

    @property
    def ratio(self) -> float:
        """The median of the ratios of each run to the measure right before and right after it."""
        around = zip(self.runs, self.measures, self.measures[1:], strict=False)
        return statistics.median(run.seconds / ((before + after) / 2) for run, before, after in around)

    @property
    def peak_bytes(self) -> int:
        """The largest."""
        return max(run.peak_bytes for run in self.runs)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table; without seconds, the note says why there are none."""

    section: Section
    group: str
    what: str
    modules: int = 0
    seconds: float | None = None
    ratio: float | None = None
    """Times the seconds of ``ast.parse`` of all files of the package."""
    peak_bytes: int | None = None
    runs: int = 0
    at_least: bool = False
    """Whether the command was killed at its time limit."""
    note: str = ""


@dataclass(slots=True)
class Results:
    """All that has been measured so far."""

    rows: list[Row] = field(default_factory=list)
    measures: dict[str, list[float]] = field(default_factory=dict)
    """For each package, the seconds of all runs of ``ast.parse``."""
    is_complete: bool = False

    def find(self, section: Section, group: str, what: str) -> Row | None:
        """The row of this name."""
        names = (section, group, what)
        return next((row for row in self.rows if (row.section, row.group, row.what) == names), None)


@dataclass(frozen=True, slots=True)
class Noise:
    """How evenly the machine ran: the same work, many times."""

    median: float
    least: float
    """Times the median."""
    most: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Noise:
        """The noise of at least one run."""
        median = statistics.median(seconds)
        return cls(median, min(seconds) / median, max(seconds) / median)


def row_of(section: Section, target: Target, what: str, series: Series, modules: int, note: str = "") -> Row:
    """The row of a series; a run that failed or ran into its time limit is the last of its series, and counts alone."""
    last = series.runs[-1]
    if last.problem is not None:
        return Row(section, target.label, what, modules, note=last.problem)
    if last.timed_out:
        ratio = last.seconds / statistics.median(series.measures)
        return Row(section, target.label, what, modules, last.seconds, ratio, last.peak_bytes, 1, True, note)
    return Row(
        section, target.label, what, modules, series.seconds, series.ratio, series.peak_bytes, len(series.runs),
        note=note,
    )  # fmt: skip
