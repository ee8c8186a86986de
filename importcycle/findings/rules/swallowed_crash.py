"""IC103: the import fails, and a handler hides it."""

from __future__ import annotations

from collections.abc import Iterable

from importcycle.findings.judging import judge_failures
from importcycle.findings.model import Evidence, Finding, Rule, Severity
from importcycle.findings.wording import fix_advice, when_clause
from importcycle.importing.outcomes import Failure, FailureKind


def _message(failure: Failure, entries: int) -> str:
    handler = failure.handler
    where = f"the handler at {handler.path}:{handler.line}" if handler is not None else "a handler"
    asked = f"{failure.site.module} asks for {failure.name!r} of half-loaded {failure.module}"
    hidden = f"{where} hides a {failure.error_type}{when_clause(failure.conditions)}"
    return f"{hidden}: {asked}, so a fallback is chosen silently"


def _detect(evidence: Evidence, rule: Rule) -> Iterable[Finding]:
    failures = [failure for failure in evidence.simulation.failures if failure.kind is FailureKind.SWALLOWED]
    return judge_failures(evidence, rule, failures, family="swallowed", message=_message, advice=fix_advice)


RULE = Rule(
    code="IC103",
    name="swallowed-crash",
    severity=Severity.WARNING,
    meaning="a cycle makes an import fail and a handler hides it: a fallback is chosen silently",
    example="""\
# codec/fast.py
from codec.api import decode       # when codec.api is imported first, it is half-loaded here
speedups = {"decode": decode}

# codec/api.py
try:
    from codec.fast import speedups
except ImportError:                # meant for "not installed", taken for "circular" as well
    speedups = None

def decode(data): ...
""",
    why="""\
The handler was written for a missing dependency. It also catches the error that a half-loaded module causes, and the
program runs on with the fallback, in some import orders only. The failed module is taken out of sys.modules and its
body is run again by the next import.""",
    fix="Break the cycle as for IC101, or catch ModuleNotFoundError and check its name attribute.",
    suppress="If the fallback is just as good, whichever order of imports leads to it.",
    detect=_detect,
)
