"""What the commands run: options in, text out, exit status back."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from importcycle import __version__
from importcycle.analysis import processors
from importcycle.cache import CACHE_FOLDER, remove_cache
from importcycle.changes import Changes, ChangesError, changes_since, only_touched
from importcycle.cli.settings import render_settings
from importcycle.configuration import KEYS, NEVER, ConfigurationError, Settings, choice, load_settings
from importcycle.findings import Report, Severity
from importcycle.findings.baseline import BaselineError
from importcycle.project import TargetError
from importcycle.report.formats import FORMAT_NAMES, TERMINAL_FORMAT, render
from importcycle.report.json import render_trace_json
from importcycle.report.locations import SourceLocations, repository_folder
from importcycle.report.text import print_baseline_update, print_deferred, print_report, print_statistics
from importcycle.report.trace import print_trace
from importcycle.scanning import scan_with, trace_with, update_baseline

_COMMAND_LINE = "command line"
Options = dict[str, Any]
"""What click made of the command line, by name of parameter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanOptions:
    """The options of ``importcycle scan`` that are no settings: how it is told."""

    color: str
    outputs: tuple[tuple[str, str], ...]
    """Pairs of a format and the file to write."""
    diff: str | None
    changed: bool
    deferred: bool
    quiet: bool
    verbose: bool
    statistics: bool


def run_scan(options: Options) -> int:
    """Scan, print the report, and give the exit status."""
    with _usage_errors():
        settings = _take_settings(options)
        how = ScanOptions(**options)
        with _progress(quiet=how.quiet) as progress:
            changes = _changes(how)
            report = scan_with(settings, progress=progress)
    if changes is not None:
        report = _touched(report, changes, quiet=how.quiet)
    _write_files(report, settings, how)
    _write(lambda: _print_scan(report, settings, how))
    return int(report.failed)


def run_trace(options: Options) -> int:
    """Trace an entry, print what happens, and give the exit status."""
    entry, output_format, color = options.pop("entry"), options.pop("output_format"), options.pop("color")
    with _usage_errors():
        project, events, failures = trace_with(_take_settings(options), entry)
    if output_format == "json":
        _write(lambda: print(render_trace_json(entry, events)))
    else:
        _write(lambda: print_trace(entry, events, failures, project, _console(color)))
    return 0


def run_baseline(options: Options) -> int:
    """Write the baseline, and give the exit status."""
    prune, quiet, color = options.pop("prune"), options.pop("quiet"), options.pop("color")
    with _usage_errors():
        settings = _take_settings(options)
        with _progress(quiet=quiet) as progress:
            update = update_baseline(settings, prune=prune, progress=progress)
    if not quiet:
        _write(lambda: print_baseline_update(update, _console(color)))
    return 0


def run_config(options: Options) -> int:
    """Print the settings, and give the exit status."""
    with _usage_errors():
        settings = _take_settings(options)
    _write(lambda: print(render_settings(settings)))
    return 0


def run_clean(options: Options) -> int:
    """Delete the cache folder, say so, and give the exit status."""
    with _usage_errors():
        folder = _take_settings(options).cache_dir
        try:
            was_there = folder is not None and remove_cache(folder)
        except OSError as error:
            raise click.UsageError(f"cannot delete {folder}: {error.strerror or error}") from error
    _write(lambda: print(f"deleted {folder}" if was_there else f"no cache in {folder}"))
    return 0


def _take_settings(options: Options) -> Settings:
    """The settings that the options, the configuration file and the defaults give; takes the options that are settings.

    Raises:
        ConfigurationError: a value, in whichever place, is not right.
    """
    overrides = {key.field: options.pop(key.field) for key in KEYS if key.field in options}
    if options.pop("exit_zero", False):
        overrides["fail_on"] = NEVER
    if options.pop("no_baseline", False):
        overrides["baseline"] = False
    if options.pop("no_cache", False):
        overrides["cache_dir"] = False
    file, isolated = options.pop("config_file"), options.pop("isolated")
    settings = load_settings(
        file=Path(file) if file is not None else None,
        search=not isolated,
        overrides=overrides,
        origin=_COMMAND_LINE,
        defaults={"cache_dir": CACHE_FOLDER, "jobs": processors()},
    )
    choice(settings.format, settings.place("format"), FORMAT_NAMES)
    return settings


def _changes(options: ScanOptions) -> Changes | None:
    """The changes in the repository of the current folder that findings are to be seen with, if any."""
    if options.diff is None and not options.changed:
        return None
    if options.diff is not None and options.changed:
        raise click.UsageError("--diff and --changed exclude each other: --diff HEAD is the same as --changed")
    return changes_since(Path.cwd(), options.diff)


def _touched(report: Report, changes: Changes, *, quiet: bool) -> Report:
    touched = only_touched(report, changes)
    left_out = len(report.findings) - len(touched.findings)
    if left_out and not quiet:
        plural = "" if left_out == 1 else "s"
        click.echo(f"not shown: {left_out:,} finding{plural} that the changes do not touch", err=True)
    return touched


def _print_scan(report: Report, settings: Settings, options: ScanOptions) -> None:
    if settings.format == TERMINAL_FORMAT:
        _print_text(report, options, _console(options.color))
    else:
        _write_document(_document(settings.format, report, settings, options))


def _write_document(text: str) -> None:
    """Write what machines read: as UTF-8 in every locale; only a terminal has an encoding of its own."""
    if sys.stdout.isatty():
        sys.stdout.write(text)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))


def _print_text(report: Report, options: ScanOptions, console: Console) -> None:
    print_report(report, console, notes=options.verbose, quiet=options.quiet)
    if options.deferred:
        print_deferred(report.deferred, console)
    if options.statistics:
        print_statistics(report, console)


def _write_files(report: Report, settings: Settings, options: ScanOptions) -> None:
    """Write the report to the files of ``--output``; folders that are missing are made."""
    for name, path in options.outputs:
        try:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
                if name == TERMINAL_FORMAT:
                    _print_text(report, options, Console(file=file, color_system=None, soft_wrap=True))
                else:
                    file.write(_document(name, report, settings, options))
        except OSError as error:
            raise click.UsageError(f"cannot write {path}: {error.strerror or error}") from error


def _document(name: str, report: Report, settings: Settings, options: ScanOptions) -> str:
    # A gate that lets everything pass still shows errors as failures.
    threshold = Severity.ERROR if settings.fail_on == NEVER else Severity(settings.fail_on)
    locations = SourceLocations(report.project, repository_folder(Path.cwd()))
    return render(name, report, locations, version=__version__, threshold=threshold, deferred=options.deferred)


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
    except (BaselineError, ChangesError, ConfigurationError, TargetError) as error:
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
