"""The tables and the verdict at their foot."""

from __future__ import annotations

from tests.corpus.__main__ import unmet
from tests.corpus.compare import Comparison, Counts, CrashVerdict
from tests.corpus.scanning import Scan
from tests.corpus.tables import Crash, Package
from tests.corpus.tabulate import CrashRow, PackageRow, crash_table, details, package_table

CRASH = Crash("one", "1.0", "1.1", (3, 11), "one", "ImportError", "one", "name", "one.two", 3, "plain")
SCAN = Scan({"findings": []}, None, 1.25, 90_000_000)


def row(name: str, counts: Counts, problem: str | None = None) -> PackageRow:
    return PackageRow(Package(name, "1.0", (name,)), Comparison(counts), Scan({"findings": []}, problem, 2.0, 1))


def test_crashes_are_told_with_their_totals() -> None:
    found = CrashRow(CRASH, CrashVerdict(True, True, "IC101", False, ""), SCAN)
    skipped = CrashRow(CRASH, None, None, "no such release")
    lines = crash_table([found, skipped]).splitlines()
    assert lines[2] == "| one | 1.0 | IC101 | yes | yes | 1.1 | **no** | 1.2 | 90 |  |"
    assert "skipped" in lines[3]
    assert "no such release" in lines[3]
    assert lines[4] == "| **total** | 1 |  | 1 | 1 | 1 | 0 |  |  |  |"
    assert unmet([found, skipped], []) == ["one 1.1: the clean version is not shown to be clean"]


def test_packages_are_added_up() -> None:
    rows = [
        row("one", Counts(100, 2, 2, 0, 0, 10, 10, 8, 8)),
        row("two", Counts(50, 0, 0, 0, 0, 10, 9, 2, 2)),
        PackageRow(Package("three", "1.0", ("three",)), None, None, "not to be had"),
    ]
    lines = package_table(rows).splitlines()
    assert lines[-1] == "| **total** | 150 | 2 | 2 | 0 | 0 | 0 | 20 | 19 | 1 | 10 | 10 (100%) |  |  |  |"
    assert "skipped: not to be had" in lines[-2]
    assert unmet([], rows) == []


def test_each_broken_promise_is_named() -> None:
    broken = row("one", Counts(1999, 20, 18, 1, 1, 20, 18, 20, 18), "exit status 3: fault")
    assert unmet([], [broken]) == [
        "one: exit status 3: fault",
        "18 of 20 failing entries found",
        "IC101 on 1 entries that import",
        "1 IC102 findings on entries that import, in 1999 modules",
        "18 of 20 deferred imports predicted",
        "18 of 20 unconditional predictions ran",
    ]


def test_details_name_each_miss() -> None:
    comparison = Comparison(Counts(), missed_sites=[("one.tools", "run", 3, "one.late")])
    text = details([PackageRow(Package("one", "1.0", ("one",)), comparison, SCAN)])
    assert "- one.tools:3 in run imports one.late" in text
