"""The bodies that can be run: of a module, and of functions, which are lowered only when first called."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import overload

from importcycle.ir.nodes import Block


class Lines(Sequence[str]):
    """The lines of a text, as Python counts them: a form feed or other odd separators do not end a line.

    Of most files a few lines are asked for: they are cut out of the text then, since strings of all of them would take
    more memory than that.
    """

    __slots__ = ("_lengths", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._lengths = array("Q", accumulate(map(len, text.split("\n")), initial=0))
        """For each line, and for the end, how many characters are before it, not counting line feeds."""

    def __len__(self) -> int:
        return len(self._lengths) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...

    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(map(self._line, range(*index.indices(len(self)))))
        return self._line(range(len(self))[index])

    def _line(self, index: int) -> str:
        return self._text[self._lengths[index] + index : self._lengths[index + 1] + index]


@dataclass
class SourceText:
    """The text of a source file, with a line feed at the end of each line.

    It is not part of the pickled form of a module's code; whoever loads that has the file, and sets the text.
    """

    text: str = field(repr=False)
    lowered: set[tuple[int, int]] = field(default_factory=set, repr=False)
    """First and last line of each function whose body was asked for."""

    def __reduce__(self) -> tuple[type[SourceText], tuple[str]]:
        return type(self), ("",)

    @cached_property
    def lines(self) -> Lines:
        """The text line by line."""
        return Lines(self.text)


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a function, in order; defaults are expressions of the definition, not of the function."""

    positional_only: tuple[str, ...] = ()
    positional: tuple[str, ...] = ()
    variadic: str | None = None
    keyword_only: tuple[str, ...] = ()
    keywords: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """All names that the parameters bind."""
        extra = tuple(name for name in (self.variadic, self.keywords) if name)
        return (*self.positional_only, *self.positional, *self.keyword_only, *extra)


@dataclass(frozen=True, slots=True)
class FunctionBody:
    """What a function does when it is called."""

    statements: Block
    local_names: frozenset[str]
    global_names: frozenset[str]
    nonlocal_names: frozenset[str]
    is_generator: bool
    docstring: str | None


@dataclass(frozen=True, eq=False)
class FunctionCode:
    """A function, lambda or coroutine function; its body is lowered on first use (most bodies never run at import)."""

    name: str
    qualified_name: str
    line: int
    parameters: Parameters
    is_coroutine: bool
    lower_body: Callable[[], FunctionBody] = field(repr=False)

    @cached_property
    def body(self) -> FunctionBody:
        """The lowered body; where it cannot be parsed, it is one opaque statement."""
        return self.lower_body()

    def __reduce__(self) -> tuple[type[FunctionCode], tuple[object, ...]]:
        # Without the body, though it may have been lowered meanwhile: the pickled form stays the same.
        values = (self.name, self.qualified_name, self.line, self.parameters, self.is_coroutine, self.lower_body)
        return type(self), values


@dataclass(frozen=True, slots=True, eq=False)
class ModuleCode:
    """The body of a module."""

    name: str
    path: str
    source: SourceText
    skeleton: str = field(repr=False)
    """The text without the bodies of functions that are looked for only when they are called."""
    body: Block
    docstring: str | None
    future_annotations: bool
    bound_lines: dict[str, int]
    """For each name that a statement of the module binds: the line of the first binding."""
    has_open_names: bool
    """Whether names may be bound dynamically: ``globals()``, ``exec``, ``setattr``, star imports of unknown modules."""

    @property
    def lines(self) -> Lines:
        """The source, line by line, for reports."""
        return self.source.lines
