"""The comparison of what the analyzer says with what CPython does."""

from __future__ import annotations

from typing import Any

import pytest

from tests.corpus.compare import compare, judge_crash
from tests.corpus.scanning import Scan
from tests.corpus.tables import Crash, load_tables

CRASH = Crash(
    "package",
    "1.0",
    "1.1",
    (3, 8),
    "package.first",
    "ImportError",
    "package.first",
    "name",
    "package.second",
    3,
    "plain",
)


def finding(**changes: Any) -> dict[str, Any]:
    """A finding as in a scan's document, only with what is compared."""
    return {
        "rule": "IC101",
        "error": {"type": "ImportError", "module": "package.first", "name": "name"},
        "location": {"module": "package.second", "line": 3},
        "entries": ["package.first"],
        "conditions": [],
        **changes,
    }


def scan(*findings: dict[str, Any], deferred: tuple[dict[str, Any], ...] = ()) -> Scan:
    return Scan({"findings": list(findings), "deferred": list(deferred)}, None, 1.0, 1)


def site(line: int, *, statement: str = "package.user", conditions: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "importer": "package.tools",
        "function": "run",
        "line": line,
        "target": "package.first",
        "statement": {"module": statement, "line": 1},
        "conditions": list(conditions),
    }


def test_a_case_is_found_in_the_bad_and_absent_in_the_clean_version() -> None:
    verdict = judge_crash(CRASH, scan(finding()), scan())
    assert (verdict.found, verdict.asked_by, verdict.absent, verdict.rule) == (True, True, True, "IC101")


@pytest.mark.parametrize(
    ("changes", "found", "asked_by"),
    [
        ({"location": {"module": "package.second", "line": 4}}, True, False),
        ({"entries": ["package.second"]}, False, False),
        ({"error": {"type": "ImportError", "module": "package.first", "name": "other"}}, False, False),
        ({"rule": "IC103"}, False, False),
    ],
)
def test_the_finding_must_be_the_same_failure(changes: dict[str, Any], found: bool, asked_by: bool) -> None:
    verdict = judge_crash(CRASH, scan(finding(**changes)), None)
    assert (verdict.found, verdict.asked_by, verdict.absent) == (found, asked_by, None)


def test_a_clean_version_that_could_not_be_scanned_shows_nothing() -> None:
    failed = Scan(None, "killed after 9 seconds", 9.0, 1)
    assert judge_crash(CRASH, scan(finding()), failed).absent is False
    assert judge_crash(CRASH, failed, scan()).detail == "killed after 9 seconds"


def test_failing_entries_are_found_by_module_and_name() -> None:
    cycle = {"cycle": ["ImportError", "package.first", "name", "package.second", 3]}
    truth = {
        "package": "package",
        "modules": {
            "package.first": cycle,
            "package.third": cycle,
            "package": "ok",
            "package.needy": {"other": "OSError"},
        },
        "deferred": [],
    }
    result = compare(truth, scan(finding(entries=["package.first", "package.needy"])))
    assert (result.counts.cycle_failures, result.counts.found) == (2, 1)
    assert result.missed_failures == ["package.third: ImportError name of package.first, asked by package.second:3"]
    assert (result.counts.false_certain, result.counts.false_conditional, result.other_failures) == (0, 0, 1)


def test_findings_on_entries_that_import_are_counted_by_rule() -> None:
    truth = {"package": "package", "modules": {"package.first": "ok", "package.other": "ok"}, "deferred": []}
    entries = ["package.first", "package.other"]
    condition = {"test": "in_wsl()", "value": True}
    result = compare(
        truth, scan(finding(entries=entries), finding(rule="IC102", entries=entries, conditions=[condition]))
    )
    assert (result.counts.false_certain, result.counts.false_conditional) == (2, 1)
    assert "when (in_wsl()) is True" in result.false_findings[1]


def test_deferred_sites_are_compared_one_by_one() -> None:
    truth = {
        "package": "package",
        "modules": {"package.user": "ok", "package.needy": {"other": "ModuleNotFoundError"}},
        "deferred": [site(1), site(2), site(3)],
    }
    predicted = (
        site(1),
        site(2, conditions=("debug",)),
        site(4),
        site(5, conditions=("debug",)),
        site(6, statement="package.needy"),
        {**site(7), "target": "elsewhere"},
    )
    result = compare(truth, scan(deferred=predicted))
    assert (result.counts.deferred, result.counts.predicted) == (3, 2)
    assert [missed[2] for missed in result.missed_sites] == [3]
    assert (result.counts.unconditional, result.counts.unconditional_ran) == (2, 1)
    assert [idle[2] for idle in result.idle_sites] == [4]


def test_the_tables_can_be_narrowed() -> None:
    tables = load_tables()
    assert len(tables.crashes) == 18
    assert len(tables.packages) == 41
    narrowed = tables.only(frozenset({"pip", "mypy"}))
    assert [crash.package for crash in narrowed.crashes] == ["pip"]
    assert {package.package for package in narrowed.packages} == {"pip", "mypy"}
    with pytest.raises(ValueError, match="not in the corpus: nonsense"):
        tables.only(frozenset({"nonsense"}))
    assert all(crash.analysed_python >= (3, 10) for crash in tables.crashes)
