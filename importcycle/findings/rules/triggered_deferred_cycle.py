"""IC201: initialisation triggers a deferred import that closes a cycle, and today it just survives."""

from __future__ import annotations

from collections.abc import Iterable

from importcycle.findings.judging import judge_failures, triggering_step
from importcycle.findings.model import Evidence, Finding, Rule, Severity
from importcycle.findings.rules.selection import is_double_import
from importcycle.findings.wording import when_clause
from importcycle.importing.outcomes import Failure, FailureKind


def _message(failure: Failure, entries: int) -> str:
    trigger = triggering_step(failure)
    cause = failure.trace[trigger].site if trigger is not None else failure.site
    deferred = failure.site.function or failure.site.module
    runs = f"on import {failure.entry}{when_clause(failure.conditions)}, {cause.path}:{cause.line} runs"
    back = f"which comes back to half-loaded {failure.module}"
    return f"{runs} the deferred import in {deferred}, {back}: it survives, by the order of statements"


def _advice(failure: Failure, trigger: int | None) -> str:
    if trigger is None:
        return ""
    site = failure.trace[trigger].site
    return f"run the statement at {site.path}:{site.line} on first use instead of at import"


def _detect(evidence: Evidence, rule: Rule) -> Iterable[Finding]:
    failures = [
        failure
        for failure in evidence.simulation.failures
        if failure.kind is FailureKind.SURVIVED_DEFERRED and not is_double_import(failure)
    ]
    return judge_failures(evidence, rule, failures, family="survived", message=_message, advice=_advice, raises=False)


RULE = Rule(
    code="IC201",
    name="triggered-deferred-cycle",
    severity=Severity.WARNING,
    meaning="initialisation triggers a deferred import that closes a cycle on a half-loaded module, and just survives",
    example="""\
# app/state.py
READY = True
from app.log import note
note("loaded")                     # runs at import, and with it the import inside note

# app/log.py
def note(text):
    from app.state import READY    # works only because READY is bound above the call
    print(READY, text)
""",
    why="""\
The import was put into a function to get it out of the cycle, but a module-level statement calls that function, so it
runs during initialisation all the same. It works as long as the names it needs happen to be bound above the call. One
line moved, or one name more, and it is IC101.""",
    fix="Take the call out of the module's body, or give the function what it needs as an argument.",
    suppress="If the order of statements is guarded by a test, or by a comment where it matters.",
    detect=_detect,
)
