"""The results as Markdown and on the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.model import Noise, Results, Row, Section
from benchmarks.scans import COLD

PICTURE = "benchmarks.svg"
_MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Circumstances:
    """When and where it was measured."""

    date: str
    python: str
    cores: int
    system: str
    smallest_peak: int
    """Bytes of memory below which none can be told."""


def line_of(row: Row) -> str:
    """A row for the terminal."""
    name = f"{row.group:<18} {row.what:<44}"
    if row.seconds is None:
        return f"{name} not measured: {row.note}"
    figures = f"{_seconds(row):>11} {_ratio(row):>9}   {_peak(row):>8}   {row.runs} run{'s' * (row.runs != 1)}"
    return f"{name} {figures}   {row.note}".rstrip()


def terminal_heading() -> str:
    """The heading above such rows."""
    return f"{'package':<18} {'what':<44} {'time':>11} {'x parse':>9}   {'peak':>8}"


def render_markdown(results: Results, circumstances: Circumstances) -> str:
    """The document, of what there is so far."""
    parts = [
        "# Benchmarks",
        "Made by `make bench`. The measure is `ast.parse` of all the package's files in one process: it runs before, "
        "between and after the runs of whatever is measured, and each run counts as a multiple of the two that stand "
        "around it, so that other work of the machine slows both. Every figure is of whole processes, from start to "
        "end, and the median of the runs; memory is that of the largest process at its peak "
        f"(less than {circumstances.smallest_peak / _MEGABYTE:.0f} MB cannot be told).",
        f"{circumstances.date}, Python {circumstances.python}, {circumstances.cores} cores, {circumstances.system}.",
    ]
    if not results.is_complete:
        parts.append("**Not all has been measured yet.**")
    parts.append(f"![Times as multiples of ast.parse]({PICTURE})")
    parts += _sections(results)
    return "\n\n".join(parts) + "\n"


def _sections(results: Results) -> Iterable[str]:
    scans, peers, scaling = ([row for row in results.rows if row.section is section] for section in Section)
    if scans:
        yield "## Scans"
        yield (
            "*Cold* is a scan with an empty cache, *warm* the same scan again. For *one file changed*, a file of "
            "middling size gets a line in its last function, or, at its end, a function or a statement at module level."
        )
        heading = ("package", "modules", "scan", "time", "times `ast.parse`", "peak memory", "runs")
        yield _table(heading, [(row.group, f"{row.modules:,}", row.what, *_figures(row), _runs(row)) for row in scans])
    if peers:
        yield "## Other tools"
        yield (
            "Tools list cycles, and do not say which import fails; the loop over fresh interpreters says it, and runs "
            "the code. A tool that was ended at its time limit has *more than* that time."
        )
        heading = ("package", "tool", "time", "times `ast.parse`", "times a cold scan", "peak memory", "remarks")
        yield _table(heading, [_peer_cells(results, row) for row in peers])
    if scaling:
        yield "## Scaling"
        yield (
            "Generated packages with cycles, of which some fail, scanned with an empty cache. The last column is the "
            "time per module as a multiple of that of the smallest package."
        )
        columns = ("modules", "time", "times `ast.parse`", "peak memory", "runs", "ms a module", "times the smallest's")
        yield _table(columns, [_scaling_cells(row, scaling[0]) for row in scaling])
    if results.measures:
        yield "## How evenly the machine ran"
        yield "The seconds of all runs of `ast.parse`, which always does the same."
        noise = ("package", "runs", "median", "least, of the median", "most, of the median")
        yield _table(noise, [_noise_cells(group, seconds) for group, seconds in results.measures.items()])


def _peer_cells(results: Results, row: Row) -> tuple[str, ...]:
    cold = results.find(Section.SCANS, row.group, COLD)
    if row.ratio is None or cold is None or cold.ratio is None:
        times = "–"
    else:
        times = f"{_more(row)}{row.ratio / cold.ratio:.2f}"
    time, ratio, peak = _figures(row)
    return row.group, row.what, time, ratio, times, peak, row.note


def _scaling_cells(row: Row, smallest: Row) -> tuple[str, ...]:
    per_module = times = "–"
    if row.seconds is not None:
        per_module = f"{_more(row)}{row.seconds / row.modules * 1000:.2f}"
        if smallest.seconds is not None:
            times = f"{_more(row)}{row.seconds / row.modules / (smallest.seconds / smallest.modules):.2f}"
    return f"{row.modules:,}", *_figures(row), _runs(row), per_module, times


def _noise_cells(group: str, seconds: Sequence[float]) -> tuple[str, ...]:
    noise = Noise.of(seconds)
    return group, str(len(seconds)), f"{noise.median:.2f} s", f"{noise.least:.2f}", f"{noise.most:.2f}"


def _figures(row: Row) -> tuple[str, str, str]:
    return _seconds(row), _ratio(row), _peak(row)


def _runs(row: Row) -> str:
    return str(row.runs) if row.seconds is not None else f"not measured: {row.note}"


def _seconds(row: Row) -> str:
    return "–" if row.seconds is None else f"{_more(row)}{row.seconds:,.2f} s"


def _ratio(row: Row) -> str:
    return "–" if row.ratio is None else f"{_more(row)}{row.ratio:,.2f}"


def _peak(row: Row) -> str:
    return "–" if row.peak_bytes is None else f"{row.peak_bytes / _MEGABYTE:,.0f} MB"


def _more(row: Row) -> str:
    return "> " if row.at_least else ""


def _table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
