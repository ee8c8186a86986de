"""What a user reads."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from importcycle.findings import ALL_RULES, CycleKind, ImportCycle, Report
from importcycle.importing.outcomes import Condition, Event, EventKind, FailureKind, StepKind
from importcycle.project.model import ModuleKind
from importcycle.report.escaping import printable
from importcycle.report.explanation import explain_rule, list_rules
from importcycle.report.text import print_report
from importcycle.report.trace import print_trace
from tests.support.samples import conditional_crash, import_crash, make_project, make_report, site, step


def text_of(report: Report, *, width: int | None = None, notes: bool = False, quiet: bool = False) -> str:
    """The text report: in a pipe, or on a terminal of some width."""
    output = io.StringIO()
    terminal = width is not None
    console = Console(file=output, width=width, soft_wrap=not terminal, force_terminal=terminal, color_system=None)
    print_report(report, console, notes=notes, quiet=quiet)
    return output.getvalue()


def test_a_conditional_crash_reads_from_entry_to_failure() -> None:
    text = text_of(make_report(conditional_crash()))
    expected = """\
IC102 conditional-crash   import shop   when is_limited() is true
  ImportError: cannot import name 'Order' from partially initialized module 'shop.orders' (most likely due to a \
circular import)

   shop/__init__.py:2   import shop.orders
 > shop/orders.py:4     LIMIT = read_limit()   runs at import
     in read_limit
     when is_limited() is true   (shop/log.py:7)
   shop/log.py:8        note('limited')
     in note
   shop/log.py:3        from shop.customers import name   deferred import
 x shop/customers.py:1  from shop.orders import Order
     Order is bound at shop/orders.py:9, but orders has only reached line 4

  fails for: every import of shop (6 modules)
"""
    assert text.startswith(expected)
    assert "\n  to fix: " in text
    assert text.endswith("1 error in 7 modules of shop, till (Python 3.11, linux)\n")


def test_entries_are_listed_where_they_are_few() -> None:
    assert "fails for: import shop.orders, till\n" in text_of(make_report(import_crash(), import_crash("till")))


def test_wide_lines_are_folded_on_a_terminal_only() -> None:
    crash = import_crash()
    source = "from shop.orders import " + ", ".join(f"name_{number}" for number in range(12))
    wide = replace(crash, trace=(replace(crash.trace[0], text=source), crash.trace[1]))
    assert source in text_of(make_report(wide))
    for width in (40, 80, 100):
        folded = text_of(make_report(wide), width=width)
        assert max(map(len, folded.splitlines())) <= width
        assert "name_3" in folded
        assert "orders stands here" in folded


def test_a_swallowed_crash_names_its_handler() -> None:
    swallowed = replace(import_crash(), kind=FailureKind.SWALLOWED, handler=site("shop.orders", 2))
    assert "hidden by the handler at shop/orders.py:2" in text_of(make_report(swallowed))


def test_notes_are_counted_unless_asked_for() -> None:
    cycle = ImportCycle(
        CycleKind.EAGER,
        ("shop.customers", "shop.orders"),
        (step(StepKind.IMPORT, "shop.orders", 1, "import shop.customers"),),
    )
    report = make_report(cycles=[cycle])
    assert "not shown: 1 eager-cycle (IC202); --verbose shows them" in text_of(report)
    assert "no failing import found in 7 modules" in text_of(report)
    assert "IC202 eager-cycle   shop/orders.py:1" in text_of(report, notes=True)
    assert text_of(report, quiet=True) == ""


def test_modules_without_a_source_are_counted() -> None:
    report = make_report()
    modules = {name: replace(module) for name, module in report.project.modules.items()}
    for name in ("shop.log", "till"):
        modules[name] = replace(modules[name], kind=ModuleKind.EXTENSION, path=Path(f"/nowhere/{name}.so"))
    text = text_of(replace(report, project=replace(report.project, modules=modules)))
    assert "not looked into: 2 modules without a source, shop.log, till\n" in text


def test_nothing_from_the_target_steers_the_terminal() -> None:
    crash = conditional_crash()
    evil = "\x1b]0;owned\x07\x9b31m\u202e\r\n[bold]:smile:"
    hostile = replace(
        crash,
        entry="till",
        name=evil,
        module=f"shop{evil}",
        conditions=(Condition(evil, True, evil, 1),),
        trace=tuple(replace(s, text=evil, site=replace(s.site, path=evil, function=evil)) for s in crash.trace),
        site=replace(crash.site, path=evil, module=evil),
        bound_at=replace(crash.site, path=evil),
        handler=replace(crash.site, path=evil),
    )
    text = text_of(make_report(hostile))
    assert not {"\x1b", "\x07", "\x9b", "\u202e", "\r"} & set(text)
    assert "[bold]:smile:" in text


def test_text_is_shown_as_it_is_unless_it_is_harmful() -> None:
    assert printable("naïve = 'Größe' \N{SNOWMAN}") == "naïve = 'Größe' \N{SNOWMAN}"
    assert printable("a\tb\x1b[2J\udcff") == "a    b\\x1b[2J\\udcff"


def test_a_trace_is_an_indented_tree() -> None:
    via = (site("shop.orders", 4),)
    events = [
        Event(EventKind.IMPORT, site("shop", 2), "shop.orders", True, 0, (), ()),
        Event(EventKind.IMPORT, site("shop.orders", 1), "shop", False, 1, (), ()),
        Event(
            EventKind.DEFERRED_IMPORT,
            site("shop.log", 3, "note"),
            "shop.customers",
            True,
            1,
            conditional_crash().conditions,
            via,
        ),
    ]
    output = io.StringIO()
    console = Console(file=output, soft_wrap=True, color_system=None)
    print_trace("shop", events, [conditional_crash()], make_project(), console)
    assert output.getvalue() == (
        "import shop\n"
        "  shop/__init__.py:2  imports shop.orders\n"
        "    shop/log.py:3  deferred import of shop.customers in note\n"
        "      when is_limited() is true\n"
        "      by way of shop/orders.py:4\n"
        "not shown: 1 import of modules already loaded\n"
        "fails when is_limited() is true, at shop/customers.py:1: ImportError: cannot import name 'Order' "
        "from partially initialized module 'shop.orders' (most likely due to a circular import)\n"
    )


def test_every_rule_is_explained() -> None:
    for rule in ALL_RULES:
        text = explain_rule(rule)
        for heading in ("Example", "Why it is a problem", "How to fix it", "When to suppress it"):
            assert f"\n{heading}\n" in text
        assert f"{rule.code}  {rule.name} " in list_rules(ALL_RULES)
