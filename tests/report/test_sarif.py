"""SARIF: valid by its schema, with the trace as a code flow that can be followed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest

from importcycle.findings import ALL_RULES, CycleKind, ImportCycle, Report, select_rules
from importcycle.importing.outcomes import StepKind
from importcycle.report.locations import SourceLocations
from importcycle.report.sarif import FINGERPRINT, render_sarif
from tests.report.hostile import hostile_report
from tests.support.samples import conditional_crash, import_crash, make_report, make_simulation, step

SCHEMA = Path(__file__).parent / "schemas" / "sarif-2.1.0.json"
ROOT = Path("/nowhere")


@pytest.fixture(scope="module")
def validator() -> Any:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    kind = jsonschema.Draft4Validator
    kind.check_schema(schema)
    return kind(schema, format_checker=kind.FORMAT_CHECKER)


def document(report: Report, base: Path = ROOT) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(render_sarif(report, SourceLocations(report.project, base), version="1.2.3"))
    return parsed


def many_kinds() -> Report:
    example = (step(StepKind.IMPORT, "shop.parts", 1, "import till"), step(StepKind.IMPORT, "till", 1, "import shop"))
    cycle = ImportCycle(CycleKind.EAGER, ("shop.parts", "till"), example)
    simulation = make_simulation(
        [import_crash("till"), conditional_crash()], unparsable={"größe/a b:c.py": "invalid syntax"}
    )
    return make_report(simulation=simulation, cycles=[cycle], rules=select_rules(["ALL"]))


@pytest.mark.parametrize("report", [many_kinds(), make_report(), hostile_report()])
@pytest.mark.parametrize("base", [ROOT, Path("/elsewhere")])
def test_documents_keep_to_the_official_schema(validator: Any, report: Report, base: Path) -> None:
    validator.validate(document(report, base))


def test_the_schema_is_told_from_no_schema(validator: Any) -> None:
    wrong = document(many_kinds())
    wrong["runs"][0]["results"][0]["level"] = "grave"
    assert not validator.is_valid(wrong)


def test_the_trace_is_a_code_flow() -> None:
    (result,) = document(make_report(conditional_crash()))["runs"][0]["results"]
    ((flow,),) = [thread["threadFlows"] for thread in result["codeFlows"]]
    places = [
        (
            one["location"]["physicalLocation"]["artifactLocation"]["uri"],
            one["location"]["physicalLocation"]["region"]["startLine"],
        )
        for one in flow["locations"]
    ]
    assert places == [
        ("shop/__init__.py", 2),
        ("shop/orders.py", 4),
        ("shop/log.py", 8),
        ("shop/log.py", 3),
        ("shop/customers.py", 1),
    ]
    assert [one["importance"] for one in flow["locations"]] == [
        *("essential", "essential", "important", "important", "essential")
    ]
    assert flow["locations"][3]["location"]["message"]["text"] == (
        "deferred import in note: from shop.customers import name"
    )
    assert flow["locations"][3]["location"]["logicalLocations"][0] == {
        "fullyQualifiedName": "shop.log.note",
        "kind": "function",
    }


def test_a_result_says_what_the_finding_says() -> None:
    report = make_report(conditional_crash())
    (result,) = document(report)["runs"][0]["results"]
    (finding,) = report.findings
    assert result["ruleId"] == "IC102"
    assert result["level"] == "error"
    assert result["partialFingerprints"] == {FINGERPRINT: finding.fingerprint}
    assert result["message"]["text"].startswith(f"{finding.message}.\nImportError: cannot import name 'Order'")
    assert result["message"]["text"].endswith(f"\nTo fix: {finding.fix}")
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 1, "snippet": {"text": "from shop.orders import Order"}}
    related = [one["message"]["text"] for one in result["relatedLocations"]]
    assert "Order is bound here" in related
    assert "when is_limited() is true" in related


def test_every_rule_has_its_help_and_results_point_to_theirs() -> None:
    (run,) = document(many_kinds())["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.code for rule in ALL_RULES]
    for rule, told in zip(ALL_RULES, rules, strict=True):
        assert rule.fix in told["help"]["markdown"]
        assert told["defaultConfiguration"] == {"enabled": rule.enabled, "level": rule.severity.value}
    assert run["results"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]


def test_paths_are_uris_below_the_repository() -> None:
    results = document(many_kinds())["runs"][0]["results"]
    locations = [result["locations"][0]["physicalLocation"]["artifactLocation"] for result in results]
    odd = next(one for one in locations if "%" in one["uri"])
    assert unquote(odd["uri"]) == "größe/a b:c.py"
    assert ":" not in odd["uri"]
    assert odd["uriBaseId"] == "%SRCROOT%"


def test_files_outside_the_repository_have_whole_uris() -> None:
    (result,) = document(make_report(import_crash()), Path("/elsewhere"))["runs"][0]["results"]
    artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact == {"uri": "file:///nowhere/shop/customers.py"}


def test_hostile_text_makes_no_links_and_no_control_characters() -> None:
    def texts(value: object) -> list[str]:
        if isinstance(value, dict):
            return [text for item in value.values() for text in texts(item)]
        if isinstance(value, list):
            return [text for item in value for text in texts(item)]
        return [value] if isinstance(value, str) else []

    (run,) = document(hostile_report())["runs"]
    found = texts(run["results"])
    assert found
    for text in found:
        assert not {"\x1b", "\x07", "\x9b", "\u202e", "\r", "\x00", "\udcff"} & set(text)
    messages = [text for text in found if "evil.example" in text and text.startswith("import till fails")]
    assert messages
    assert all("[link](" not in text for text in messages)
