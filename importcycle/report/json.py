"""The JSON report: schema version 1, described by ``schema.json`` beside this module."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from importcycle.findings.model import Finding, Report, Severity
from importcycle.importing.outcomes import Condition, DeferredImport, Event, Site, Step

SCHEMA_VERSION = 1


def render_json(report: Report, *, version: str, deferred: bool = False) -> str:
    """The report as a JSON document in ASCII; with ``deferred`` also the deferred imports that initialisation runs."""
    document: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "importcycle", "version": version},
        "target": _target(report),
        "findings": [_finding(finding) for finding in report.findings],
        "summary": {severity.value: report.summary[severity] for severity in Severity},
    }
    if deferred:
        document["deferred"] = [_deferred(item) for item in report.deferred]
    return json.dumps(document, indent=2)


def render_trace_json(entry: str, events: Sequence[Event]) -> str:
    """What happens when the entry is imported first, as a JSON document in ASCII."""
    return json.dumps({"entry": entry, "events": [_event(event) for event in events]}, indent=2)


def _target(report: Report) -> dict[str, Any]:
    major, minor = report.project.python_version
    return {
        "packages": list(report.project.packages),
        "modules": len(report.project.target_modules()),
        "python_version": f"{major}.{minor}",
        "sccs": [{"modules": len(cycle.modules), "kind": cycle.kind.value} for cycle in report.cycles],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    location = finding.location
    return {
        "rule": finding.rule,
        "name": finding.name,
        "severity": finding.severity.value,
        "fingerprint": finding.fingerprint,
        "message": finding.message,
        "error": _error(finding),
        "location": {**_place(location), "column": location.column},
        "bound_at": _place(finding.bound_at) if finding.bound_at is not None else None,
        "entry": finding.entry,
        "entries": list(finding.entries),
        "cycle": list(finding.cycle),
        "conditions": [_condition(condition) for condition in finding.conditions],
        "resolution": _resolution(finding.exact),
        "trace": [_step(step) for step in finding.trace],
    }


def _error(finding: Finding) -> dict[str, str] | None:
    error = finding.error
    if error is None:
        return None
    return {"type": error.type, "text": error.text, "module": error.module, "name": error.name}


def _place(site: Site) -> dict[str, Any]:
    return {"module": site.module, "path": site.path, "line": site.line}


def _condition(condition: Condition) -> dict[str, Any]:
    return {"test": condition.test, "value": condition.value, "path": condition.path, "line": condition.line}


def _step(step: Step) -> dict[str, Any]:
    site = step.site
    return {
        "kind": step.kind.value,
        "module": site.module,
        "function": site.function,
        "path": site.path,
        "line": site.line,
        "text": step.text,
    }


def _deferred(item: DeferredImport) -> dict[str, Any]:
    return {
        "importer": item.site.module,
        "function": item.site.function,
        "path": item.site.path,
        "line": item.site.line,
        "target": item.target,
        "kind": item.kind.value,
        "statement": {"module": item.statement.module, "line": item.statement.line},
        "conditions": [_condition(condition) for condition in item.conditions],
        "resolution": _resolution(item.exact),
    }


def _event(event: Event) -> dict[str, Any]:
    return {
        "kind": event.kind.value,
        "importer": event.site.module,
        "function": event.site.function,
        "path": event.site.path,
        "line": event.site.line,
        "target": event.target,
        "initialises": event.initialises,
        "depth": event.depth,
        "conditions": [_condition(condition) for condition in event.conditions],
        "via": [{"module": s.module, "function": s.function, "path": s.path, "line": s.line} for s in event.via],
    }


def _resolution(exact: bool) -> str:
    return "exact" if exact else "inferred"
