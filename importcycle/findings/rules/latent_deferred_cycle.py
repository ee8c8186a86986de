"""IC301: a cycle closed only by deferred imports that initialisation never triggers."""

from __future__ import annotations

from collections.abc import Iterable

from importcycle.findings.model import CycleKind, Evidence, Finding, Rule, Severity
from importcycle.findings.rules.selection import cycle_findings


def _detect(evidence: Evidence, rule: Rule) -> Iterable[Finding]:
    cycles = [cycle for cycle in evidence.cycles if cycle.kind is CycleKind.DEFERRED]
    return cycle_findings(rule, cycles, "form a cycle only through imports inside functions")


RULE = Rule(
    code="IC301",
    name="latent-deferred-cycle",
    severity=Severity.NOTE,
    enabled=False,
    meaning="a cycle closed only by deferred imports that initialisation never triggers",
    example="""\
# bank/account.py
from bank.audit import record

# bank/audit.py
def record(event):
    from bank.account import Account   # runs long after both are complete
""",
    why="It cannot make an import fail. It says that neither module can be moved without the other.",
    fix="None is needed.",
    suppress="Off unless selected.",
    detect=_detect,
)
