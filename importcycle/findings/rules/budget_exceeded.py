"""IC903: evaluation was cut."""

from __future__ import annotations

from collections.abc import Iterable

from importcycle.findings.judging import plain_finding
from importcycle.findings.model import Evidence, Finding, Rule, Severity


def _detect(evidence: Evidence, rule: Rule) -> Iterable[Finding]:
    for cut in dict.fromkeys(evidence.simulation.cuts):
        yield plain_finding(rule, cut.site, f"evaluation was cut here: {cut.reason}")


RULE = Rule(
    code="IC903",
    name="budget-exceeded",
    severity=Severity.WARNING,
    meaning="evaluation was cut at this point",
    example="""\
# table.py
ROWS = [compute(n) for n in range(10 ** 9)]
""",
    why="Evaluation has budgets, so that it always ends. What comes after the cut is known less exactly.",
    fix="None is needed if the code is right. Work that takes this long is better not done at import.",
    suppress="If nothing that matters can follow from the place.",
    detect=_detect,
)
