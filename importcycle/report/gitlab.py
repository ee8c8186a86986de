"""The report for GitLab's code quality: a JSON list that a merge request shows beside the changed lines."""

from __future__ import annotations

import hashlib
import json
from collections import Counter

from importcycle.findings.model import Finding, Report, Severity
from importcycle.report.escaping import printable
from importcycle.report.locations import SourceLocations

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.NOTE: "info"}


def render_gitlab(report: Report, locations: SourceLocations) -> str:
    """The findings as a JSON list, in ASCII."""
    seen: Counter[str] = Counter()
    issues = []
    for finding in report.findings:
        issues.append(
            {
                "description": _description(finding),
                "check_name": f"{finding.rule} {finding.name}",
                "fingerprint": _distinct(finding.fingerprint, seen[finding.fingerprint]),
                "severity": _SEVERITIES[finding.severity],
                "location": {
                    "path": locations.shown(finding.location.path),
                    "lines": {"begin": max(1, finding.location.line)},
                },
            }
        )
        seen[finding.fingerprint] += 1
    return json.dumps(issues, indent=2) + "\n"


def _description(finding: Finding) -> str:
    advice = f". To fix: {finding.fix}" if finding.fix else ""
    return printable(f"{finding.message}{advice}")


def _distinct(fingerprint: str, earlier: int) -> str:
    """GitLab drops issues whose fingerprint it has seen: one crash under several sets of conditions has only one."""
    if not earlier:
        return fingerprint
    return hashlib.sha256(f"{fingerprint} {earlier}".encode()).hexdigest()[: len(fingerprint)]
