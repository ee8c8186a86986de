"""Measures what the analyzer said against what CPython did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from tests.corpus.scanning import Scan
from tests.corpus.tables import Crash

CERTAIN = "IC101"
CONDITIONAL = "IC102"
MISSING = "IC105"

DeferredSite = tuple[str, str, int, str]
"""Importing module, qualified name of the function, line, target."""


@dataclass(frozen=True, slots=True)
class CrashVerdict:
    """Whether the analyzer tells the bad version of a case from the clean one."""

    found: bool
    """A finding in the bad version names the module and the name, from the case's entry."""
    asked_by: bool
    """That finding also names the statement that asked, and the condition, if the case has one."""
    rule: str | None
    absent: bool | None
    """No such finding in the clean version; ``None`` where there is no clean version."""
    detail: str


def judge_crash(crash: Crash, bad: Scan, clean: Scan | None) -> CrashVerdict:
    """Look for the case's failure in both scans."""
    same = _same_failures(crash, bad)
    exact = [finding for finding in same if _same_statement(crash, finding)]
    best = next(iter([*exact, *same]), None)
    absent = None if clean is None else clean.problem is None and not _same_failures(crash, clean)
    detail = bad.problem or (clean.problem if clean is not None else None) or ""
    if not same and not detail:
        elsewhere = [text for text in map(_short, bad.findings(CERTAIN, CONDITIONAL, MISSING)) if text]
        detail = "other findings: " + "; ".join(elsewhere[:4]) if elsewhere else "no findings of a crash"
    return CrashVerdict(bool(same), bool(exact), best["rule"] if best else None, absent, detail)


def _same_failures(crash: Crash, scan: Scan) -> list[Mapping[str, Any]]:
    return [
        finding
        for finding in scan.findings(CERTAIN, CONDITIONAL, MISSING)
        if (finding["error"]["module"], finding["error"]["name"]) == (crash.module, crash.name)
        and crash.entry in finding["entries"]
    ]


def _same_statement(crash: Crash, finding: Mapping[str, Any]) -> bool:
    place = finding["location"]
    tests = [condition["test"] for condition in finding["conditions"]]
    return (
        finding["error"]["type"] == crash.error
        and (place["module"], place["line"]) == (crash.asked_by, crash.line)
        and (crash.condition is None or any(crash.condition in test for test in tests))
    )


def _short(finding: Mapping[str, Any]) -> str:
    error, place = finding["error"], finding["location"]
    return f"{finding['rule']} {error['name']} of {error['module']} at {place['module']}:{place['line']}"


@dataclass(slots=True)
class Counts:
    """One row of the table; rows can be added up."""

    modules: int = 0
    cycle_failures: int = 0
    """Entries whose import fails in CPython because of a cycle, ..."""
    found: int = 0
    """... and for which a finding names the module and the name that were asked."""
    false_certain: int = 0
    """Entries under IC101 that CPython imports without failure."""
    false_conditional: int = 0
    """IC102 findings whose entries CPython imports without failure."""
    deferred: int = 0
    """Sites of deferred imports of the package itself that ran, ..."""
    predicted: int = 0
    """... and that the analyzer lists."""
    unconditional: int = 0
    """Sites listed without a condition, in modules that CPython imported, ..."""
    unconditional_ran: int = 0
    """... and that ran."""

    def add(self, other: Counts) -> None:
        """Add another row to this one."""
        for one in fields(Counts):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))


@dataclass(slots=True)
class Comparison:
    """A row, and what stands behind its numbers."""

    counts: Counts
    missed_failures: list[str] = field(default_factory=list)
    false_findings: list[str] = field(default_factory=list)
    missed_sites: list[DeferredSite] = field(default_factory=list)
    idle_sites: list[DeferredSite] = field(default_factory=list)
    """Predicted without a condition, and did not run."""
    other_failures: int = 0
    """Entries that fail for another reason, such as a missing dependency: nothing is concluded from them."""


def compare(truth: Mapping[str, Any], scan: Scan) -> Comparison:
    """Compare a scan with a truth table as the oracle writes it."""
    modules: Mapping[str, Any] = truth["modules"]
    result = Comparison(Counts(modules=len(modules)))
    result.other_failures = sum(outcome != "ok" and "other" in outcome for outcome in modules.values())
    _compare_failures(modules, scan, result)
    _compare_deferred(truth, scan, result)
    return result


def _compare_failures(modules: Mapping[str, Any], scan: Scan, result: Comparison) -> None:
    findings = scan.findings(CERTAIN, CONDITIONAL)
    named: dict[str, set[tuple[str, str]]] = {}
    for finding in findings:
        for entry in finding["entries"]:
            named.setdefault(entry, set()).add((finding["error"]["module"], finding["error"]["name"]))
    for entry, outcome in sorted(modules.items()):
        if outcome == "ok" or "cycle" not in outcome:
            continue
        error, module, name, asked_by, line = outcome["cycle"]
        result.counts.cycle_failures += 1
        if (module, name) in named.get(entry, ()):
            result.counts.found += 1
        else:
            said = f"; said {sorted(named[entry])}" if entry in named else ""
            result.missed_failures.append(f"{entry}: {error} {name} of {module}, asked by {asked_by}:{line}{said}")
    for finding in findings:
        clean = [entry for entry in finding["entries"] if modules.get(entry) == "ok"]
        if not clean:
            continue
        if finding["rule"] == CERTAIN:
            result.counts.false_certain += len(clean)
        else:
            result.counts.false_conditional += 1
        tests = " and ".join(f"({one['test']}) is {one['value']}" for one in finding["conditions"])
        result.false_findings.append(
            f"{_short(finding)}: {len(clean)} entries import, such as {clean[0]}" + (f"; when {tests}" if tests else "")
        )


def _compare_deferred(truth: Mapping[str, Any], scan: Scan, result: Comparison) -> None:
    ran = set(_sites(truth["deferred"]))
    listed = scan.deferred()
    predicted = set(_sites(listed))
    result.counts.deferred = len(ran)
    result.counts.predicted = len(ran & predicted)
    result.missed_sites = sorted(ran - predicted)
    imported = {module for module, outcome in truth["modules"].items() if outcome == "ok"}
    roots = truth["package"].split(",")
    unconditional = [
        row
        for row in listed
        if not row["conditions"]
        and any(row["target"] == root or row["target"].startswith(root + ".") for root in roots)
    ]
    # A site proves nothing when the statement that triggers it is in a module that CPython could not import here.
    judged = set(_sites(row for row in unconditional if row["statement"]["module"] in imported))
    judged |= ran & set(_sites(unconditional))
    result.counts.unconditional = len(judged)
    result.counts.unconditional_ran = len(judged & ran)
    result.idle_sites = sorted(judged - ran)


def _sites(rows: Iterable[Mapping[str, Any]]) -> Iterable[DeferredSite]:
    return ((row["importer"], row["function"] or "", row["line"], row["target"]) for row in rows)
