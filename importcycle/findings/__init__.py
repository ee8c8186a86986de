"""Judges what the simulation gave: rules, findings, fingerprints."""

from __future__ import annotations

from collections.abc import Iterable

from importcycle.findings.grading import count_by_severity, level_of
from importcycle.findings.judging import sort_findings
from importcycle.findings.model import (
    BaselineUpdate,
    CheckFailed,
    CycleKind,
    ErrorFacts,
    Evidence,
    Finding,
    ImportCycle,
    KnownFinding,
    Outcome,
    Report,
    Rule,
    Severity,
)
from importcycle.findings.rules import ALL_RULES, UnknownRule, find_rule, select_rules

__all__ = [
    "ALL_RULES",
    "BaselineUpdate",
    "CheckFailed",
    "CycleKind",
    "ErrorFacts",
    "Evidence",
    "Finding",
    "ImportCycle",
    "KnownFinding",
    "Outcome",
    "Report",
    "Rule",
    "Severity",
    "UnknownRule",
    "find_rule",
    "judge",
    "level_of",
    "select_rules",
]


def judge(evidence: Evidence, rules: Iterable[Rule]) -> Report:
    """Apply the rules to the evidence; the findings come out in the same order in every run."""
    findings = sort_findings(finding for rule in rules for finding in rule.detect(evidence, rule))
    is_followed = evidence.project.is_followed
    return Report(
        project=evidence.project,
        findings=findings,
        deferred=tuple(
            each
            for each in evidence.simulation.deferred
            if not (is_followed(each.site.module) and is_followed(each.target))
        ),
        cycles=evidence.cycles,
        summary=count_by_severity(findings),
    )
