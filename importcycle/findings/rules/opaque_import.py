"""IC902: a dynamic import that could not be followed."""

from __future__ import annotations

from collections.abc import Iterable

from importcycle.findings.judging import plain_finding
from importcycle.findings.model import Evidence, Finding, Rule, Severity


def _detect(evidence: Evidence, rule: Rule) -> Iterable[Finding]:
    for opaque in dict.fromkeys(evidence.simulation.opaque):
        yield plain_finding(rule, opaque.site, f"this dynamic import could not be followed: {opaque.text}")


RULE = Rule(
    code="IC902",
    name="opaque-import",
    severity=Severity.NOTE,
    meaning="a dynamic import that could not be followed",
    example="""\
# plugins.py
import importlib, os
importlib.import_module(os.environ["PLUGIN"])
""",
    why="Which module is imported is known only when it runs: what follows from it is not part of the analysis.",
    fix="None is needed. A name made of constants, or a loop over a constant list, can be followed.",
    suppress="Freely: it is a note.",
    detect=_detect,
)
