"""The state of an evaluation, and the operations that its parts ask of one another.

`Core` declares what each part offers to the others; the parts are classes that derive from it, and `Machine`
(`importcycle.evaluate.machine`) puts them together. No part imports another.
"""

from __future__ import annotations

import builtins
import sys
import types
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, Protocol, TypeAlias

from importcycle.evaluate.frames import Frame, FrameKind, Guard
from importcycle.evaluate.signals import (
    BudgetExceededError,
    Completion,
    Miss,
    NestedTooDeepError,
    Raised,
    StackEntry,
)
from importcycle.evaluate.symbols import Constraints
from importcycle.ir import nodes
from importcycle.project.model import Project
from importcycle.values.model import (
    NONE,
    ClassValue,
    Constant,
    DictValue,
    FunctionValue,
    InstanceValue,
    LazyImport,
    ListValue,
    ModuleValue,
    Namespace,
    NamespaceValue,
    SetValue,
    Symbolic,
    Value,
)
from importcycle.values.trail import Trail

MOST_FRAMES = 500
"""Frames on the stack of the analysed program before a call is given up (CPython stops at 1,000, of which each import
takes six)."""
FRAMES_OF_A_RECURSION = 60
"""The innermost frames, among which functions that run without end are looked for, ..."""
ROUNDS_OF_A_RECURSION = 4
"""... and how often these must run there."""
MOST_NESTED_SPECULATIONS = 3
SPECULATIONS_PER_PLACE = 2
MOST_SPECULATIONS_PER_PLACE = 8
"""Where different tests lead to the place."""
STEPS_OF_A_SPECULATION = 10_000
STEPS_OF_A_STATEMENT = 25_000
"""Steps of one module-level statement, without those of the modules that it loads."""
STEPS_OF_CERTAINTY = 8_000_000
"""Further steps, in all, for statements of which everything is known: these end, for they end in CPython, too."""
STEPS_OF_DOUBT = 1_000_000
"""The same for statements that have met unknown tests."""
STEPS_OF_AN_EXTENSION = 50_000
"""How many of them are given at a time."""


class Arguments:
    """The arguments of a call; ``is_open`` if there may be more than those known. Not to be changed."""

    # No frozen dataclass: one is made for every call, and those take three times as long to make.
    __slots__ = ("is_open", "keywords", "positional")

    def __init__(
        self, positional: tuple[Value, ...] = (), keywords: dict[str, Value] | None = None, is_open: bool = False
    ) -> None:
        self.positional = positional
        self.keywords: dict[str, Value] = keywords if keywords is not None else {}
        self.is_open = is_open

    def get(self, position: int, name: str) -> Value | None:
        """The argument at a position or of a name."""
        if position < len(self.positional):
            return self.positional[position]
        return self.keywords.get(name)

    def after_first(self) -> Arguments:
        """Without the first positional argument."""
        return Arguments(self.positional[1:], self.keywords, self.is_open)

    def with_first(self, *values: Value) -> Arguments:
        """With more positional arguments in front."""
        return Arguments((*values, *self.positional), self.keywords, self.is_open)


@dataclass(frozen=True, slots=True, order=True)
class EntryPoint:
    """An entry point of a distribution, as its metadata or its project file declares it."""

    group: str
    name: str
    reference: str
    """``module:attribute``"""
    distribution: str | None = None


Model: TypeAlias = Callable[[Any, Arguments], Value]
"""What a callable does that the evaluator knows by its dotted name; the first argument is the machine."""


class ImportSystem(Protocol):
    """What the evaluator asks of the model of the import system."""

    def execute_import(self, statement: nodes.Import, frame: Frame) -> None:
        """Run an ``import`` statement."""

    def execute_import_from(self, statement: nodes.ImportFrom, frame: Frame) -> None:
        """Run a ``from ... import`` statement."""

    def load_lazily(self, module: ModuleValue, name: str, bound: LazyImport) -> Value:
        """A name of a module that a lazy import has bound is used for the first time: its value."""

    def import_dynamically(self, name: str) -> Value:
        """``importlib.import_module(name)`` with an absolute name: the module itself."""

    def spec_of(self, name: str, source: str | None = None) -> Value:
        """The ``__spec__`` of a module of the target, or one of another name for the file of the module `source`."""

    def path_of(self, source: str) -> str:
        """The file of a module of the target."""

    def new_module(self, name: str, source: str) -> ModuleValue:
        """A module of that name that is to run the file of the module `source`; it is not in ``sys.modules``."""

    def execute_module(self, module: ModuleValue, source: str) -> None:
        """``loader.exec_module(module)``: run the file of the module `source` in a module that is there."""

    def load_module(self, name: str, source: str) -> Value:
        """``loader.load_module(name)``: what ``sys.modules`` has by that name runs the file, or a new module does."""

    def import_for_others(self, name: str) -> Value:
        """What code outside the target imports by name (a plugin): no statement of the target asks for it."""

    def reload(self, module: ModuleValue) -> Value:
        """``importlib.reload(module)``"""

    def import_builtin(self, name: str, from_list: Sequence[str], level: int) -> Value:
        """``__import__(name, fromlist=..., level=...)``"""

    def note_opaque_import(self, text: str) -> None:
        """A dynamic import whose name is not known."""

    def submodules(self, package: str) -> Sequence[tuple[str, bool]]:
        """Names of the modules directly in a package, and whether each is a package."""

    def module_of_file(self, path: str) -> str | None:
        """The module whose file it is."""

    def is_installed(self, name: str) -> bool | None:
        """Whether a package of others is installed beside the target; None if that cannot be told."""

    def entry_points(self) -> Sequence[EntryPoint]:
        """The entry points that the target, and what is installed beside it, declare."""

    def loaded_modules(self) -> Namespace:
        """``sys.modules``"""

    def missed_global(self, name: str, frame: Frame) -> Miss | None:
        """A name is not bound in the frame's module: the miss, if the module is half-loaded and another one runs."""

    def shadow_miss(self, module: Value, error_type: str, name: str) -> Miss | None:
        """What is asked of a module of the target that hides one of the standard library."""

    def missed_attribute(self, module: ModuleValue, name: str) -> Miss | None:
        """An attribute of a module is missing: the miss, if that is because something is half-loaded."""


@dataclass(slots=True)
class Decision:
    """A test of unknown value that a world gave a value to."""

    guard: Guard


@dataclass(slots=True)
class AskedNames:
    """What an analysed program asks of the namespaces of modules besides the names that they have."""

    listed: set[str] = field(default_factory=set)
    """Modules all of whose names were asked for, or could be."""
    missed: set[str] = field(default_factory=set)
    """Names that a module was asked for and does not have."""


class Core(ABC):
    """State and declared operations; see the module's text."""

    def __init__(self, project: Project, is_exact: bool) -> None:
        self.project = project
        self.is_exact = is_exact
        """Whether unknown tests split the run into worlds, replayed one by one, or are looked at in passing."""
        self.goes_on = not is_exact
        """Whether a module-level statement that raises is taken for a fault of this program, and left."""
        self.trail = Trail()
        self.frame: Frame | None = None
        self.depth = 0
        self.steps = 0
        self.run_limit = 50_000_000
        self.step_limit = self.run_limit
        """The step at which the running statement is given up; `run_limit` is that of the whole run."""
        self.results: dict[Hashable, Value] = {}
        """Costly results of functions that depend on their arguments alone; all machines of a simulation share them."""
        self.asked = AskedNames()
        """What was asked of modules; all machines of a simulation share it."""
        self.identities: dict[Hashable, int] = {}
        """What ``hash`` and ``id`` have given."""
        self.spare_steps = STEPS_OF_CERTAINTY
        self.doubtful_steps = STEPS_OF_DOUBT
        self.known_since = 0
        """How many unknown tests had been decided when the running module-level statement began."""
        self.builtins: Namespace = {}
        self.decisions: dict[str, bool] = {}
        self.made: list[Decision] = []
        self.doubts = 0
        """How often an unknown test was given a value, be it one that was decided before."""
        self.script: Sequence[bool] = ()
        """In exact mode: the values of the first unknown tests, in order."""
        self.attempts: list[nodes.Try] = []
        """The try statements whose bodies run."""
        self.environment: Namespace = {}
        """The environment variables that the program has set itself, or deleted (None)."""
        self.logging: dict[Hashable, Value] = {}
        """Loggers by name, and by object and name what was set on loggers and handlers."""
        self.constraints = Constraints(project.platform)
        self.speculating = 0
        self.runs = 0
        """How many runs have begun."""
        self.speculated: dict[tuple[str, nodes.Span, int], tuple[int, set[str]]] = {}
        self.looked_elsewhere: dict[Hashable, int] = {}
        """How often alternatives were tried at a place."""
        self.mutated: list[ListValue | DictValue | SetValue] = []
        """Containers changed while looking at something in passing: they may hold more than is known."""
        self.misses: list[Miss] = []
        self.repaired: frozenset[tuple[str, str]] = frozenset()
        """(module, name) pairs that are taken as bound: to see what lies behind a failure."""
        self.expected: Mapping[str, bool] = {}
        """In exact mode: values of unknown tests by key, for a run that repeats another with names repaired."""
        self.preferred: bool | None = None
        """The value of other unknown tests of such a run; None: the likely one."""
        self.swallowed: list[tuple[Miss, Frame, int]] = []
        self.cuts: dict[tuple[str, str, int], str] = {}
        self.side_failures: list[tuple[Miss, tuple[str, int] | None]] = []
        self.uncertain_events = 0
        """How many external imports or calls so far might have raised."""

    # ------------------------------------------------------------------------------------------ frames
    @property
    def running(self) -> Frame:
        """The frame that runs."""
        assert self.frame is not None
        return self.frame

    def push(self, frame: Frame) -> None:
        """Enter a frame. Raises BudgetExceededError when too many are nested."""
        if self.depth >= MOST_FRAMES:
            reason = f"more than {MOST_FRAMES} nested calls and imports"
            raise NestedTooDeepError(reason, self._start_of_recursion())
        frame.caller = self.frame
        self.frame = frame
        self.depth += 1

    def _start_of_recursion(self) -> Frame | None:
        """The outermost frame of a function that runs again and again further in; else that of the innermost one."""
        frames: list[Frame] = []
        frame = self.frame
        while frame is not None:
            if frame.function is not None:
                frames.append(frame)
            frame = frame.caller
        innermost = Counter(id(each.function.code) for each in frames[:FRAMES_OF_A_RECURSION] if each.function)
        repeated = {code for code, count in innermost.items() if count >= ROUNDS_OF_A_RECURSION}
        outermost = (each for each in reversed(frames) if each.function and id(each.function.code) in repeated)
        return next(outermost, frames[0] if frames else None)

    def pop(self) -> None:
        """Leave the running frame."""
        assert self.frame is not None
        self.frame = self.frame.caller
        self.depth -= 1

    def step(self) -> None:
        """Count one step. Raises BudgetExceededError at the limit."""
        self.steps += 1
        if self.steps > self.step_limit:
            self.extend_budget()

    def extend_budget(self) -> None:
        """Go on past the limit of steps, if that is granted. Raises BudgetExceededError if not."""
        if not self._go_on():
            raise BudgetExceededError("too many steps")

    def _go_on(self) -> bool:
        """Take more steps: for a statement that has not met anything unknown there are many, for others some."""
        if self.is_exact or self.speculating:
            return False
        if len(self.made) <= self.known_since:
            if self.spare_steps <= 0:
                return False
            self.spare_steps -= STEPS_OF_AN_EXTENSION
        else:
            if self.doubtful_steps <= 0:
                return False
            self.doubtful_steps -= STEPS_OF_AN_EXTENSION
        self.step_limit += STEPS_OF_AN_EXTENSION
        self.run_limit += STEPS_OF_AN_EXTENSION
        return True

    def spend(self, size: int) -> None:
        """Count the steps of an operation that handles so many items or characters at once."""
        self.steps += size >> 6
        if self.steps > self.step_limit:
            self.extend_budget()

    def namespace_of(self, module: ModuleValue) -> NamespaceValue:
        """A view of all names of a module."""
        self.asked.listed.add(module.name)
        return NamespaceValue(module.namespace, module)

    def stack(self) -> tuple[StackEntry, ...]:
        """The frames now on the stack, outermost first."""
        entries = []
        frame = self.frame
        while frame is not None:
            if frame.kind is not FrameKind.COMPREHENSION:
                entries.append(StackEntry(frame, frame.line, frame.text, frame.is_inferred))
            frame = frame.caller
        return tuple(reversed(entries))

    def guards(self) -> tuple[Guard, ...]:
        """The unknown tests that the running frames went past, outermost first, each once."""
        found: dict[tuple[str, bool], Guard] = {}
        frames = []
        frame = self.frame
        while frame is not None:
            frames.append(frame)
            frame = frame.caller
        for frame in reversed(frames):
            for guard in frame.guards:
                found.setdefault((guard.key, guard.value), guard)
        return tuple(found.values())

    # ------------------------------------------------------------------------------------------ errors
    def raise_error(
        self,
        type_name: str,
        message: str = "",
        miss: Miss | None = None,
        explicit: bool = False,
        content: Value | None = None,
    ) -> NoReturn:
        """Raise a builtin exception in the analysed program; ``content`` is its argument where that is no message."""
        cls = self.builtins.get(type_name)
        instance: Value = Symbolic(type_name)
        if isinstance(cls, ClassValue):
            given = content if content is not None else Constant(message) if message else None
            instance = self.create_instance(cls, Arguments(() if given is None else (given,)))
        if miss is not None:
            self.misses.append(miss)
        error = Raised(instance, type_name, miss, explicit)
        if self.frame is not None:
            error.site = (self.frame.module.name, self.frame.line)
        raise error

    def raise_stop(self, returned: object) -> NoReturn:
        """Raise StopIteration with what a generator returned."""
        try:
            self.raise_error("StopIteration")
        except Raised as error:
            if isinstance(error.value, InstanceValue):
                error.value.attributes["value"] = returned if isinstance(returned, Value) else NONE
            raise

    def note_swallowed(self, error: Raised, frame: Frame, line: int) -> None:
        """A handler at a line of the frame has hidden an exception."""
        for miss in (error.behind, error.miss):
            if miss is not None:
                self.swallowed.append((miss, frame, line))

    def cut(self, reason: str, *, is_early: bool = False) -> None:
        """Note that evaluation was given up at the running place; `is_early` if that did not take much work."""
        if not is_early and not self.speculating:
            self.spare_steps //= 2  # what follows is less certain, and this may be one of very many such places
        frame = self.frame
        if frame is not None:
            self.cuts.setdefault((frame.module.name, frame.code.path, frame.line), reason)

    def note_mutation(self, value: ListValue | DictValue | SetValue) -> None:
        """A container is about to be changed."""
        if self.speculating:
            self.mutated.append(value)

    def unknown(self, text: str, likely: Value | None = None, inferred: Value | None = None) -> Symbolic:
        """A value that is not known."""
        return Symbolic(text if len(text) < 200 else text[:197] + "...", likely, inferred)

    # ------------------------------------------------------------------------------------------ operations
    import_system: ImportSystem

    @abstractmethod
    def evaluate(self, node: nodes.Expression, frame: Frame) -> Value:
        """The value of an expression."""

    @abstractmethod
    def execute(self, block: nodes.Block, frame: Frame) -> Completion:
        """Run the statements of a block."""

    @abstractmethod
    def iterate_generator(self, block: nodes.Block, frame: Frame) -> Generator[Value, Value | None, Value]:
        """Run the body of a generator function, giving what it yields; returns what the function returns."""

    @abstractmethod
    def merge_items(self, merged: DictValue, given: DictValue) -> None:
        """Put the items of a dictionary into another, new one."""

    @abstractmethod
    def load_name(self, name: str, frame: Frame) -> Value:
        """The value of a name. Raises Raised (NameError)."""

    @abstractmethod
    def store_name(self, name: str, value: Value, frame: Frame) -> None:
        """Bind a name."""

    @abstractmethod
    def store(self, target: nodes.Target, value: Value, frame: Frame) -> None:
        """Assign to a target."""

    @abstractmethod
    def call(self, function: Value, arguments: Arguments, text: str = "") -> Value:
        """Call a value."""

    @abstractmethod
    def get_attribute(self, value: Value, name: str) -> Value:
        """``value.name``. Raises Raised (AttributeError)."""

    @abstractmethod
    def find_attribute(self, value: Value, name: str) -> Value | None:
        """``value.name``, or None where that raises AttributeError."""

    @abstractmethod
    def probe_attribute(self, value: Value, name: str) -> Value | None:
        """As `find_attribute`, where the program itself asks: that hides a failure of code that runs for it."""

    @abstractmethod
    def set_attribute(self, value: Value, name: str, content: Value) -> None:
        """``value.name = content``"""

    @abstractmethod
    def delete_attribute(self, value: Value, name: str) -> None:
        """``del value.name``"""

    @abstractmethod
    def delete_instance_attribute(self, instance: InstanceValue, name: str) -> None:
        """What ``object.__delattr__`` does."""

    @abstractmethod
    def class_attribute(self, cls: ClassValue, name: str) -> Value | None:
        """What the MRO of a class holds under a name, unbound; None if nothing."""

    @abstractmethod
    def method_of(self, value: Value, name: str) -> Value | None:
        """A special method as CPython looks it up: on the class of the value, bound to it."""

    @abstractmethod
    def get_item(self, value: Value, index: Value) -> Value:
        """``value[index]``"""

    @abstractmethod
    def find_item(self, value: DictValue, index: Value) -> tuple[Value, Value] | None:
        """The key and content that a dict has for a key; None if it has none."""

    @abstractmethod
    def set_item(self, value: Value, index: Value, content: Value) -> None:
        """``value[index] = content``"""

    @abstractmethod
    def delete_item(self, value: Value, index: Value) -> None:
        """``del value[index]``"""

    @abstractmethod
    def binary(self, operator: str, left: Value, right: Value) -> Value:
        """``left operator right``"""

    @abstractmethod
    def compare(self, operator: str, left: Value, right: Value) -> Value:
        """``left operator right`` for a comparison."""

    @abstractmethod
    def iterate(self, value: Value) -> Iterator[Value] | None:
        """The items of an iterable; None if they are not known."""

    @abstractmethod
    def known_truth(self, value: Value) -> bool | None:
        """The truth of a value; None if it is not known."""

    @abstractmethod
    def truth(self, value: Value, node: nodes.Expression, frame: Frame, prefer: bool | None = None) -> bool:
        """The truth of a value in the world that is followed; an unknown one is decided and noted as a guard."""

    @abstractmethod
    def test(self, node: nodes.Expression, frame: Frame, prefer: bool | None = None) -> bool:
        """The truth of a test; ``not``, ``and`` and ``or`` are taken apart, so that their parts are decided."""

    @abstractmethod
    def decide(self, value: Value, text: str, line: int, frame: Frame, prefer: bool | None = None) -> bool:
        """Give an unknown test a value."""

    @abstractmethod
    def look_elsewhere(self, place: Hashable, action: Callable[[], Value | None]) -> Value | None:
        """What an action of a world nearby gives; its effects are taken back, its failures are not told.

        None where it fails, is too long, or was done at this place often enough (a place of None is not counted).
        """

    @abstractmethod
    def speculate(
        self, place: nodes.Node, frame: Frame, guard: Guard | None, action: Callable[[], object]
    ) -> Callable[[], None]:
        """Look at what is not followed: run the action, note what fails there, take back what it changed.

        The result, to be called after the branch that is followed has run, offers what the action bound as choices.
        """

    @abstractmethod
    def begin_enumeration(self, bases: Sequence[Value]) -> tuple[Sequence[Value], list[Value]] | None:
        """For the body of an enumeration: its bases, and room for the values of its members."""

    @abstractmethod
    def member_value(self, name: str, value: Value, body: Frame) -> Value:
        """What is bound when the body of an enumeration binds a name: ``auto()`` becomes a value."""

    @abstractmethod
    def make_class(
        self,
        name: str,
        bases: tuple[Value, ...],
        namespace: Namespace,
        keywords: dict[str, Value],
        frame: Frame,
        line: int,
        qualified_name: str,
    ) -> Value:
        """Create a class as ``type.__build_class__`` does, with its hooks."""

    @abstractmethod
    def instantiate(self, cls: ClassValue, arguments: Arguments) -> Value:
        """Call a class."""

    @abstractmethod
    def create_instance(self, cls: ClassValue, arguments: Arguments) -> Value:
        """What ``type.__call__`` does: ``__new__``, then ``__init__``."""

    @abstractmethod
    def allocate(self, cls: ClassValue, arguments: Arguments) -> InstanceValue:
        """What ``object.__new__`` does."""

    @abstractmethod
    def build_class(
        self,
        name: str,
        bases: tuple[Value, ...],
        namespace: Namespace,
        keywords: dict[str, Value],
        meta: Value | None,
    ) -> ClassValue:
        """What ``type.__new__`` does."""

    def members_of(self, cls: ClassValue) -> list[Value] | None:
        """The members of an enumeration, without those that are other names for earlier ones."""
        named = cls.namespace.get("_member_map_")
        if not isinstance(named, DictValue):
            return None
        return [*{id(member): member for _, member in named.items.values()}.values()]

    @abstractmethod
    def abstract_names(self, cls: ClassValue) -> list[str]:
        """The methods of a class that are still to be overridden."""

    @abstractmethod
    def synthesize_fields(self, cls: ClassValue, options: Arguments, is_tuple: bool = False) -> None:
        """Give a dataclass-like class its ``__init__``."""

    @abstractmethod
    def instance_attribute(self, instance: InstanceValue, name: str) -> Value | None:
        """What ``object.__getattribute__`` does."""

    @abstractmethod
    def type_attribute(self, cls: ClassValue, name: str) -> Value | None:
        """What ``type.__getattribute__`` does."""

    @abstractmethod
    def set_instance_attribute(self, instance: InstanceValue, name: str, content: Value) -> None:
        """What ``object.__setattr__`` does."""

    @abstractmethod
    def enter_context(self, manager: Value) -> Value:
        """``manager.__enter__()``"""

    @abstractmethod
    def exit_context(self, manager: Value, error: Raised | None) -> bool:
        """``manager.__exit__(...)``: whether it swallows the exception."""

    @abstractmethod
    def catches(self, handled: Value, error: Raised) -> bool:
        """Whether ``except handled`` catches the exception."""

    @abstractmethod
    def exception_name(self, value: Value) -> str:
        """The name of an exception's class."""

    @abstractmethod
    def call_within(self, manager: Value, function: Value, arguments: Arguments) -> Value:
        """``with manager: return function(*arguments)``"""

    @abstractmethod
    def settled(self, value: Value) -> Value:
        """A value that inputs determine, as what it is in this world (in exact mode); other values as they are."""

    @abstractmethod
    def settled_among(self, value: Value, wanted: Collection[str]) -> Value:
        """The same for a string of which only the wanted contents matter: all others are one world."""

    @abstractmethod
    def settled_truth(self, value: Value) -> bool | None:
        """The truth of a value; where it is not known, that of this world (in exact mode)."""

    @abstractmethod
    def raise_where(
        self, value: Value, function: Callable[[Any], Any], valid: str, error_type: str, result: str
    ) -> None:
        """Raise in the worlds where the function fails for a value that inputs determine, if a handler waits for it.

        ``valid`` is a test that holds where it does not fail, ``result`` the text of what it gives.
        """

    @abstractmethod
    def raise_where_none(self, value: Value, error_type: str, result: str) -> None:
        """The same for an operation that no value but None refuses."""

    @abstractmethod
    def is_awaited(self, error_type: str) -> bool:
        """Whether the innermost running try statement names just this exception."""

    @abstractmethod
    def hash_key(self, value: Value) -> Hashable:
        """What identifies a value as a dict key or set member; a ``__hash__`` of the program runs."""

    @abstractmethod
    def as_index(self, index: Value) -> Value:
        """What ``__index__`` of a position gives."""

    @abstractmethod
    def text_by(self, value: Value, name: str) -> Value:
        """``str(value)``, ``repr(value)`` or ``format(value)``, by the name of the function."""

    @abstractmethod
    def annotations_of(self, function: FunctionValue) -> dict[str, Value]:
        """The annotations, those that were postponed evaluated now. Raises Raised."""

    @abstractmethod
    def call_in_passing(self, function: Value, count: int) -> None:
        """A callback that may be called, with arguments that are not known."""

    @abstractmethod
    def run_function(self, function: FunctionValue, arguments: Arguments) -> Value:
        """Run the code of a function."""

    @abstractmethod
    def is_instance(self, value: Value, cls: Value) -> bool | None:
        """``isinstance``; None if it is not known."""

    @abstractmethod
    def test_of_instance(self, value: Value, cls: Value) -> Value:
        """``isinstance(value, cls)`` as a value, which may depend on what is not known."""

    @abstractmethod
    def is_subclass(self, value: Value, cls: Value) -> bool | None:
        """``issubclass``; None if it is not known."""

    @abstractmethod
    def class_of(self, value: Value) -> Value | None:
        """``type(value)``; None if it is not known."""

    @abstractmethod
    def describe(self, value: Value) -> str:
        """A short text for a value, as it stands in the text of a symbolic one."""

    @abstractmethod
    def instance_from_annotation(self, annotation: Value, text: str) -> Value | None:
        """A value of the type that an annotation names; None if it says nothing."""

    def text_of(self, value: Value) -> str | None:
        """The string that a value is, if it is known."""
        return value.value if isinstance(value, Constant) and isinstance(value.value, str) else None

    def call_method(self, value: Value, name: str, *arguments: Value) -> Value:
        """``value.name(*arguments)``"""
        return self.call(self.get_attribute(value, name), Arguments(arguments))

    def items_of(self, value: Value) -> list[Value] | None:
        """The items of an iterable as a list; None if they are not known."""
        iterator = self.iterate(value)
        return None if iterator is None else self._collected(iterator)

    def sequence_of(self, value: Value) -> list[Value] | None:
        """The items as what makes a list or a tuple of them takes them: it asks the iterable how many it has, too."""
        iterator = self.iterate(value)
        if iterator is None:
            return None
        self.ask_length(value)
        return self._collected(iterator)

    def _collected(self, iterator: Iterator[Value]) -> list[Value]:
        items = []
        for item in iterator:
            self.step()
            items.append(item)
        return items

    def ask_length(self, value: Value) -> None:
        """operator.length_hint: a TypeError counts as no answer."""
        if not isinstance(value, InstanceValue):
            return
        for name in ("__len__", "__length_hint__"):
            method = self.method_of(value, name)
            if method is None:
                continue
            try:
                self.call(method, Arguments())
            except Raised as error:
                if error.type_name != "TypeError":
                    raise
            else:
                return

    def none_or(self, value: Value | None) -> Value:
        """The value, or Python's None."""
        return NONE if value is None else value

    def set_of_names(self, names: Iterable[str]) -> SetValue:
        """A set of strings."""
        return SetValue(Constant(name) for name in names)


def library_class(name: str) -> type | None:
    """A class of a standard module that is loaded here anyway."""
    module, _, own = name.rpartition(".")
    if module.partition(".")[0] not in sys.stdlib_module_names:
        return None
    found = getattr(sys.modules.get(module), own, None)
    return found if isinstance(found, type) else None


def library_object(name: str) -> object | None:
    """The class, function, module or typing construct of that name, of a standard module that is loaded here anyway."""
    if name.partition(".")[0] not in sys.stdlib_module_names:
        return None
    module, _, own = name.rpartition(".")
    found: object = sys.modules.get(name) or getattr(sys.modules.get(module), own, None)
    kinds = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType)
    return found if isinstance(found, kinds) or type(found).__module__ == "typing" else None


def builtin_exception_names() -> list[str]:
    """Names of the builtin exception classes."""
    return [
        name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
    ]
