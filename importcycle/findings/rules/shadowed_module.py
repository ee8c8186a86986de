"""IC402: a file of the tree hides a standard module that something then needs."""

from __future__ import annotations

from collections.abc import Iterable

from importcycle.findings.judging import judge_failures
from importcycle.findings.model import Evidence, Finding, Rule, Severity
from importcycle.findings.wording import when_clause
from importcycle.importing.outcomes import Failure, FailureKind


def _message(failure: Failure, entries: int) -> str:
    asking = failure.trace[-1].site
    when = when_clause(failure.conditions)
    return (
        f"{failure.site.path} is found instead of the standard module {failure.module!r}{when}: "
        f"{asking.path}:{asking.line} asks it for {failure.name!r}, which it does not have"
    )


def _advice(failure: Failure, trigger: int | None) -> str:
    return f"rename {failure.site.path}, and delete what Python has compiled of it"


def _detect(evidence: Evidence, rule: Rule) -> Iterable[Finding]:
    failures = [failure for failure in evidence.simulation.failures if failure.kind is FailureKind.SHADOWED]
    return judge_failures(evidence, rule, failures, family="shadow", message=_message, advice=_advice)


RULE = Rule(
    code="IC402",
    name="shadowed-module",
    severity=Severity.ERROR,
    meaning="a file of the tree hides a standard module that something then needs",
    example="""\
# random.py
from random import randint         # finds this very file: ImportError

print(randint(1, 6))
""",
    why="""\
The folder of a script comes first on sys.path, so a file of that name is found before the standard library's. It need
not be the script itself: any import of that name, by any module of the program or of a package, gets the file.""",
    fix="Rename the file, or move it into a package.",
    suppress="If the folder is never on sys.path.",
    detect=_detect,
)
