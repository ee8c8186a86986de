"""IC105: CPython blames a circular import, but the name exists nowhere."""

from __future__ import annotations

from collections.abc import Iterable

from importcycle.findings.judging import judge_failures
from importcycle.findings.model import Evidence, Finding, Rule, Severity
from importcycle.findings.wording import fix_advice, when_clause
from importcycle.importing.outcomes import Failure, FailureKind


def _message(failure: Failure, entries: int) -> str:
    meant = f"; did you mean {failure.suggestion!r}?" if failure.suggestion is not None else ""
    return (
        f"import {failure.entry} fails{when_clause(failure.conditions)}, and no order of imports can help: "
        f"nothing binds {failure.name!r} in {failure.module}{meant}"
    )


def _detect(evidence: Evidence, rule: Rule) -> Iterable[Finding]:
    failures = [failure for failure in evidence.simulation.failures if failure.kind is FailureKind.MISSING]
    return judge_failures(evidence, rule, failures, family="missing", message=_message, advice=fix_advice)


RULE = Rule(
    code="IC105",
    name="missing-name",
    severity=Severity.ERROR,
    meaning="not a cycle at all: the name exists nowhere, though CPython blames a circular import",
    example="""\
# report/__init__.py
from report import tabels          # there is report/tables.py, but no report/tabels.py

# ImportError: cannot import name 'tabels' from partially initialized module 'report'
#              (most likely due to a circular import)
""",
    why="""\
CPython words the error by the state of the module asked, and a package that imports its own parts is half-loaded
while it does. Looking for a cycle is a waste of time: a name is misspelt, or a file was left out of the release.""",
    fix="Correct the name, or see to it that the file is part of the distribution.",
    suppress="If the name is put there by means that cannot be seen in the sources.",
    detect=_detect,
)
