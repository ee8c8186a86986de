"""Reports in which every text that a target can choose tries to be more than text."""

from __future__ import annotations

from dataclasses import replace

from importcycle.findings import Report
from importcycle.importing.outcomes import Condition
from tests.support.samples import conditional_crash, make_report

EVIL = (
    "\x1b]0;owned\x07\x9b31m\u202e\r\n::error file=x::y\n##[error]z\n%0A::warning::w,a=b:c"
    " ```\n# head <img src=x onerror=alert(1)> </details></code> @octocat #1 [link](https://evil.example) `tick`"
    " ]]> &amp; {0} \x00 \ufffe \udcff |"
)


def hostile_report() -> Report:
    """One finding, made of evil as far as possible."""
    crash = conditional_crash()
    trace = tuple(
        replace(step, text=EVIL, site=replace(step.site, path=f"::{EVIL}", function=EVIL)) for step in crash.trace
    )
    return make_report(
        replace(
            crash,
            entry="till",
            name=EVIL,
            module=f"shop{EVIL}",
            error_type="ImportError",
            conditions=(Condition(EVIL, True, EVIL, 1),),
            trace=trace,
            site=replace(trace[-1].site, module=EVIL),
            bound_at=replace(crash.site, path=EVIL),
            handler=replace(crash.site, path=EVIL),
            final_error=EVIL,
        )
    )
