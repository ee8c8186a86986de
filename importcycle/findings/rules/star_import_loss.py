"""IC104: a star import of a half-loaded module takes fewer names."""

from __future__ import annotations

from collections.abc import Iterable

from importcycle.findings.judging import judge_failures
from importcycle.findings.model import Evidence, Finding, Rule, Severity
from importcycle.findings.wording import fix_advice, when_clause
from importcycle.importing.outcomes import Failure, FailureKind

_SHOWN = 5


def _message(failure: Failure, entries: int) -> str:
    names = [name.strip() for name in failure.name.split(",") if name.strip()]
    listed = ", ".join(repr(name) for name in names[:_SHOWN])
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    first = f"import {failure.entry}{when_clause(failure.conditions)}"
    return (
        f"{failure.site.module} takes * from half-loaded {failure.module} on {first}, and goes without {listed}{more}"
    )


def _detect(evidence: Evidence, rule: Rule) -> Iterable[Finding]:
    failures = [failure for failure in evidence.simulation.failures if failure.kind is FailureKind.STAR_LOSS]
    return judge_failures(
        evidence, rule, failures, family="star-loss", message=_message, advice=fix_advice, raises=False
    )


RULE = Rule(
    code="IC104",
    name="star-import-loss",
    severity=Severity.WARNING,
    meaning="'from m import *' of a half-loaded module takes fewer names than it would from the complete one",
    example="""\
# units/__init__.py
from units.length import metre
SECOND = 1

# units/length.py
from units import *                # SECOND is not bound yet: no error, it is just not taken
metre = 1
""",
    why="""\
A star import takes the public names that are bound at that moment (or those of __all__), and nothing is raised for
those that come later. The loss shows far away, as a NameError when a function finally uses one of them.""",
    fix="Import the names that are used, by name; or import the module.",
    suppress="If none of the names lost is used through this import.",
    detect=_detect,
)
