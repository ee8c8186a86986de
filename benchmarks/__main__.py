"""Measure: ``python -m benchmarks``, or ``make bench``. Each row is shown and written as soon as it is there.

Sources come from the package registry once; they and the environments of other tools stay in the user's cache.
"""

from __future__ import annotations

import argparse
import os
import platform
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from benchmarks.generate import generate_package
from benchmarks.measuring import MeasureFailed, Stopwatch
from benchmarks.model import Results, Row, Section, Target
from benchmarks.packages import Release, chosen_releases, prepare_target
from benchmarks.peers import Limits, peer_rows
from benchmarks.picture import render_picture
from benchmarks.processes import smallest_peak
from benchmarks.report import PICTURE, Circumstances, line_of, render_markdown, terminal_heading
from benchmarks.scans import cold_row, scan_rows
from tests.support.registry import SourcesUnavailable

_SIZES = (1_000, 5_000, 20_000, 50_000)
_INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure, and how."""

    releases: Sequence[Release]
    sizes: Sequence[int]
    seed: int
    with_peers: bool
    scan_timeout: float
    limits: Limits


def measured_rows(plan: Plan, stopwatch: Stopwatch) -> Iterator[Row]:
    """All rows, each as soon as it is there."""
    for release in plan.releases:
        with tempfile.TemporaryDirectory(prefix="importcycle-bench-") as folder:
            work = Path(folder)
            try:
                target = prepare_target(release, _made(work / "sources"), with_interpreter=plan.with_peers)
                yield from scan_rows(target, _made(work / "scans"), stopwatch, plan.scan_timeout)
                if plan.with_peers:
                    yield from peer_rows(target, _made(work / "peers"), stopwatch, plan.limits)
            except (SourcesUnavailable, MeasureFailed) as reason:
                yield Row(Section.SCANS, release.label, "all", note=str(reason))
    for size in plan.sizes:
        with tempfile.TemporaryDirectory(prefix="importcycle-bench-") as folder:
            work = Path(folder)
            root = _made(work / "sources")
            target = Target(f"{size:,} modules", generate_package(root, size, seed=plan.seed).name, root)
            try:
                yield cold_row(target, _made(work / "scans"), stopwatch, plan.scan_timeout)
            except MeasureFailed as reason:
                yield Row(Section.SCALING, target.label, "all", size, note=str(reason))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what is asked for; 130 if interrupted, with all that was measured until then kept."""
    options = _parser().parse_args(arguments)
    names = frozenset(name for name in options.only.split(",") if name)
    try:
        releases = chosen_releases(names, with_large=options.all)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    results = Results()
    stopwatch = Stopwatch(results, options.runs, options.budget, options.scan_timeout)
    limits = Limits(options.peer_timeout, options.sample)
    plan = Plan(
        () if options.no_packages else releases, () if options.no_scaling else _sizes(options.sizes), options.seed,
        not options.no_peers, options.scan_timeout, limits,
    )  # fmt: skip
    circumstances = _circumstances()
    print(terminal_heading(), flush=True)
    try:
        for row in measured_rows(plan, stopwatch):
            results.rows.append(row)
            print(line_of(row), flush=True)
            _write(results, circumstances, options.output)
    except KeyboardInterrupt:
        print(f"interrupted; what was measured is in {options.output}", file=sys.stderr)
        return _INTERRUPTED
    results.is_complete = True
    _write(results, circumstances, options.output)
    return 0


def _write(results: Results, circumstances: Circumstances, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (
        ("benchmarks.md", render_markdown(results, circumstances)),
        (PICTURE, render_picture(results)),
    ):
        incoming = folder / f".{name}.incoming"
        incoming.write_text(text, encoding="utf-8")
        incoming.replace(folder / name)  # a file under its final name is always whole


def _circumstances() -> Circumstances:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Circumstances(date.today().isoformat(), platform.python_version(), cores, platform.system(), smallest_peak())


def _sizes(text: str) -> list[int]:
    return [int(size) for size in text.split(",") if size]


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure scans, and other tools.")
    parser.add_argument("--only", default="", metavar="NAMES", help="these packages, by commas (vllm-0.25.0,sympy)")
    parser.add_argument("--all", action="store_true", help="vLLM 0.33.0 as well, a large download")
    parser.add_argument("--no-packages", action="store_true", help="no released packages")
    parser.add_argument("--no-peers", action="store_true", help="no other tools")
    parser.add_argument("--no-scaling", action="store_true", help="no generated packages")
    sizes = ",".join(map(str, _SIZES))
    parser.add_argument("--sizes", default=sizes, help="modules of the generated packages, by commas [%(default)s]")
    parser.add_argument("--seed", type=int, default=1, help="of the generated packages [%(default)s]")
    parser.add_argument("--runs", type=int, default=3, help="of each row; the median counts [%(default)s]")
    parser.add_argument(
        "--budget", type=float, default=300, metavar="SECONDS", help="repeat no row beyond this time [%(default)s]"
    )
    parser.add_argument(
        "--peer-timeout", type=float, default=600, metavar="SECONDS", help="for another tool's run [%(default)s]"
    )
    parser.add_argument("--scan-timeout", type=float, default=1800, metavar="SECONDS", help="for a scan [%(default)s]")
    parser.add_argument("--sample", type=int, default=20, help="modules imported in fresh interpreters [%(default)s]")
    parser.add_argument("--output", type=Path, default=Path("docs"), metavar="FOLDER", help="[%(default)s]")
    return parser


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    for _number in (signal.SIGTERM, signal.SIGHUP):  # nothing that was begun may go on alone
        signal.signal(_number, _interrupt)
    raise SystemExit(main())
