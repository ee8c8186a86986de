"""The report as workflow commands of GitHub Actions, which puts them as annotations beside the lines of a change."""

from __future__ import annotations

from importcycle.findings.model import Finding, Report, Severity
from importcycle.report.escaping import printable
from importcycle.report.locations import SourceLocations

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render_github(report: Report, locations: SourceLocations) -> str:
    """One command on a line for each finding; nothing without findings."""
    return "".join(f"{_annotation(finding, locations)}\n" for finding in report.findings)


def _annotation(finding: Finding, locations: SourceLocations) -> str:
    site = finding.location
    properties = {"title": f"{finding.rule} {finding.name}"}
    path = locations.relative(site.path)
    if path is not None:
        properties = {"file": path, "line": str(max(1, site.line)), **properties}
    listed = ",".join(f"{key}={_escaped_property(value)}" for key, value in properties.items())
    return f"::{_COMMANDS[finding.severity]} {listed}::{_escaped(_message(finding, locations))}"


def _message(finding: Finding, locations: SourceLocations) -> str:
    lines = [finding.message]
    if finding.error is not None:
        lines.append(f"{finding.error.type}: {finding.error.text}")
    for step in finding.trace:
        place = f"{locations.shown(step.site.path)}:{step.site.line}"
        lines.append(f"  {place}  {' '.join(step.text.split())}")
    if finding.fix:
        lines.append(f"to fix: {finding.fix}")
    return "\n".join(printable(line) for line in lines)


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
