"""What happens while imports are simulated: edges, deferred imports, losses, survivals."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from importcycle.evaluate.frames import Frame, FrameKind, Guard
from importcycle.evaluate.machine import Machine
from importcycle.evaluate.signals import Miss, Raised, StackEntry
from importcycle.importing.outcomes import Condition, Event, EventKind, Opaque, Site, Step, StepKind
from importcycle.ir import nodes
from importcycle.values.model import ModuleValue


@dataclass(frozen=True, slots=True)
class StarLoss:
    """``from m import *`` of a half-loaded module: the names that were not bound yet."""

    importer: str
    module: str
    names: tuple[str, ...]
    miss: Miss
    source: ModuleValue
    taken: frozenset[str]
    """The names that it took."""


@dataclass(frozen=True, slots=True)
class ImportStep:
    """An import that a module's body executed, itself or through calls."""

    target: str
    stack: tuple[StackEntry, ...]
    """The frames from the module's body to the import."""
    is_guarded: bool
    """Whether a try statement stands around it."""


@dataclass(frozen=True, slots=True)
class DeferredSeen:
    """A deferred or dynamic import that ran."""

    site: Site
    target: str
    is_dynamic: bool
    statement: Site
    guards: tuple[Guard, ...]
    is_exact: bool
    in_passing: bool


@dataclass(slots=True)
class Recorder:
    """Collects; the driver of the simulation reads and resets it."""

    deferred: dict[tuple[str, int, str, bool], DeferredSeen] = field(default_factory=dict)
    opaque: dict[tuple[str, int], Opaque] = field(default_factory=dict)
    edges: set[tuple[str, str]] = field(default_factory=set)
    run_edges: set[tuple[str, str]] = field(default_factory=set)
    """Edges of the present run."""
    order: dict[str, list[ImportStep]] = field(default_factory=dict)
    """For each module, what its body imported when it last ran to its end, in order."""
    _running: dict[str, dict[str, ImportStep]] = field(default_factory=dict)
    """For the bodies that run now: the first import of each target, in order."""
    started: list[str] = field(default_factory=list)
    completed: list[str] = field(default_factory=list)
    losses: list[StarLoss] = field(default_factory=list)
    cuts: dict[tuple[str, str, int], str] = field(default_factory=dict)
    """Where evaluation was given up in runs that were gathered here, and why."""
    star_imports: list[tuple[str, str]] = field(default_factory=list)
    """Importers and sources of the star imports of the present run."""
    survivals: dict[tuple[str, int, str], Miss] = field(default_factory=dict)
    script: str | None = None
    """The module that runs as ``__main__``."""
    again: Miss | None = None
    """Where it is imported under its own name."""
    recovered: list[str] = field(default_factory=list)
    events: list[Event] | None = None
    """Filled only when a trace is asked for."""
    _try_lines: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    def reset_run(self) -> None:
        """Forget what belongs to one run."""
        self.run_edges = set()
        self.started = []
        self.completed = []
        self.losses = []
        self.star_imports = []

    def begin(self, name: str, in_passing: bool) -> None:
        """A module's body starts."""
        self.started.append(name)
        if self.events is not None:
            self._mark_initialising(name)
        if not in_passing:
            self._running[name] = {}
        parent = name.rpartition(".")[0]
        if parent:
            self.run_edges.add((name, parent))

    def _mark_initialising(self, name: str) -> None:
        """It is the last import of the module so far that runs its body: an earlier one waits for its package."""
        assert self.events is not None
        for index in reversed(range(len(self.events))):
            event = self.events[index]
            if event.target == name and not event.initialises:
                self.events[index] = replace(event, initialises=True)
                return

    def end(self, name: str, in_passing: bool, has_failed: bool) -> None:
        """A module's body has ended, one way or another."""
        self.completed.append(name)
        if not in_passing:
            steps = list(self._running.pop(name, {}).values())
            if not has_failed or len(steps) > len(self.order.get(name, ())):
                self.order[name] = steps

    def note_import(self, machine: Machine, target: str, initialises: bool, is_dynamic: bool) -> None:
        """An import of a module of the target is about to run in the running frame."""
        frame = machine.running
        importer = frame.module.name
        body = innermost_body(frame)
        edge = (body.module.name if body is not None else importer, target)
        self.run_edges.add(edge)
        self.edges.add(edge)
        self._note_step(machine, frame, body, target)
        if initialises and target == self.script and self.again is None:
            self.again = Miss("ImportError", target, target, machine.stack(), machine.guards(), 0, 0)
        is_deferred = frame.is_function
        if is_deferred:
            self._note_deferred(machine, frame, body, target, is_dynamic)
        if self.events is not None:
            kind = EventKind.IMPORT
            if is_dynamic:
                kind = EventKind.DYNAMIC_IMPORT
            elif is_deferred:
                kind = EventKind.DEFERRED_IMPORT
            self._note_event(machine, kind, frame, target)

    def note_submodule(self, machine: Machine, target: str, initialises: bool = False) -> None:
        """``from package import submodule`` is about to load the submodule, or would if that were not loaded."""
        frame = machine.running
        body = innermost_body(frame)
        edge = ((body or frame).module.name, target)
        self.run_edges.add(edge)
        self.edges.add(edge)
        self._note_step(machine, frame, body, target)
        if self.events is not None and initialises:
            kind = EventKind.DEFERRED_IMPORT if frame.is_function else EventKind.IMPORT
            self._note_event(machine, kind, frame, target)

    def note_execution(self, machine: Machine, target: str) -> None:
        """A loader is about to run the body of a module: no import asks for it."""
        self.note_submodule(machine, target)
        if self.events is not None:
            self._note_event(machine, EventKind.DYNAMIC_IMPORT, machine.running, target)

    def _note_step(self, machine: Machine, frame: Frame, body: Frame | None, target: str) -> None:
        if body is None or machine.speculating or target in self._running.get(body.module.name, (target,)):
            return
        within = [each for each in frames_within(frame, body) if each.kind is not FrameKind.COMPREHENSION]
        stack = tuple(StackEntry(each, each.line, each.text, each.is_inferred) for each in within)
        is_guarded = any(self.is_line_in_try(each) for each in within)
        self._running[body.module.name][target] = ImportStep(target, stack, is_guarded)

    def _note_deferred(self, machine: Machine, frame: Frame, body: Frame | None, target: str, is_dynamic: bool) -> None:
        key = (frame.code.name, frame.line, target, is_dynamic)
        guards = tuple(guard for each in frames_within(frame, body) for guard in each.guards)
        known = self.deferred.get(key)
        in_passing = machine.speculating > 0
        if known is not None and (len(known.guards), known.in_passing) <= (len(guards), in_passing):
            return
        is_exact = not any(each.is_inferred for each in frames_within(frame, body))
        statement = site_of(body if body is not None else frame)
        self.deferred[key] = DeferredSeen(site_of(frame), target, is_dynamic, statement, guards, is_exact, in_passing)

    def _note_event(self, machine: Machine, kind: EventKind, frame: Frame, target: str) -> None:
        assert self.events is not None
        body = innermost_body(frame)
        within = frames_within(frame, body)
        depth = sum(1 for entry in machine.stack() if entry.frame.kind is FrameKind.MODULE) - 1
        conditions = tuple(condition_of(guard) for each in within for guard in each.guards)
        via = tuple(site_of(each) for each in within[:-1])
        self.events.append(Event(kind, site_of(frame), target, False, depth, conditions, via))

    def note_opaque(self, machine: Machine, text: str) -> None:
        """A dynamic import could not be followed."""
        frame = machine.running
        if machine.speculating == 0 or (frame.code.name, frame.line) not in self.opaque:
            self.opaque.setdefault((frame.code.name, frame.line), Opaque(site_of(frame), text))

    def note_star_loss(self, loss: StarLoss) -> None:
        """A star import took fewer names."""
        self.losses.append(loss)

    def note_survival(self, machine: Machine, module: ModuleValue, name: str, column: int) -> None:
        """A name was taken from a half-loaded module that had bound it; noted if a deferred import led there."""
        stack = machine.stack()
        start = next(
            (
                index
                for index, entry in enumerate(stack)
                if entry.frame.kind is FrameKind.MODULE and entry.frame.module is module
            ),
            None,
        )
        if start is None:
            return
        path = stack[start:]
        if not any(_is_deferred_step(entry, after) for entry, after in zip(path, [*path[1:], None], strict=True)):
            return
        frame = machine.running
        key = (frame.code.name, frame.line, module.name)
        known = self.survivals.get(key)
        guards = machine.guards()
        if known is not None and len(known.guards) <= len(guards):
            return
        self.survivals[key] = Miss("ImportError", module.name, name, stack, guards, column, stack[start].line)

    def note_recovered(self, machine: Machine, error: Raised) -> None:
        """Evaluation of a module-level statement went wrong and was given up."""
        frame = machine.running
        self.recovered.append(
            f"{frame.code.path}:{frame.line}: {error.type_name} {getattr(error.value, 'attributes', '')}"
        )

    def is_line_in_try(self, frame: Frame) -> bool:
        """Whether the running line of the frame's own code stands in the body of a try statement with handlers."""
        code = frame.code
        block = code.body
        if frame.kind is FrameKind.FUNCTION and frame.function is not None:
            block = frame.function.code.body.statements
        return _line_in_try(block, frame.line)


def _line_in_try(block: nodes.Block, line: int) -> bool:
    for statement in block:
        first, _, last, _ = statement.span
        if not first <= line <= last:
            continue
        match statement:
            case nodes.Try(body=body, handlers=handlers):
                if handlers and body and body[0].span[0] <= line <= body[-1].span[2]:
                    return True
                blocks = [body, statement.otherwise, statement.final, *(handler.body for handler in handlers)]
                return any(_line_in_try(each, line) for each in blocks)
            case nodes.If(body=body, otherwise=otherwise) | nodes.For(body=body, otherwise=otherwise):
                return _line_in_try(body, line) or _line_in_try(otherwise, line)
            case nodes.While(body=body, otherwise=otherwise):
                return _line_in_try(body, line) or _line_in_try(otherwise, line)
            case nodes.With(body=body) | nodes.ClassDefinition(body=body):
                return _line_in_try(body, line)
    return False


def _is_deferred_step(entry: StackEntry, after: StackEntry | None) -> bool:
    """Whether the frame imports (rather than calls) its successor from inside a function."""
    return entry.frame.is_function and (after is None or after.frame.kind is FrameKind.MODULE)


def innermost_body(frame: Frame | None) -> Frame | None:
    """The module body that runs innermost."""
    while frame is not None and frame.kind is not FrameKind.MODULE:
        frame = frame.caller
    return frame


def frames_within(frame: Frame, body: Frame | None) -> list[Frame]:
    """The frames from a module body (included) to a frame, outermost first."""
    frames = []
    current: Frame | None = frame
    while current is not None:
        frames.append(current)
        if current is body:
            break
        current = current.caller
    return frames[::-1]


def site_of(frame: Frame, line: int | None = None, column: int = 0) -> Site:
    """The place where a frame stands."""
    return Site(frame.module.name, frame.code.path, line or frame.line, column, frame.name)


def condition_of(guard: Guard) -> Condition:
    """A guard as users see it."""
    return Condition(guard.text, guard.shown, guard.path, guard.line)


def steps_of(miss: Miss) -> tuple[Step, ...]:
    """The path to a miss, step by step."""
    steps = []
    for index, entry in enumerate(miss.stack):
        after = miss.stack[index + 1].frame if index + 1 < len(miss.stack) else None
        steps.append(Step(_step_kind(entry.frame, after, miss), site_of(entry.frame, entry.line), entry.text))
    return tuple(steps)


def _step_kind(frame: Frame, after: Frame | None, miss: Miss) -> StepKind:
    if after is None:
        if miss.error_type != "ImportError" and not (miss.is_star and miss.error_type != "NameError"):
            return StepKind.USE
        return StepKind.DEFERRED_IMPORT if frame.is_function else StepKind.IMPORT
    if after.kind is not FrameKind.MODULE:
        return StepKind.CALL
    if after.entered == "dynamic-import":
        return StepKind.DYNAMIC_IMPORT
    return StepKind.DEFERRED_IMPORT if frame.is_function else StepKind.IMPORT
