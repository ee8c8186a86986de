"""Frames: one body in execution, and what it has been through on the way."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import Any, Literal

from importcycle.ir import ModuleCode
from importcycle.values.model import ClassValue, FunctionValue, ModuleValue, Namespace, Value

NO_NAMES: frozenset[str] = frozenset()
EMPTY: Mapping[str, Value] = MappingProxyType({})


class FrameKind(Enum):
    """What kind of body a frame runs: it decides how names are looked up."""

    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"
    COMPREHENSION = "comprehension"
    TYPE_PARAMETERS = "type parameters"
    """The scope around a definition with type parameters (PEP 695); it sees the names of a class that it stands in."""


# The kinds as plain names, for what runs at every name and statement: until Python 3.11, reading a member through its
# class takes many times as long.
MODULE = FrameKind.MODULE
CLASS = FrameKind.CLASS
FUNCTION = FrameKind.FUNCTION
COMPREHENSION = FrameKind.COMPREHENSION


_ENVIRONMENT = re.compile(
    r"\b(os|sys|platform|shutil|socket|importlib|sysconfig|subprocess|multiprocessing|locale|ctypes|site|pathlib|tempfile|getpass)"
    r"\.|import |succeeds|exists|is_file|is_dir|availab|version|enabled|config|setting|flag|debug|environ|install"
)


@dataclass(frozen=True, slots=True)
class Guard:
    """A test of unknown value that execution went past, and the value it was given."""

    key: str
    """What the test asks, in a form in which it is not negated: equal keys always have equal values."""
    value: bool
    text: str
    """The test as users see it, and its value (the other one, if the test as written is negated)."""
    shown: bool
    path: str
    line: int
    enables: str = ""
    """An expression that can only be evaluated where the test is true."""

    @property
    def is_about_environment(self) -> bool:
        """Whether the test asks about the machine: its platform, variables, files, what is installed."""
        return _ENVIRONMENT.search(self.key) is not None or _ENVIRONMENT.search(self.text) is not None

    def flipped(self) -> Guard:
        """The same test with the other value."""
        return Guard(self.key, not self.value, self.text, not self.shown, self.path, self.line)


Entered = Literal["import", "dynamic-import", "call"]


class Frame:
    """A running body. ``parent`` is the lexically enclosing frame, ``caller`` the one that runs it."""

    __slots__ = (
        "alternative_returns",
        "caller",
        "code",
        "created_class",
        "entered",
        "enumeration",
        "function",
        "global_names",
        "guards",
        "handled",
        "is_inferred",
        "kind",
        "line",
        "local_names",
        "locals",
        "module",
        "name",
        "nonlocal_names",
        "parent",
        "prepared",
    )

    def __init__(
        self,
        kind: FrameKind,
        module: ModuleValue,
        code: ModuleCode,
        name: str | None,
        local_values: Namespace,
        parent: Frame | None = None,
        function: FunctionValue | None = None,
        entered: Entered = "call",
    ) -> None:
        self.kind = kind
        self.module = module
        self.code = code
        self.name = name
        """Qualified name of the function or class; None for a module body."""
        self.locals = local_values
        self.parent = parent
        self.function = function
        self.entered = entered
        self.caller: Frame | None = None
        self.local_names: Set[str] = NO_NAMES
        self.global_names: frozenset[str] = NO_NAMES
        self.nonlocal_names: frozenset[str] = NO_NAMES
        self.line = 0
        self.guards: list[Guard] = []
        self.is_inferred = False
        """Whether the body was found through an annotation or a class hierarchy instead of an exact value."""
        self.created_class: ClassValue | None = None
        self.handled: list[Any] = []
        """Exceptions being handled, innermost last: what a bare ``raise`` raises again."""
        self.alternative_returns: list[Value] = []
        self.enumeration: tuple[Sequence[Value], list[Value]] | None = None
        """In the body of an enumeration: its bases, and the values of its members so far."""
        self.prepared: Value | None = None
        """What the metaclass's ``__prepare__`` gave for a class body to store its names in."""

    @property
    def is_function(self) -> bool:
        """Whether code of this frame runs inside a function (class bodies and comprehensions of one included)."""
        frame: Frame | None = self
        while frame is not None and frame.kind is not FrameKind.MODULE:
            if frame.kind is FrameKind.FUNCTION:
                return True
            frame = frame.parent
        return False

    @property
    def outside_comprehensions(self) -> Frame:
        """The frame itself, or the one that its comprehension stands in: what a path shows of it."""
        frame = self
        while frame.kind is FrameKind.COMPREHENSION and frame.caller is not None:
            frame = frame.caller
        return frame

    @property
    def text(self) -> str:
        """The source of the line that the frame stands at."""
        return self.code.lines[self.line - 1].strip() if 0 < self.line <= len(self.code.lines) else ""
