"""IC904: a comment silences nothing. Findings of this rule are made where comments are heeded, in ``suppression``."""

from __future__ import annotations

from collections.abc import Iterable

from importcycle.findings.model import Evidence, Finding, Rule, Severity

CODE = "IC904"


def _detect(_evidence: Evidence, _rule: Rule) -> Iterable[Finding]:
    return ()


RULE = Rule(
    code=CODE,
    name="unused-ignore",
    severity=Severity.WARNING,
    enabled=False,
    meaning="a comment '# importcycle: ignore[...]' silences nothing",
    example="""\
# shop.py
import json  # importcycle: ignore[IC101] -- was a cycle once
""",
    why="It looks as if there were a problem, and it would hide the next one on this line.",
    fix="Remove the comment, or those of its codes that are not needed.",
    suppress="If the finding is there on another platform or version of Python only.",
    detect=_detect,
)
