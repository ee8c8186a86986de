"""The tables of the corpus report, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.corpus.compare import Comparison, Counts, CrashVerdict
from tests.corpus.scanning import Scan
from tests.corpus.tables import Crash, Package

_SHOWN = 40
"""Lines of detail for each kind and package."""


@dataclass(frozen=True, slots=True)
class CrashRow:
    """A case, and what came of it; without a verdict it was skipped for the reason given."""

    crash: Crash
    verdict: CrashVerdict | None
    bad: Scan | None
    skipped: str | None = None


@dataclass(frozen=True, slots=True)
class PackageRow:
    """A package, and what came of it; without a comparison it was skipped for the reason given."""

    package: Package
    comparison: Comparison | None
    scan: Scan | None
    skipped: str | None = None


def crash_table(rows: Sequence[CrashRow]) -> str:
    """One line for each released crash, and the totals."""
    lines = [
        "| package | bad | rule | found | statement | clean | absent | seconds | MB | remark |",
        "| --- | --- | --- | --- | --- | --- | --- | ---: | ---: | --- |",
    ]
    for row in rows:
        crash, verdict = row.crash, row.verdict
        start = [crash.package, crash.bad]
        if verdict is None or row.bad is None:
            lines.append(_line([*start, "", "skipped", "", crash.clean or "-", "", "", "", row.skipped or ""]))
            continue
        absent = "-" if verdict.absent is None else _yes(verdict.absent)
        answers = [verdict.rule or "", _yes(verdict.found), _yes(verdict.asked_by), crash.clean or "-", absent]
        lines.append(_line([*start, *answers, *_cost(row.bad), verdict.detail]))
    judged = [row.verdict for row in rows if row.verdict is not None]
    with_clean = [verdict for verdict in judged if verdict.absent is not None]
    found, exact = sum(one.found for one in judged), sum(one.asked_by for one in judged)
    absent_count = sum(bool(one.absent) for one in with_clean)
    totals = ["**total**", str(len(judged)), "", str(found), str(exact), str(len(with_clean)), str(absent_count)]
    return "\n".join([*lines, _line([*totals, "", "", ""])])


def package_table(rows: Sequence[PackageRow]) -> str:
    """One line for each package, and the totals."""
    lines = [
        "| package | modules | fail | found | missed | IC101 false | IC102 doubtful | deferred | predicted | missed "
        "| unconditional | of these ran | seconds | MB | remark |",
        "| --- |" + " ---: |" * 13 + " --- |",
    ]
    total = Counts()
    for row in rows:
        if row.comparison is None or row.scan is None:
            lines.append(_line([row.package.package, *[""] * 13, f"skipped: {row.skipped}"]))
            continue
        counts = row.comparison.counts
        total.add(counts)
        name = f"{row.package.package} {row.package.version}"
        lines.append(_line([name, *_numbers(counts), *_cost(row.scan), row.scan.problem or _cuts(row.scan)]))
    lines.append(_line(["**total**", *_numbers(total), "", "", ""]))
    return "\n".join(lines)


def totals(rows: Iterable[PackageRow]) -> Counts:
    """All rows added up."""
    total = Counts()
    for row in rows:
        if row.comparison is not None:
            total.add(row.comparison.counts)
    return total


def details(rows: Sequence[PackageRow]) -> str:
    """What stands behind the numbers: each miss and each false finding."""
    sections: list[str] = []
    for row in rows:
        if row.comparison is None:
            continue
        comparison = row.comparison
        parts = [
            ("missed failures", comparison.missed_failures),
            ("findings on entries that import", comparison.false_findings),
            ("deferred imports missed", [_site(site) for site in comparison.missed_sites]),
            ("predicted without condition, did not run", [_site(site) for site in comparison.idle_sites]),
        ]
        filled = [f"{title} ({len(items)}):\n{_listed(items)}" for title, items in parts if items]
        if filled:
            sections.append("\n\n".join([f"### {row.package.package}", *filled]))
    return "\n\n".join(sections)


def _numbers(counts: Counts) -> list[str]:
    share = f"{counts.unconditional_ran} ({_percent(counts.unconditional_ran, counts.unconditional)})"
    numbers = [
        counts.modules,
        counts.cycle_failures,
        counts.found,
        counts.cycle_failures - counts.found,
        counts.false_certain,
        counts.false_conditional,
        counts.deferred,
        counts.predicted,
        counts.deferred - counts.predicted,
        counts.unconditional,
    ]
    return [*map(str, numbers), share]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}%" if whole else "-"


def _cost(scan: Scan) -> list[str]:
    return [f"{scan.seconds:.1f}", f"{scan.peak_bytes / 1e6:.0f}"]


def _cuts(scan: Scan) -> str:
    count = len(scan.findings("IC903"))
    return f"{count} budgets exceeded" if count else ""


def _yes(value: bool) -> str:
    return "yes" if value else "**no**"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _site(site: tuple[str, str, int, str]) -> str:
    importer, function, line, target = site
    return f"{importer}:{line} in {function or 'the module'} imports {target}"


def _listed(items: Sequence[str]) -> str:
    more = [f"- and {len(items) - _SHOWN} more"] if len(items) > _SHOWN else []
    return "\n".join([*(f"- {item}" for item in items[:_SHOWN]), *more])
