"""What several rules ask of the evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from importcycle.findings.judging import fingerprint, plain_finding
from importcycle.findings.model import Evidence, Finding, ImportCycle, Rule
from importcycle.importing.outcomes import Failure, FailureKind

_SHOWN = 6


def crashes(evidence: Evidence) -> Iterator[Failure]:
    """Imports that end with an error, but for those that only happen because a script is imported again."""
    return (failure for failure in evidence.simulation.failures if is_crash(failure) and not is_double_import(failure))


def is_crash(failure: Failure) -> bool:
    """Whether the entry's import ends with an error because of a half-loaded module."""
    return failure.kind is FailureKind.CRASH


def is_double_import(failure: Failure) -> bool:
    """Whether the entry, run as a script, is imported again under its own name on the way to the failure."""
    if not failure.script or failure.kind in (FailureKind.MISSING, FailureKind.SWALLOWED, FailureKind.STAR_LOSS):
        return False
    # The script's own frames are those of "__main__".
    again = failure.module == failure.entry or any(step.site.module == failure.entry for step in failure.trace)
    return again or failure.kind is FailureKind.SURVIVED_DEFERRED


def modules_that_crash_together(evidence: Evidence) -> list[set[str]]:
    """For each failure, the half-loaded module and the one that asks."""
    kinds = (FailureKind.CRASH, FailureKind.SWALLOWED)
    return [{failure.module, failure.site.module} for failure in evidence.simulation.failures if failure.kind in kinds]


def cycle_findings(rule: Rule, cycles: Iterable[ImportCycle], what: str) -> Iterator[Finding]:
    """A finding for each cycle, placed at the first import of its example."""
    for cycle in cycles:
        shown = ", ".join(cycle.modules[:_SHOWN])
        more = f" and {len(cycle.modules) - _SHOWN:,} more" if len(cycle.modules) > _SHOWN else ""
        message = f"{len(cycle.modules):,} modules {what}: {shown}{more}"
        finding = plain_finding(rule, cycle.example[0].site, message, trace=cycle.example)
        yield _about(finding, cycle.modules)


def _about(finding: Finding, modules: tuple[str, ...]) -> Finding:
    """The finding about these modules, and fingerprinted by them: the example may change when they do not."""
    name = fingerprint(finding.rule, *modules)
    return replace(finding, cycle=modules, fingerprint=name, key=name)
