"""What simulated imports gave: plain values, the only thing that later rooms see of the simulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class StepKind(Enum):
    """The kinds of step on the way from an entry to a failure."""

    IMPORT = "import"
    DEFERRED_IMPORT = "deferred-import"
    DYNAMIC_IMPORT = "dynamic-import"
    CALL = "call"
    USE = "use"


@dataclass(frozen=True, slots=True)
class Site:
    """A place in a source file."""

    module: str
    path: str
    line: int
    column: int = 0
    function: str | None = None
    """Qualified name of the function or class body; ``None`` at module level."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A test whose value is not known, and the value it must have."""

    test: str
    value: bool
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Step:
    """One frame of the path: the site, what happens there, and the source text of its line."""

    kind: StepKind
    site: Site
    text: str


class FailureKind(Enum):
    """What a failure means, before any rule has judged it."""

    CRASH = "crash"
    """The entry's import ends with the error."""
    SWALLOWED = "swallowed"
    """A handler hides the error; see ``handler``."""
    STAR_LOSS = "star-loss"
    """``from m import *`` took fewer names than it would have from the complete module."""
    MISSING = "missing"
    """The name exists nowhere; the entry's import ends with the error."""
    SHADOWED = "shadowed"
    """A module of the target stands in for one of the standard library, and lacks what is asked of it."""
    SURVIVED_DEFERRED = "survived-deferred"
    """Initialisation ran a deferred import that came back to a half-loaded module, and nothing failed."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One failure (or near failure) as seen from one entry."""

    kind: FailureKind
    entry: str
    error_type: str
    """Name of the exception's class that the failing statement raises: ImportError, AttributeError, NameError, ..."""
    module: str
    """The half-loaded module that was asked for a name."""
    name: str
    """The name; for star-loss the names lost, comma-separated."""
    site: Site
    """The statement that asked."""
    bound_at: Site | None
    """Where the module would have bound the name, were it complete."""
    trace: tuple[Step, ...]
    """From the entry's first statement to the failing one."""
    cycle: tuple[str, ...]
    """Modules from the half-loaded one to the one that asked, in the order in which they were entered."""
    conditions: tuple[Condition, ...]
    certain: bool
    """Whether it happens in every world (no conditions needed)."""
    exact: bool
    """Whether every call on the path was resolved exactly (not through annotations or a class hierarchy)."""
    handler: Site | None = None
    reached: Site | None = None
    """The statement at which the half-loaded module stands."""
    final_error: str | None = None
    """The type that leaves the entry's import when it is another exception than the failing statement's own."""
    suggestion: str | None = None
    """For a missing name: the nearest name that exists."""
    script: bool = False
    """The entry is run as ``__main__``."""
    is_left_over: bool = False
    """Whether what was asked is the object that a failed body left behind, not the module loaded in its place since."""


@dataclass(frozen=True, slots=True)
class DeferredImport:
    """A deferred or dynamic import that some module's initialisation triggers."""

    site: Site
    target: str
    kind: StepKind
    statement: Site
    """The innermost module-level statement that leads to it."""
    conditions: tuple[Condition, ...]
    exact: bool


@dataclass(frozen=True, slots=True)
class Cut:
    """A place where evaluation was given up, and the budget that ended."""

    site: Site
    reason: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """A dynamic import that could not be followed."""

    site: Site
    text: str


class EventKind(Enum):
    """What `importcycle trace` tells."""

    IMPORT = "import"
    DEFERRED_IMPORT = "deferred-import"
    DYNAMIC_IMPORT = "dynamic-import"
    BIND_FAILURE = "bind-failure"


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happens while an entry is imported."""

    kind: EventKind
    site: Site
    target: str
    initialises: bool
    depth: int
    conditions: tuple[Condition, ...]
    via: tuple[Site, ...]
    """From the module-level statement through the calls to the site, outermost first."""


@dataclass(frozen=True, slots=True)
class SimulationReport:
    """Everything that simulating a project's entries gave, in a deterministic order."""

    entries: tuple[str, ...]
    failures: tuple[Failure, ...]
    deferred: tuple[DeferredImport, ...]
    cuts: tuple[Cut, ...]
    opaque: tuple[Opaque, ...]
    unparsable: Mapping[str, str]
    """Display path to reason."""
    executed_edges: frozenset[tuple[str, str]]
    """(importer, imported) pairs that initialisation executed."""
