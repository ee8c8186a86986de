"""What the commands run: options in, text out, exit status back."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from importcycle import __version__
from importcycle.findings import Report, Severity, UnknownRule
from importcycle.project import TargetError
from importcycle.report.formats import TERMINAL_FORMAT, render
from importcycle.report.json import render_trace_json
from importcycle.report.locations import SourceLocations, repository_folder
from importcycle.report.text import print_deferred, print_report, print_statistics
from importcycle.report.trace import print_trace
from importcycle.scanning import find_project, scan, trace


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetOptions:
    """What is analysed, and as what."""

    targets: tuple[str, ...]
    python: str | None
    python_version: str | None
    platform: str | None
    color: str
    output_format: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanOptions(TargetOptions):
    """The options of ``importcycle scan``."""

    outputs: tuple[tuple[str, str], ...]
    """Pairs of a format and the file to write."""
    deferred: bool
    fail_on: str
    exit_zero: bool
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    entries: tuple[str, ...]
    quiet: bool
    verbose: bool
    statistics: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceOptions(TargetOptions):
    """The options of ``importcycle trace``."""

    entry: str


def run_scan(options: ScanOptions) -> int:
    """Scan, print the report, and give the exit status."""
    with _usage_errors(), _progress(quiet=options.quiet) as progress:
        report = scan(
            *options.targets,
            python=options.python,
            python_version=options.python_version,
            platform=options.platform,
            entries=options.entries or None,
            select=_codes(options.select),
            ignore=_codes(options.ignore),
            progress=progress,
        )
    _write_files(report, options)
    _write(lambda: _print_scan(report, options))
    if options.exit_zero or options.fail_on == "never":
        return 0
    return int(report.has(Severity(options.fail_on)))


def run_trace(options: TraceOptions) -> int:
    """Trace an entry, print what happens, and give the exit status."""
    targets = options.targets or (options.entry.partition(".")[0],)
    with _usage_errors():
        project = find_project(
            targets, python=options.python, python_version=options.python_version, platform=options.platform
        )
        events, failures = trace(project, options.entry)
    if options.output_format == "json":
        _write(lambda: print(render_trace_json(options.entry, events)))
    else:
        _write(lambda: print_trace(options.entry, events, failures, project, _console(options.color)))
    return 0


def _print_scan(report: Report, options: ScanOptions) -> None:
    if options.output_format == TERMINAL_FORMAT:
        _print_text(report, options, _console(options.color))
    else:
        sys.stdout.write(_document(options.output_format, report, options))


def _print_text(report: Report, options: ScanOptions, console: Console) -> None:
    print_report(report, console, notes=options.verbose, quiet=options.quiet)
    if options.deferred:
        print_deferred(report.deferred, console)
    if options.statistics:
        print_statistics(report, console)


def _write_files(report: Report, options: ScanOptions) -> None:
    """Write the report to the files of ``--output``; folders that are missing are made."""
    for name, path in options.outputs:
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
                if name == TERMINAL_FORMAT:
                    _print_text(report, options, Console(file=file, color_system=None, soft_wrap=True))
                else:
                    file.write(_document(name, report, options))
        except OSError as error:
            raise click.UsageError(f"cannot write {path}: {error.strerror or error}") from error


def _document(name: str, report: Report, options: ScanOptions) -> str:
    # A gate that lets everything pass still shows errors as failures.
    threshold = Severity.ERROR if options.fail_on == "never" else Severity(options.fail_on)
    locations = SourceLocations(report.project, repository_folder(Path.cwd()))
    return render(name, report, locations, version=__version__, threshold=threshold, deferred=options.deferred)


def _codes(values: Sequence[str]) -> list[str]:
    return [code for value in values for code in value.split(",") if code.strip()]


def _console(color: str) -> Console:
    """A console for standard output; lines keep their length where it is not a terminal."""
    soft_wrap = not sys.stdout.isatty()
    if color == "always":
        return Console(force_terminal=True, color_system="standard", no_color=False, soft_wrap=soft_wrap)
    return Console(color_system=None if color == "never" else "auto", soft_wrap=soft_wrap)


def _write(print_output: Callable[[], None]) -> None:
    """Print; a reader that has closed the pipe (``| head``) has seen enough."""
    try:
        print_output()
        sys.stdout.flush()
    except BrokenPipeError:
        # The interpreter flushes standard output again at exit: give it a place to flush to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _usage_errors() -> Iterator[None]:
    """Errors of the user, who is told without a traceback."""
    try:
        yield
    except (TargetError, UnknownRule) as error:
        raise click.UsageError(str(error)) from error


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar on standard error, if that is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("simulating imports"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
