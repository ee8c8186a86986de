"""The report as SARIF 2.1.0, for code scanning: each finding's trace is a code flow that a viewer can step through."""

from __future__ import annotations

import json
from typing import Any

from importcycle.findings.model import Finding, Report, Rule
from importcycle.findings.rules import ALL_RULES
from importcycle.importing.outcomes import Site, Step
from importcycle.report.escaping import printable
from importcycle.report.explanation import explain_rule
from importcycle.report.locations import SourceLocations

SARIF_VERSION = "2.1.0"
SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT = "importcycleFinding/v1"
_SOURCE_ROOT = "%SRCROOT%"
_RULE_INDEX = {rule.code: index for index, rule in enumerate(ALL_RULES)}

Object = dict[str, Any]


def render_sarif(report: Report, locations: SourceLocations, *, version: str) -> str:
    """The report as a SARIF log of one run, in ASCII."""
    major, minor = report.project.python_version
    run: Object = {
        "tool": {
            "driver": {
                "name": "importcycle",
                "semanticVersion": version,
                "shortDescription": {"text": "Finds the imports that fail because of a cycle."},
                "rules": [_rule(rule) for rule in ALL_RULES],
            }
        },
        "invocations": [{"executionSuccessful": True}],
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_SOURCE_ROOT: {"description": {"text": "The folder of the repository."}}},
        "results": [_Result(finding, locations).document() for finding in report.findings],
        "properties": {
            "packages": [printable(package) for package in report.project.packages],
            "modules": len(report.project.target_modules()),
            "pythonVersion": f"{major}.{minor}",
            "platform": report.project.platform,
        },
    }
    return json.dumps({"$schema": SARIF_SCHEMA, "version": SARIF_VERSION, "runs": [run]}, indent=2) + "\n"


def _rule(rule: Rule) -> Object:
    meaning = f"{rule.meaning[0].upper()}{rule.meaning[1:]}."
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": meaning},
        "fullDescription": {"text": f"{meaning} {rule.why}"},
        "help": {"text": explain_rule(rule), "markdown": _help_in_markdown(rule)},
        "defaultConfiguration": {"enabled": rule.enabled, "level": rule.severity.value},
        "properties": {"tags": ["imports", "correctness"], "precision": "high"},
    }


def _help_in_markdown(rule: Rule) -> str:
    parts = [f"```python\n{rule.example.rstrip()}\n```", f"**Why it is a problem.** {rule.why}"]
    return "\n\n".join([*parts, f"**How to fix it.** {rule.fix}", f"**When to suppress it.** {rule.suppress}"])


class _Result:
    """One finding as a result."""

    def __init__(self, finding: Finding, locations: SourceLocations) -> None:
        self._finding = finding
        self._locations = locations

    def document(self) -> Object:
        finding = self._finding
        last = finding.trace[-1] if finding.trace else None
        at_end = last is not None and _same_place(last.site, finding.location)
        result: Object = {
            "ruleId": finding.rule,
            "ruleIndex": _RULE_INDEX[finding.rule],
            "level": finding.severity.value,
            "message": _message(*_sentences(finding)),
            "locations": [self._location(finding.location, source=last.text if last is not None and at_end else None)],
            "partialFingerprints": {FINGERPRINT: finding.fingerprint},
            "properties": self._properties(),
        }
        if finding.trace:
            result["codeFlows"] = [{"threadFlows": [{"locations": self._flow()}]}]
        related = self._related()
        if related:
            result["relatedLocations"] = related
        return result

    def _properties(self) -> Object:
        finding = self._finding
        return {
            "entries": [printable(entry) for entry in finding.entries],
            "cycle": [printable(module) for module in finding.cycle],
            "conditions": [
                {"test": printable(condition.test), "value": condition.value} for condition in finding.conditions
            ],
            "resolution": "exact" if finding.exact else "inferred",
        }

    def _flow(self) -> list[Object]:
        last = len(self._finding.trace) - 1
        return [
            {
                "location": self._location(step.site, source=step.text, message=_step_text(step)),
                "kinds": [step.kind.value],
                "nestingLevel": index,
                "executionOrder": index + 1,
                "importance": "essential" if index in (0, self._finding.trigger, last) else "important",
            }
            for index, step in enumerate(self._finding.trace)
        ]

    def _related(self) -> list[Object]:
        """The places that explain the finding, though the flow does not pass through them as such."""
        finding = self._finding
        found: list[Object] = []
        name = finding.error.name if finding.error is not None else "the name"
        for site, text in (
            (finding.bound_at, f"{name} is bound here"),
            (finding.reached, "the half-loaded module has only come as far as this"),
            (finding.handler, "this handler hides the error"),
        ):
            if site is not None:
                found.append(self._location(site, message=text))
        for condition in finding.conditions:
            site = Site("", condition.path, condition.line)
            value = "true" if condition.value else "false"
            found.append(self._location(site, message=f"when {condition.test} is {value}"))
        return [{"id": number, **location} for number, location in enumerate(found, start=1)]

    def _location(self, site: Site, *, source: str | None = None, message: str | None = None) -> Object:
        uri, relative = self._locations.uri(site.path)
        region: Object = {"startLine": max(1, site.line)}
        if site.column > 0:
            region["startColumn"] = site.column + 1
        if source:
            region["snippet"] = {"text": printable(source)}
        artifact = {"uri": uri, "uriBaseId": _SOURCE_ROOT} if relative else {"uri": uri}
        location: Object = {"physicalLocation": {"artifactLocation": artifact, "region": region}}
        if site.module:
            location["logicalLocations"] = [_logical_location(site)]
        if message is not None:
            location["message"] = _message(message)
        return location


def _logical_location(site: Site) -> Object:
    if site.function is None:
        return {"fullyQualifiedName": printable(site.module), "kind": "module"}
    return {"fullyQualifiedName": printable(f"{site.module}.{site.function}"), "kind": "function"}


def _sentences(finding: Finding) -> list[str]:
    lines = [f"{finding.message}."]
    if finding.error is not None:
        lines.append(f"{finding.error.type}: {finding.error.text}")
    if finding.fix:
        lines.append(f"To fix: {finding.fix}")
    return lines


def _step_text(step: Step) -> str:
    where = f" in {step.site.function}" if step.site.function is not None else ""
    return f"{step.kind.value.replace('-', ' ')}{where}: {' '.join(step.text.split())}"


def _message(*lines: str) -> Object:
    """A message in plain text; nothing in it is taken for an embedded link."""
    return {"text": "\n".join(printable(line).replace("](", "\\](") for line in lines)}


def _same_place(one: Site, other: Site) -> bool:
    return (one.path, one.line) == (other.path, other.line)
