"""IC202: a cycle of module-level imports that survives from every entry."""

from __future__ import annotations

from collections.abc import Iterable

from importcycle.findings.model import CycleKind, Evidence, Finding, Rule, Severity
from importcycle.findings.rules.selection import cycle_findings, modules_that_crash_together


def _detect(evidence: Evidence, rule: Rule) -> Iterable[Finding]:
    crashing = modules_that_crash_together(evidence)
    harmless = [
        cycle
        for cycle in evidence.cycles
        if cycle.kind is CycleKind.EAGER and not any(pair <= set(cycle.modules) for pair in crashing)
    ]
    return cycle_findings(rule, harmless, "import one another at module level, and no entry fails")


RULE = Rule(
    code="IC202",
    name="eager-cycle",
    severity=Severity.NOTE,
    meaning="a cycle of module-level imports that survives from every entry",
    example="""\
# game/board.py
import game.rules                  # the module is enough: nothing is asked of it yet

# game/rules.py
import game.board
def allowed(): return game.board.SIZE
""",
    why="It does no harm today. It ties the modules together, and it is where tomorrow's IC101 comes from.",
    fix="Move what both need into a third module, when there is another reason to touch them.",
    suppress="Freely: it is a note.",
    detect=_detect,
)
