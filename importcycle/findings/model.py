"""Findings and rules: what the simulation's outcomes mean to a user."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from importcycle.importing.outcomes import Condition, DeferredImport, SimulationReport, Site, Step
from importcycle.project.model import Project


class Severity(Enum):
    """How grave a finding is; an order from note to error."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """0 for the gravest."""
        return (Severity.ERROR, Severity.WARNING, Severity.NOTE).index(self)

    def reaches(self, threshold: Severity) -> bool:
        """Whether this is at least as grave as the threshold."""
        return self.rank <= threshold.rank


@dataclass(frozen=True, slots=True)
class ErrorFacts:
    """The exception as CPython raises it where the name is asked for."""

    type: str
    text: str
    module: str
    """The half-loaded module."""
    name: str
    """The name it has not bound."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a rule has to say."""

    rule: str
    name: str
    severity: Severity
    fingerprint: str
    """Names the finding across versions of the sources: no line numbers go into it."""
    message: str
    """One sentence."""
    error: ErrorFacts | None
    """``None`` where nothing is raised."""
    location: Site
    bound_at: Site | None
    entry: str | None
    """The module whose import, as the first in a fresh interpreter, leads there; the trace starts in it."""
    entries: tuple[str, ...]
    """All such modules, sorted."""
    cycle: tuple[str, ...]
    conditions: tuple[Condition, ...]
    exact: bool
    """Whether every call on the path was resolved exactly, not inferred from annotations or a class hierarchy."""
    trace: tuple[Step, ...]
    fix: str
    """Advice in one line; empty where there is none to give."""
    reached: Site | None = None
    """The statement at which the half-loaded module stands."""
    trigger: int | None = None
    """Index in the trace of the module-level statement to blame: it runs at import, and need not."""
    handler: Site | None = None
    """The handler that hides the error."""
    script: bool = False
    """The entry is run as ``__main__``."""
    key: str = ""
    """Names the crash: findings that share it differ in their conditions or in what becomes of the import."""


class Outcome(Enum):
    """What becomes of an import, as far as a known finding is concerned."""

    FAILS = "fails"
    HIDDEN = "hidden"
    """A handler hides the error."""
    SURVIVES = "survives"
    """Nothing is raised."""


@dataclass(frozen=True, slots=True)
class KnownFinding:
    """A finding that the user has taken note of, in a form that changes of the sources elsewhere leave alone."""

    rule: str
    outcome: Outcome
    key: str
    """See ``Finding.key``."""
    about: str
    """For people: what it is."""
    path: str
    module: str
    conditions: tuple[tuple[str, bool], ...]
    """Tests in canonical form and their values, sorted."""
    entries: tuple[str, ...]
    """The outermost modules whose import leads there, sorted."""
    modules: tuple[str, ...] = ()
    """Of a cycle of imports, all its modules, sorted."""


@dataclass(frozen=True, slots=True)
class BaselineUpdate:
    """What became of a file of known findings."""

    file: Path
    known: tuple[KnownFinding, ...]
    """All that is in it now."""
    added: int
    removed: int


class CycleKind(Enum):
    """What a cycle of imports needs in order to close."""

    EAGER = "eager"
    """Module-level imports only."""
    DEFERRED = "deferred"
    """At least one import that is in a function."""
    TYPING = "typing"
    """At least one import that only a type checker sees."""


@dataclass(frozen=True, slots=True)
class ImportCycle:
    """A strongly connected component of the import graph."""

    kind: CycleKind
    modules: tuple[str, ...]
    """All its modules, sorted."""
    example: tuple[Step, ...]
    """A short closed walk through it: one import statement for each of its edges."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that rules may look at."""

    project: Project
    simulation: SimulationReport
    cycles: tuple[ImportCycle, ...]


Detector = Callable[[Evidence, "Rule"], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its identity, its explanation, and the function that finds its violations."""

    code: str
    name: str
    severity: Severity
    meaning: str
    """One line."""
    example: str
    """Small source files that show the problem."""
    why: str
    fix: str
    suppress: str
    """When it is right to silence the rule."""
    detect: Detector = field(repr=False, compare=False)
    enabled: bool = True
    """Whether the rule runs without being selected."""


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a scan."""

    project: Project
    findings: tuple[Finding, ...]
    deferred: tuple[DeferredImport, ...]
    """Deferred and dynamic imports that the initialisation of some module can trigger."""
    cycles: tuple[ImportCycle, ...]
    summary: Mapping[Severity, int]
    """How many findings there are of each severity."""
    fail_on: Severity | None = Severity.ERROR
    """The least grave finding that fails the gate; ``None``: nothing does."""
    known: tuple[Finding, ...] = ()
    """Findings of the baseline: they are not among ``findings``."""
    silenced: tuple[Finding, ...] = ()
    """Findings that a comment or the configuration silences: they are not among ``findings``."""
    gone: tuple[KnownFinding, ...] = ()
    """What the baseline has and this scan does not find any more."""

    @property
    def failed(self) -> bool:
        """Whether a finding is grave enough to fail the gate."""
        return self.fail_on is not None and self.has(self.fail_on)

    def check(self) -> None:
        """Do nothing, or raise an error that names the findings which fail the gate: for use in a test.

        Raises:
            CheckFailed: there are such findings.
        """
        failing = [each for each in self.findings if self.fail_on is not None and each.severity.reaches(self.fail_on)]
        if failing:
            raise CheckFailed("\n".join([f"importcycle has {len(failing):,} to report", *map(_told, failing)]))

    def has(self, threshold: Severity) -> bool:
        """Whether any finding is at least as grave as the threshold."""
        return any(finding.severity.reaches(threshold) for finding in self.findings)


class CheckFailed(AssertionError):
    """A scan has findings that are grave enough to fail; the text names them."""


def _told(finding: Finding) -> str:
    place = f"{finding.location.path}:{finding.location.line}"
    fix = f"\n    to fix: {finding.fix}" if finding.fix else ""
    return f"  {finding.rule} {place}  {finding.message}{fix}"
