"""IC302: a cycle that only a type checker sees."""

from __future__ import annotations

from collections.abc import Iterable

from importcycle.findings.model import CycleKind, Evidence, Finding, Rule, Severity
from importcycle.findings.rules.selection import cycle_findings


def _detect(evidence: Evidence, rule: Rule) -> Iterable[Finding]:
    cycles = [cycle for cycle in evidence.cycles if cycle.kind is CycleKind.TYPING]
    return cycle_findings(rule, cycles, "form a cycle only through imports under TYPE_CHECKING")


RULE = Rule(
    code="IC302",
    name="typing-cycle",
    severity=Severity.NOTE,
    enabled=False,
    meaning="a cycle only under TYPE_CHECKING",
    example="""\
# mail/inbox.py
from mail.message import Message

# mail/message.py
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from mail.inbox import Inbox       # never runs
""",
    why="It cannot make an import fail.",
    fix="None is needed.",
    suppress="Off unless selected.",
    detect=_detect,
)
