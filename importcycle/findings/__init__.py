"""Judges what the simulation gave: rules, findings, fingerprints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from importcycle.findings.grading import count_by_severity, level_of, regrade
from importcycle.findings.judging import sort_findings
from importcycle.findings.model import (
    CycleKind,
    ErrorFacts,
    Evidence,
    Finding,
    ImportCycle,
    Report,
    Rule,
    Severity,
)
from importcycle.findings.rules import ALL_RULES, UnknownRule, find_rule, select_rules

__all__ = [
    "ALL_RULES",
    "CycleKind",
    "ErrorFacts",
    "Evidence",
    "Finding",
    "ImportCycle",
    "Report",
    "Rule",
    "Severity",
    "UnknownRule",
    "find_rule",
    "judge",
    "level_of",
    "select_rules",
]


def judge(evidence: Evidence, rules: Iterable[Rule], levels: Mapping[str, str] | None = None) -> Report:
    """Apply the rules to the evidence; the findings come out in the same order in every run.

    ``levels`` are severities that the user sets, by code, name or prefix of a rule.
    """
    found = (finding for rule in rules for finding in rule.detect(evidence, rule))
    findings = sort_findings(regrade(finding, levels) for finding in found) if levels else sort_findings(found)
    return Report(
        project=evidence.project,
        findings=findings,
        deferred=evidence.simulation.deferred,
        cycles=evidence.cycles,
        summary=count_by_severity(findings),
    )
