"""IC102: the import fails under the conditions listed, or through a call that was inferred."""

from __future__ import annotations

from collections.abc import Iterable

from importcycle.findings.judging import judge_failures
from importcycle.findings.model import Evidence, Finding, Rule, Severity
from importcycle.findings.rules.selection import crashes
from importcycle.findings.wording import crash_message, fix_advice


def _detect(evidence: Evidence, rule: Rule) -> Iterable[Finding]:
    failures = [failure for failure in crashes(evidence) if not (failure.certain and failure.exact)]
    return judge_failures(evidence, rule, failures, family="crash", message=crash_message, advice=fix_advice)


RULE = Rule(
    code="IC102",
    name="conditional-crash",
    severity=Severity.ERROR,
    meaning="importing the entry first fails when the listed conditions hold, or through an inferred call",
    example="""\
# app/settings.py
import os
from app import log

if os.environ.get("APP_DEBUG"):
    log.note("debugging")          # runs at import

LEVEL = "info"

# app/log.py
def note(text):
    from app.settings import LEVEL # 'APP_DEBUG=1 python -c "import app.settings"' stops here
    print(LEVEL, text)
""",
    why="""\
The failure depends on the platform, the environment or an installed package, so it passes every test on the
developer's machine and fails on somebody else's. The finding lists each test on the path and the value it must have.
An inferred call is one whose target came from an annotation or a class hierarchy rather than from evaluating it.""",
    fix="""\
Take the call out of the module's body: compute the value on first use (a function, functools.cache), or do it after
the names that others need are bound. Removing the deferred import at the end of the path helps as well.""",
    suppress="If the listed conditions cannot hold together where the package runs.",
    detect=_detect,
)
