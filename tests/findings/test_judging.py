"""Which failures become which findings."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from importcycle.findings import CycleKind, Finding, ImportCycle, Severity, UnknownRule, find_rule, select_rules
from importcycle.importing.outcomes import Condition, Cut, Failure, FailureKind, Opaque, StepKind
from tests.support.samples import (
    conditional_crash,
    import_crash,
    make_project,
    make_report,
    make_simulation,
    site,
    step,
)


def only(*failures: Failure) -> Finding:
    """The single finding of these failures."""
    (finding,) = make_report(*failures).findings
    return finding


def test_a_certain_and_exact_crash_is_ic101() -> None:
    finding = only(import_crash())
    assert (finding.rule, finding.severity) == ("IC101", Severity.ERROR)
    assert finding.error is not None
    assert finding.error.type == "ImportError"
    assert finding.error.name == "Order"


@pytest.mark.parametrize("change", [{"certain": False}, {"exact": False}])
def test_a_crash_that_is_conditional_or_inferred_is_ic102(change: dict[str, bool]) -> None:
    finding = only(replace(import_crash(), certain=change.get("certain", True), exact=change.get("exact", True)))
    assert finding.rule == "IC102"


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (FailureKind.SWALLOWED, "IC103"),
        (FailureKind.STAR_LOSS, "IC104"),
        (FailureKind.MISSING, "IC105"),
        (FailureKind.SURVIVED_DEFERRED, "IC201"),
    ],
)
def test_each_kind_of_failure_has_its_rule(kind: FailureKind, code: str) -> None:
    assert only(replace(import_crash(), kind=kind)).rule == code


def test_nothing_is_raised_where_nothing_fails() -> None:
    for kind in (FailureKind.STAR_LOSS, FailureKind.SURVIVED_DEFERRED):
        assert only(replace(import_crash(), kind=kind)).error is None


def test_the_same_crash_from_many_entries_is_one_finding() -> None:
    longer = (step(StepKind.IMPORT, "till", 1, "import shop.orders"), *import_crash().trace)
    finding = only(replace(import_crash("till"), trace=longer), import_crash("shop.orders"))
    assert finding.entries == ("shop.orders", "till")
    assert finding.entry == "till"  # A top-level name comes before a module of a package,
    assert finding.trace == longer  # and the trace is that of the entry.


def test_modules_below_a_failing_package_fail_with_it() -> None:
    finding = only(replace(import_crash(), entry="shop.parts"))
    assert finding.entries == ("shop.parts", "shop.parts.wheel")


def test_a_failing_top_package_is_the_entry() -> None:
    finding = only(import_crash("shop.orders"), import_crash("shop"))
    assert finding.entry == "shop"
    assert set(finding.entries) == {name for name in make_project().modules if name.startswith("shop")}


def test_distinct_conditions_are_distinct_findings() -> None:
    other = replace(conditional_crash("till"), conditions=(Condition("is_limited()", False, "shop/log.py", 7),))
    findings = make_report(conditional_crash(), other).findings
    assert [finding.conditions[0].value for finding in findings] == [True, False]


def test_a_condition_that_is_not_needed_makes_no_second_finding() -> None:
    base = conditional_crash()
    more = replace(base, conditions=(*base.conditions, Condition("DEBUG", True, "shop/log.py", 2)))
    assert only(more, base).conditions == base.conditions


def test_the_order_of_failures_does_not_matter() -> None:
    failures = [import_crash("till"), import_crash(), conditional_crash(), replace(import_crash(), name="Other")]
    expected = make_report(*failures).findings
    for seed in range(5):
        random.Random(seed).shuffle(failures)
        assert make_report(*failures).findings == expected


def test_a_fingerprint_stays_when_lines_move() -> None:
    moved = import_crash()
    moved = replace(
        moved,
        bound_at=site("shop.orders", 13),
        reached=site("shop.orders", 11),
        site=site("shop.customers", 21),
        trace=(
            step(StepKind.IMPORT, "shop.orders", 11, "from shop.customers import ("),
            step(StepKind.IMPORT, "shop.customers", 21, "from shop.orders import Order, Item"),
        ),
    )
    assert only(moved).fingerprint == only(import_crash()).fingerprint


def test_a_fingerprint_tells_crashes_apart() -> None:
    crash = import_crash()
    variants = [
        crash,
        conditional_crash(),
        replace(crash, name="Item"),
        replace(crash, site=site("shop.log", 1)),
        replace(crash, kind=FailureKind.SWALLOWED),
    ]
    assert len({only(variant).fingerprint for variant in variants}) == len(variants)


def test_a_crash_under_other_conditions_keeps_its_key_and_has_a_fingerprint_of_its_own() -> None:
    conditional = replace(import_crash(), certain=False, conditions=(Condition("DEBUG", True, "shop/log.py", 2),))
    assert only(conditional).key == only(import_crash()).key
    assert only(conditional).fingerprint != only(import_crash()).fingerprint


def test_how_a_condition_is_written_and_where_makes_no_difference_to_the_fingerprint() -> None:
    tests = [Condition("get('A', 1)", True, "shop/log.py", 2), Condition('get( "A",1 )', True, "shop/log.py", 7)]
    first, second = (only(replace(import_crash(), certain=False, conditions=(test,))) for test in tests)
    assert first.fingerprint == second.fingerprint


def test_the_trigger_is_the_module_level_call_that_leads_there() -> None:
    finding = only(conditional_crash())
    assert finding.trigger is not None
    assert finding.trace[finding.trigger].text == "LIMIT = read_limit()"


def test_the_trigger_of_plain_imports_is_where_the_half_loaded_module_stands() -> None:
    finding = only(import_crash())
    assert finding.trigger == 0


def test_a_script_that_is_imported_again() -> None:
    survived = replace(import_crash("till"), kind=FailureKind.SURVIVED_DEFERRED, script=True)
    finding = only(survived)
    assert (finding.rule, finding.severity, finding.error) == ("IC401", Severity.WARNING, None)
    again = (step(StepKind.IMPORT, "till", 1, "import shop.orders"), *import_crash().trace)
    fatal = only(replace(import_crash("till"), script=True, trace=again))
    assert (fatal.rule, fatal.severity) == ("IC401", Severity.ERROR)


def test_a_script_is_told_apart_from_imports_that_fail_too() -> None:
    report = make_report(import_crash("shop.orders"), replace(import_crash("shop.log"), script=True))
    told = {finding.script: finding.entries for finding in report.findings}
    assert told == {False: ("shop.orders",), True: ("shop.log",)}


def test_eager_cycles_are_notes_unless_they_crash() -> None:
    example = (step(StepKind.IMPORT, "shop.orders", 1, "import shop.customers"),)
    cycle = ImportCycle(CycleKind.EAGER, ("shop.customers", "shop.orders"), example)
    (finding,) = make_report(cycles=[cycle]).findings
    assert (finding.rule, finding.severity) == ("IC202", Severity.NOTE)
    assert {finding.rule for finding in make_report(import_crash(), cycles=[cycle]).findings} == {"IC101"}


def test_harmless_cycles_are_off_by_default() -> None:
    example = (step(StepKind.IMPORT, "shop.orders", 1, "import shop.customers"),)
    cycles = [ImportCycle(kind, ("shop.customers", "shop.orders"), example) for kind in CycleKind]
    assert [finding.rule for finding in make_report(cycles=cycles).findings] == ["IC202"]
    selected = make_report(cycles=cycles, rules=select_rules(["IC3"])).findings
    assert [finding.rule for finding in selected] == ["IC301", "IC302"]


def test_what_limits_the_analysis_is_reported() -> None:
    simulation = make_simulation(
        cuts=[Cut(site("shop.log", 4), "more than 1,000 steps")],
        opaque=[Opaque(site("shop.log", 5), "import_module(name)")],
        unparsable={"shop/parts/wheel.py": "invalid syntax (line 3)"},
    )
    findings = make_report(simulation=simulation).findings
    assert {finding.rule: finding.location.line for finding in findings} == {"IC901": 1, "IC902": 5, "IC903": 4}
    assert next(finding for finding in findings if finding.rule == "IC901").location.module == "shop.parts.wheel"


def test_rules_are_selected_by_code_prefix_and_name() -> None:
    assert [rule.code for rule in select_rules(["IC10"])] == ["IC101", "IC102", "IC103", "IC104", "IC105"]
    assert [rule.code for rule in select_rules(["ic1"], ["IC103", "missing-name"])] == ["IC101", "IC102", "IC104"]
    assert {rule.code for rule in select_rules()} & {"IC301", "IC302"} == set()
    assert find_rule("import-crash") is find_rule("ic101")


def test_an_unknown_rule_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownRule, match="did you mean IC101"):
        find_rule("IC1O1")
    with pytest.raises(UnknownRule, match="IC9999"):
        select_rules(ignore=["IC9999"])
