"""How execution leaves its straight course."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from importcycle.evaluate.frames import Frame, Guard
from importcycle.values.model import Value


class Jump(Enum):
    """The ways out of a loop body."""

    BREAK = "break"
    CONTINUE = "continue"


class Returned:
    """A return statement was reached."""

    __slots__ = ("value",)  # no frozen dataclass: every call makes one, and those take three times as long to make

    def __init__(self, value: Value) -> None:
        self.value = value


Completion = Jump | Returned | None
"""How a block ended; None if by running off its end."""


@dataclass(frozen=True, slots=True)
class StackEntry:
    """One frame at the moment of an event."""

    frame: Frame
    line: int
    text: str
    is_inferred: bool


@dataclass(frozen=True, slots=True, eq=False)
class Miss:
    """A name was asked of a module that stands in the middle of its body and has not bound it."""

    error_type: str
    module: str
    name: str
    stack: tuple[StackEntry, ...]
    guards: tuple[Guard, ...]
    column: int
    reached: int
    """The line at which the half-loaded module stands."""
    is_star: bool = False
    """Whether the name is missing because a star import took fewer names."""
    source: str | None = None
    """The module that binds the name, when it is not the one asked."""
    is_left_over: bool = False
    """Whether what was asked is the object that a failed body left behind, not the module loaded in its place since."""


class Raised(Exception):
    """An exception of the analysed program, on its way to a handler."""

    def __init__(self, value: Value, type_name: str, miss: Miss | None = None, is_explicit: bool = False) -> None:
        super().__init__(type_name)
        self.value = value
        self.type_name = type_name
        self.miss = miss
        self.site: tuple[str, int] | None = None
        """Module and line of the statement that raised it."""
        self.shadow: Miss | None = None
        """What was asked of a module that hides one of the standard library."""
        self.behind: Miss | None = None
        """The miss of another exception that the import system turned into this one."""
        self.is_settled = False
        """Whether other decisions of the statement that raised have been tried in vain."""
        self.is_explicit = is_explicit
        """Whether a raise statement (or CPython's import system) raised it, not the model of an operation."""


class BudgetExceededError(Exception):
    """Evaluation was given up: steps or depth."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class NestedTooDeepError(BudgetExceededError):
    """Too many frames; the call whose frame is named is given up, for it is the one that leads into a recursion."""

    def __init__(self, reason: str, frame: Frame | None) -> None:
        super().__init__(reason)
        self.frame = frame
