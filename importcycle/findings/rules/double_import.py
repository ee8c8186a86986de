"""IC401: a script run as ``__main__`` is imported again under its own name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from importcycle.findings.judging import judge_failures
from importcycle.findings.model import Evidence, Finding, Rule, Severity
from importcycle.findings.rules.selection import is_crash, is_double_import
from importcycle.findings.wording import crash_message, fix_advice
from importcycle.importing.outcomes import Failure


def _message(failure: Failure, entries: int) -> str:
    again = (
        f"{failure.site.module} imports {failure.entry}, which already runs as __main__: its body runs a second time"
    )
    return f"{again}, and {crash_message(failure, 1)}" if is_crash(failure) else again


def _advice(failure: Failure, trigger: int | None) -> str:
    if is_crash(failure):
        return fix_advice(failure, trigger)
    return f"move what {failure.site.module} needs of {failure.entry} into a module of its own"


def _detect(evidence: Evidence, rule: Rule) -> Iterable[Finding]:
    failures = [failure for failure in evidence.simulation.failures if is_double_import(failure)]
    fatal = [failure for failure in failures if is_crash(failure)]
    survived = [failure for failure in failures if not is_crash(failure)]
    grave = replace(rule, severity=Severity.ERROR)
    yield from judge_failures(evidence, grave, fatal, family="double", message=_message, advice=_advice)
    yield from judge_failures(evidence, rule, survived, family="double", message=_message, advice=_advice, raises=False)


RULE = Rule(
    code="IC401",
    name="double-import",
    severity=Severity.WARNING,
    meaning="a script run as __main__ is imported again under its own name (an error if that makes it fail)",
    example="""\
# main.py
import jobs
QUEUE = []
if __name__ == "__main__":         # run as 'python main.py'
    jobs.work()

# jobs.py
def work():
    from main import QUEUE         # loads a second copy of main.py, with another QUEUE
    QUEUE.append("job")
""",
    why="""\
A script is in sys.modules as '__main__', not under its own name, so importing it by name runs the file once more:
two copies of each class and of each piece of state, and cycles that are not there when it is imported as a module.""",
    fix="Keep the script to 'from package.cli import main; main()', and import what it shares from a module.",
    suppress="If the file holds no state and no classes, and running it twice does no harm.",
    detect=_detect,
)
