"""The JSON report keeps to its schema, and says what the findings say."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import jsonschema
import pytest

from importcycle.findings import CycleKind, ImportCycle, Report, select_rules
from importcycle.importing.outcomes import Cut, DeferredImport, Event, EventKind, StepKind
from importcycle.report.json import render_json, render_trace_json
from tests.support.samples import conditional_crash, import_crash, make_report, make_simulation, site, step


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    text = resources.files("importcycle.report").joinpath("schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(loaded)
    return loaded


def a_report() -> Report:
    """One with something of each kind."""
    deferred = DeferredImport(
        site("shop.log", 3, "note"),
        "shop.customers",
        StepKind.DEFERRED_IMPORT,
        site("shop.orders", 4),
        conditional_crash().conditions,
        exact=False,
    )
    example = (step(StepKind.IMPORT, "shop.parts", 1, "import till"),)
    simulation = make_simulation(
        [import_crash("till"), conditional_crash()],
        deferred=[deferred],
        cuts=[Cut(site("shop.log", 4), "more than 1,000 steps")],
        unparsable={"broken.py": "invalid syntax"},
    )
    cycle = ImportCycle(CycleKind.EAGER, ("shop.parts", "till"), example)
    return make_report(simulation=simulation, cycles=[cycle], rules=select_rules(["ALL"]))


def test_reports_keep_to_the_schema(schema: dict[str, Any]) -> None:
    for report in (a_report(), make_report()):
        for deferred in (False, True):
            document = json.loads(render_json(report, version="1.0", deferred=deferred))
            jsonschema.validate(document, schema)
            assert ("deferred" in document) is deferred


def test_a_crash_is_told_in_full() -> None:
    document = json.loads(render_json(make_report(conditional_crash()), version="1.0"))
    (finding,) = document["findings"]
    assert finding["rule"] == "IC102"
    assert finding["error"] == {
        "type": "ImportError",
        "text": "cannot import name 'Order' from partially initialized module 'shop.orders' "
        "(most likely due to a circular import)",
        "module": "shop.orders",
        "name": "Order",
    }
    assert finding["location"] == {"module": "shop.customers", "path": "shop/customers.py", "line": 1, "column": 0}
    assert finding["bound_at"] == {"module": "shop.orders", "path": "shop/orders.py", "line": 9}
    assert finding["conditions"] == [{"test": "is_limited()", "value": True, "path": "shop/log.py", "line": 7}]
    assert finding["resolution"] == "exact"
    assert finding["trace"][3] == {
        "kind": "deferred-import",
        "module": "shop.log",
        "function": "note",
        "path": "shop/log.py",
        "line": 3,
        "text": "from shop.customers import name",
    }
    assert document["summary"] == {"error": 1, "warning": 0, "note": 0}
    assert document["target"]["packages"] == ["shop", "till"]
    assert document["target"]["python_version"] == "3.11"


def test_a_trace_is_told_event_by_event() -> None:
    via = (site("shop.orders", 4), site("shop.log", 8, "read_limit"))
    event = Event(EventKind.DEFERRED_IMPORT, site("shop.log", 3, "note"), "shop.customers", True, 2, (), via)
    document = json.loads(render_trace_json("shop", [event]))
    assert document == {
        "entry": "shop",
        "events": [
            {
                "kind": "deferred-import",
                "importer": "shop.log",
                "function": "note",
                "path": "shop/log.py",
                "line": 3,
                "target": "shop.customers",
                "initialises": True,
                "depth": 2,
                "conditions": [],
                "via": [
                    {"module": "shop.orders", "function": None, "path": "shop/orders.py", "line": 4},
                    {"module": "shop.log", "function": "read_limit", "path": "shop/log.py", "line": 8},
                ],
            }
        ],
    }
