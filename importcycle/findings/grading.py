"""Severities that users set for rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from importcycle.findings.model import Finding, Severity


def level_of(code: str, name: str, levels: Mapping[str, str]) -> str | None:
    """What the user sets for this rule, by code, name or prefix; of several the longest counts. ``None``: nothing."""
    fitting = [key for key in levels if _fits(key.strip(), code, name)]
    return levels[max(fitting, key=lambda key: _exactness(key.strip(), name))] if fitting else None


def regrade(finding: Finding, levels: Mapping[str, str]) -> Finding:
    """The finding with the severity that the user sets for its rule."""
    level = level_of(finding.rule, finding.name, levels)
    return finding if level is None else replace(finding, severity=Severity(level))


def count_by_severity(findings: Iterable[Finding]) -> Mapping[Severity, int]:
    """How many findings there are of each severity."""
    counts = Counter(finding.severity for finding in findings)
    return {severity: counts[severity] for severity in Severity}


def _fits(key: str, code: str, name: str) -> bool:
    return key.upper() == "ALL" or code.startswith(key.upper()) or key.lower() == name


def _exactness(key: str, name: str) -> int:
    return 0 if key.upper() == "ALL" else len(name) + 10 if key.lower() == name else len(key)
