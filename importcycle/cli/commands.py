"""The commands, as click sees them; what they do is in the other rooms."""

from __future__ import annotations

import difflib
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from importcycle import __version__
from importcycle.cli.completion import complete_codes, complete_modules, complete_targets
from importcycle.report.formats import FORMAT_NAMES

_Command = TypeVar("_Command", bound=Callable[..., Any])
_EXAMPLES = """\b
Examples:
  importcycle scan                         the packages of this project
  importcycle scan requests flask          installed packages, without importing them
  importcycle scan src/shop --format json
  importcycle trace shop.orders            what happens on 'import shop.orders'
  importcycle baseline                     from now on only new and worse findings fail
  importcycle rule IC102                   what a rule means, and how to fix what it finds
"""
_EXIT_STATUS = """\b
Exit status:
  0    nothing at or above --fail-on
  1    findings
  2    usage, configuration or target error
  3    internal error
  130  interrupted
"""


@dataclass
class Session:
    """What the commands tell the code that runs them."""

    debug: bool = False
    """Whether to show the traceback of an internal error."""


class _SuggestingGroup(click.Group):
    """A group of commands that names the nearest one when it is given an unknown one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            near = difflib.get_close_matches(args[0], self.list_commands(ctx), 1)
            meant = f"; did you mean '{near[0]}'?" if near else ""
            raise click.UsageError(f"no command {args[0]!r}{meant}", ctx)
        return super().resolve_command(ctx, args)


def _set_debug(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and isinstance(context.obj, Session):
        context.obj.debug = True


def _debug_option(command: _Command) -> _Command:
    text = "Show the traceback of an internal error."
    return click.option("--debug", is_flag=True, expose_value=False, callback=_set_debug, help=text)(command)


def _with_options(command: _Command, *options: Callable[[_Command], _Command]) -> _Command:
    for option in reversed(options):
        command = option(command)
    return command


def _truths(_context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, bool]:
    """Texts of tests and their values."""
    truths = {}
    for value in values:
        test, _, word = value.rpartition("=")
        if word.strip().lower() not in ("true", "false") or not test.strip():
            raise click.BadParameter(f"{value!r} gives no value: write TEST=true or TEST=false")
        truths[test.strip()] = word.strip().lower() == "true"
    return truths


def _target_options(command: _Command) -> _Command:
    """The options that say what is analysed, and as what."""
    return _with_options(
        command,
        click.option(
            "--config",
            "config_file",
            type=click.Path(exists=True, dir_okay=False),
            help="The configuration file, in place of the nearest importcycle.toml or pyproject.toml.",
        ),
        click.option("--isolated", is_flag=True, help="Heed no configuration file."),
        click.option(
            "--source-root",
            "source_roots",
            multiple=True,
            type=click.Path(exists=True, file_okay=False),
            help="A folder that holds top-level packages; repeatable.  [default: this one and its src]",
        ),
        click.option(
            "--follow",
            multiple=True,
            metavar="NAME",
            help="Look into this package of others, too, where the target imports it, such as pluggy; repeatable.",
        ),
        click.option("--exclude", multiple=True, metavar="PATTERN", help="Do not analyse these files; repeatable."),
        click.option(
            "--assume",
            multiple=True,
            metavar="TEST=true|false",
            callback=_truths,
            help="Take a test to have this value, such as 'in_wsl()=false'; repeatable.",
        ),
        click.option(
            "--python",
            type=click.Path(exists=True),
            help="Another interpreter, whose installed packages are looked for as well.",
        ),
        click.option("--python-version", metavar="3.x", help="The version of Python to simulate."),
        click.option(
            "--platform", type=click.Choice(["linux", "darwin", "win32"]), help="The sys.platform to simulate."
        ),
        click.option("--max-file-size", metavar="MB", help="Leave out files of more megabytes.  [default: 4]"),
        click.option(
            "--color",
            type=click.Choice(["auto", "always", "never"]),
            default="auto",
            show_default=True,
            help="Colours; 'auto' heeds NO_COLOR, FORCE_COLOR and the terminal.",
        ),
        _debug_option,
    )


def _work_options(command: _Command) -> _Command:
    """The options that say how the work is done: they change nothing of the results."""
    return _with_options(
        command,
        _cache_dir_option,
        click.option("--no-cache", is_flag=True, help="Neither use nor keep results of other scans."),
        click.option(
            "--jobs",
            "-j",
            type=click.IntRange(min=1),
            metavar="N",
            help="Processes to use at once.  [default: one for each processor]",
        ),
    )


def _cache_dir_option(command: _Command) -> _Command:
    return click.option(
        "--cache-dir",
        type=click.Path(file_okay=False),
        envvar="IMPORTCYCLE_CACHE_DIR",
        help="The folder in which results are kept for the next scan.  [default: .importcycle_cache]",
    )(command)


def _finding_options(command: _Command) -> _Command:
    """The options that say what is a finding."""
    return _with_options(
        command,
        click.option(
            "--select",
            multiple=True,
            metavar="CODES",
            shell_complete=complete_codes,
            help="Apply only these rules: codes or prefixes, by commas.",
        ),
        click.option(
            "--ignore",
            multiple=True,
            metavar="CODES",
            shell_complete=complete_codes,
            help="Leave out these rules.",
        ),
        click.option(
            "--entry",
            "entries",
            multiple=True,
            metavar="NAME",
            shell_complete=complete_modules,
            help="Import only this module first; repeatable.",
        ),
        click.option(
            "--baseline",
            type=click.Path(dir_okay=False),
            help="The file of known findings.  [default: importcycle-baseline.json, if there is one]",
        ),
        click.option(
            "--warn-unused-ignores",
            is_flag=True,
            default=None,
            help="Report comments '# importcycle: ignore[...]' that silence nothing (IC904).",
        ),
    )


def _gate_options(command: _Command) -> _Command:
    """The options that say what fails, and in what form it is told."""
    return _with_options(
        command,
        click.option(
            "--format",
            metavar="FORMAT",
            type=click.Choice(FORMAT_NAMES),
            help=f"Output: {', '.join(FORMAT_NAMES)}.  [default: text]",
        ),
        click.option(
            "--fail-on",
            type=click.Choice(["error", "warning", "note", "never"]),
            help="The least grave finding that makes the exit status 1.  [default: error]",
        ),
        click.option("--exit-zero", is_flag=True, help="The same as --fail-on never."),
        click.option("--no-baseline", is_flag=True, help="Count known findings, too."),
    )


def _outputs(
    _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """Pairs of format and file."""
    pairs = []
    for value in values:
        name, _, path = value.partition("=")
        if name not in FORMAT_NAMES:
            near = difflib.get_close_matches(name, FORMAT_NAMES, 1)
            meant = f"; did you mean '{near[0]}'?" if near else f": it is one of {', '.join(FORMAT_NAMES)}"
            raise click.BadParameter(f"no format {name!r}{meant}")
        if not path:
            raise click.BadParameter(f"{value!r} names no file: give FORMAT=FILE, such as {name}=report.{name}")
        pairs.append((name, path))
    return tuple(pairs)


@click.group(
    cls=_SuggestingGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_EXAMPLES,
)
@click.version_option(__version__, message="importcycle %(version)s")
@_debug_option
def command_group() -> None:
    """Find the import that fails because of a cycle: which one, when, by what path, and what fixes it.

    Nothing of the code under analysis is imported or run.
    """


@command_group.command("scan", short_help="Report the imports that fail.", epilog=f"{_EXAMPLES}\n{_EXIT_STATUS}")
@click.argument("targets", nargs=-1, shell_complete=complete_targets)
@_target_options
@_finding_options
@_gate_options
@_work_options
@click.option(
    "--output",
    "outputs",
    multiple=True,
    metavar="FORMAT=FILE",
    callback=_outputs,
    help="Write the report to a file, too, in this format; repeatable.",
)
@click.option(
    "--diff", "diff", metavar="REF", help="Report only what the changes since this commit or branch of git touch."
)
@click.option("--changed", is_flag=True, help="Report only what changes that are not committed yet touch.")
@click.option("--deferred", is_flag=True, help="List the deferred imports that initialisation can trigger, too.")
@click.option("--quiet", "-q", is_flag=True, help="Print findings only: no summary, no progress.")
@click.option("--verbose", "-v", is_flag=True, help="Print notes, too.")
@click.option("--statistics", is_flag=True, help="Print the number of findings of each rule, too.")
def scan_command(**options: Any) -> int:
    """Report the imports of TARGETS that fail because of a cycle.

    A target is the name of a package (in this folder, its src, or installed), a folder or a file. Without targets,
    those of the configuration file are scanned, else the packages of this folder or its src.
    """
    from importcycle.cli.running import run_scan

    return run_scan(options)


@command_group.command(
    "trace",
    short_help="Tell what happens on an import.",
    epilog="\b\nExample:\n  importcycle trace shop.orders --format json\n",
)
@click.argument("entry", shell_complete=complete_modules)
@click.argument("targets", nargs=-1, shell_complete=complete_targets)
@_target_options
@click.option(
    "--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Output."
)
def trace_command(**options: Any) -> int:
    """Tell what happens when ENTRY is imported first: the modules, in order, and what imports them.

    TARGETS are needed only where ENTRY's package is not found by its name.
    """
    from importcycle.cli.running import run_trace

    return run_trace(options)


@command_group.command(
    "config",
    short_help="Show the settings and their origins.",
    epilog="\b\nExample:\n  importcycle config --python-version 3.12\n",
)
@click.argument("targets", nargs=-1, shell_complete=complete_targets)
@_target_options
@_finding_options
@_gate_options
@_work_options
def config_command(**options: Any) -> int:
    """Show the settings that a scan with the same options would use, as TOML, and where each comes from."""
    from importcycle.cli.running import run_config

    return run_config(options)


@command_group.command(
    "baseline",
    short_help="Write down the known findings.",
    epilog="\b\nExample:\n  importcycle baseline && git add importcycle-baseline.json\n",
)
@click.argument("targets", nargs=-1, shell_complete=complete_targets)
@_target_options
@_finding_options
@_work_options
@click.option("--prune", is_flag=True, help="Only take out what is not found any more; new findings stay new.")
@click.option("--quiet", "-q", is_flag=True, help="Print nothing.")
def baseline_command(**options: Any) -> int:
    """Write down all present findings of TARGETS as known: 'scan' counts them, and fails on new and worse ones only."""
    from importcycle.cli.running import run_baseline

    return run_baseline(options)


@command_group.command(
    "clean",
    short_help="Delete the cache.",
    epilog="\b\nExample:\n  importcycle clean\n",
)
@click.option(
    "--config",
    "config_file",
    type=click.Path(exists=True, dir_okay=False),
    help="The configuration file, in place of the nearest importcycle.toml or pyproject.toml.",
)
@click.option("--isolated", is_flag=True, help="Heed no configuration file.")
@_cache_dir_option
@_debug_option
def clean_command(**options: Any) -> int:
    """Delete the folder in which scans keep results for the next one."""
    from importcycle.cli.running import run_clean

    return run_clean(options)


@command_group.command(
    "rule",
    short_help="Explain a rule.",
    epilog="\b\nExample:\n  importcycle rule IC102\n",
)
@click.argument("code", shell_complete=complete_codes)
@_debug_option
def rule_command(code: str) -> None:
    """Explain the rule with this CODE or name: an example, why, how to fix it, when to suppress it."""
    from importcycle.findings import UnknownRule, find_rule
    from importcycle.report.explanation import explain_rule

    try:
        _show(explain_rule(find_rule(code)))
    except UnknownRule as error:
        raise click.UsageError(str(error)) from error


@command_group.command("rules")
@_debug_option
def rules_command() -> None:
    """List all rules."""
    from importcycle.findings import ALL_RULES
    from importcycle.report.explanation import list_rules

    _show(list_rules(ALL_RULES))


def _show(text: str) -> None:
    """Print text; on a terminal its lines are folded to the width."""
    if sys.stdout.isatty():
        from importcycle.report.explanation import folded

        text = folded(text, shutil.get_terminal_size().columns)
    click.echo(text)
