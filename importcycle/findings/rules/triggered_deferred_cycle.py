"""IC201: initialisation triggers a deferred import that closes a cycle, and today it just survives."""

from __future__ import annotations

from collections.abc import Iterable

from importcycle.findings.judging import judge_failures, triggering_step
from importcycle.findings.model import Evidence, Finding, Rule, Severity
from importcycle.findings.rules.selection import is_double_import
from importcycle.findings.wording import when_clause
from importcycle.importing.outcomes import Failure, FailureKind, StepKind

_DEFERRED = (StepKind.DEFERRED_IMPORT, StepKind.DYNAMIC_IMPORT)


def _message(failure: Failure, entries: int) -> str:
    trigger = triggering_step(failure)
    cause = failure.trace[trigger].site if trigger is not None else failure.site
    runs = f"on import {failure.entry}{when_clause(failure.conditions)}, {cause.path}:{cause.line} runs"
    deferred = next((step.site for step in reversed(failure.trace) if step.kind in _DEFERRED), failure.site)
    where = f"in {deferred.function}" if deferred.function else f"at {deferred.path}:{deferred.line}"
    comes_back = "which" if failure.site.module == deferred.module else f"by which {failure.site.module}"
    back = f"{comes_back} comes back to half-loaded {failure.module}"
    return f"{runs} the deferred import {where}, {back}: it survives, by the order of statements"


def _advice(failure: Failure, trigger: int | None) -> str:
    if trigger is None:
        return ""
    site = failure.trace[trigger].site
    return f"run the statement at {site.path}:{site.line} on first use instead of at import"


def _first_of_each_body(failures: Iterable[Failure]) -> list[Failure]:
    """One for each module body or function that comes back: several names taken by it make one story."""
    chosen: dict[tuple[object, ...], Failure] = {}
    for failure in sorted(failures, key=lambda each: (each.site.line, each.name)):
        trigger = triggering_step(failure)
        statement = failure.trace[trigger].site if trigger is not None else failure.reached
        body = (failure.site.module, failure.site.function)
        key = (failure.entry, failure.script, failure.module, body, statement, failure.conditions)
        chosen.setdefault(key, failure)
    return list(chosen.values())


def _detect(evidence: Evidence, rule: Rule) -> Iterable[Finding]:
    failures = [
        failure
        for failure in evidence.simulation.failures
        if failure.kind is FailureKind.SURVIVED_DEFERRED and not is_double_import(failure)
    ]
    failures = _first_of_each_body(failures)
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
