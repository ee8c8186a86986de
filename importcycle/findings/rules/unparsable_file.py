"""IC901: a file was left out."""

from __future__ import annotations

from collections.abc import Iterable

from importcycle.findings.judging import plain_finding
from importcycle.findings.model import Evidence, Finding, Rule, Severity
from importcycle.importing.outcomes import Site


def _detect(evidence: Evidence, rule: Rule) -> Iterable[Finding]:
    modules = {module.display_path: name for name, module in evidence.project.modules.items()}
    reasons = {unreadable.display_path: unreadable.reason for unreadable in evidence.project.unreadable}
    reasons |= evidence.simulation.unparsable
    for path, reason in sorted(reasons.items()):
        site = Site(module=modules.get(path, ""), path=path, line=1)
        yield plain_finding(rule, site, f"{path} was left out: {reason}")


RULE = Rule(
    code="IC901",
    name="unparsable-file",
    severity=Severity.WARNING,
    meaning="a file was left out: its syntax or its encoding",
    example="""\
# old.py
print "hello"                      # Python 2
""",
    why="What the file binds and imports is not known, so a failure that goes through it cannot be found.",
    fix="Correct the file, or leave it out of the target.",
    suppress="If the file is never imported: a template, or test data.",
    detect=_detect,
)
