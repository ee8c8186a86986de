"""Entries of a large project: what cannot differ between them is simulated once.

Importing a module can meet a half-loaded one only inside a strongly connected component of the imports that
initialisation executes, and what happens there depends on the member by which the component is entered. So every member
is tried as the first one and taken back; then the component is loaded for good, in the best of these ways, and the
simulation goes on with what depends on it. How an entry ends follows from the member by which it enters each component:
the first one that its imports, in the order in which they were executed, come to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

import networkx

from importcycle.evaluate.signals import Miss
from importcycle.importing.recording import ImportStep
from importcycle.importing.runs import Interpreter, Outcome, Swallowed
from importcycle.importing.sources import Sources
from importcycle.project.model import Project


@dataclass(frozen=True, slots=True)
class Component:
    """A strongly connected component of executed imports."""

    heads: tuple[str, ...]
    """The members by which it can be entered: those whose packages are not members too, for these are loaded first."""
    members: tuple[str, ...]


@dataclass(slots=True)
class SharedSimulation:
    """Plays entries on one interpreter; see the module's text."""

    project: Project
    sources: Sources
    progress: Callable[[int, int], None] | None = None
    interpreter: Interpreter = field(init=False)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    """How the import of each entry ends."""
    side_failures: list[tuple[str, Miss]] = field(default_factory=list)
    """Entry and miss of failures seen in passing, in worlds nearby."""
    _eventful: dict[str, Outcome] = field(default_factory=dict)
    """For each module by which an eventful component can be entered: what then happens."""
    _component_of: dict[str, str] = field(default_factory=dict)
    """For the same modules: a name for their component."""
    _broken: dict[str, Outcome] = field(default_factory=dict)
    """Modules whose import ends with an error that has nothing to do with cycles."""

    def __post_init__(self) -> None:
        self.interpreter = Interpreter(self.project, self.sources, is_exact=False)

    def play(self, entries: Iterable[str]) -> None:
        """Simulate the entries, parents first."""
        ordered = sorted(entries, key=lambda name: (name.count("."), name))
        for count, entry in enumerate(ordered):
            if self.progress is not None:
                self.progress(count, len(ordered))
            self._load(entry)
        ways = _Ways(self.project, self.interpreter.recorder.order, self._component_of)
        for entry in ordered:
            self.outcomes[entry] = self._outcome(entry, ways)
        if self.progress is not None:
            self.progress(len(ordered), len(ordered))

    # ------------------------------------------------------------------------------------------ loading for good
    def _load(self, entry: str) -> None:
        if self._first_to_load(entry) is None or entry in self._broken:
            return
        trail = self.interpreter.machine.trail
        mark = trail.mark()
        outcome = self._run(entry)
        components = self._components()
        if _is_uneventful(outcome) and all(len(each.heads) == 1 for each in components):
            trail.commit(mark)
            return
        trail.undo(mark)
        for component in components:
            waiting = [head for head in component.heads if self._first_to_load(head) is not None]
            if waiting:
                self._settle(component, waiting)
        if self._first_to_load(entry) is not None:
            self._broken[entry] = outcome

    def _settle(self, component: Component, heads: list[str]) -> None:
        """Try every way into a component, then load it for good."""
        results = {head: self._in_sandbox(head) for head in heads} if len(heads) > 1 else {}
        trail = self.interpreter.machine.trail
        best = min(heads, key=lambda head: _severity(results[head]) if results else 0)
        mark = trail.mark()
        outcome = self._run(best)
        results[best] = outcome
        if outcome.crash is not None:
            trail.undo(mark)
            mark = trail.mark()
            self._run_repaired(best, outcome)
        trail.commit(mark)
        if self._first_to_load(best) is not None:
            self._broken[best] = outcome
        if not all(_is_uneventful(each) for each in results.values()):
            name = component.members[-1]
            for head, result in results.items():
                self._eventful.setdefault(head, result)
                self._component_of.setdefault(head, name)

    def _run_repaired(self, head: str, outcome: Outcome) -> None:
        """Go on as if the missing names were bound, to see what lies behind them."""
        machine = self.interpreter.machine
        for _ in range(MOST_REPAIRS):
            if outcome.crash is None:
                return
            machine.repaired |= {(outcome.crash.module, outcome.crash.name)}
            mark = machine.trail.mark()
            outcome = self._run(head)
            if outcome.crash is None:
                machine.trail.commit(mark)
            else:
                machine.trail.undo(mark)

    def _run(self, entry: str) -> Outcome:
        outcome = self.interpreter.run(entry)
        self.side_failures.extend((entry, miss) for miss in outcome.side_failures)
        return outcome

    def _in_sandbox(self, entry: str) -> Outcome:
        trail = self.interpreter.machine.trail
        mark = trail.mark()
        try:
            return self._run(entry)
        finally:
            trail.undo(mark)

    def _first_to_load(self, entry: str) -> str | None:
        """The outermost package of the entry, or the entry itself, that is not loaded yet."""
        loaded = self.interpreter.imports.loaded_modules()
        return next(
            (name for name in with_packages(entry) if name not in loaded and name in self.project.modules), None
        )

    def _components(self) -> list[Component]:
        """The components that the run entered, dependencies first."""
        recorder = self.interpreter.recorder
        started = set(recorder.started)
        graph: networkx.DiGraph[str] = networkx.DiGraph()
        graph.add_nodes_from(recorder.started)
        graph.add_edges_from(edge for edge in sorted(recorder.run_edges) if edge[0] in started and edge[1] in started)
        order = {name: index for index, name in enumerate(recorder.completed)}
        found = []
        for members in networkx.strongly_connected_components(graph):
            heads = sorted({next(name for name in with_packages(each) if name in members) for each in members})
            found.append(Component(tuple(heads), tuple(sorted(members, key=lambda name: order.get(name, 0)))))
        return sorted(found, key=lambda component: order.get(component.members[-1], 0))

    # ------------------------------------------------------------------------------------------ entry by entry
    def _outcome(self, entry: str, ways: _Ways) -> Outcome:
        """How the import of an entry ends, from what happens in the components that it enters."""
        swallowed: list[Swallowed] = []
        crash: Outcome | None = None
        result = Outcome(entry)
        for head, path in ways.into_components(entry):
            outcome = self._eventful[head]
            if outcome.error_type is not None:
                if any(step.is_guarded for step in path):
                    return self._in_fresh_interpreter(entry)
                crash = _reached_through(outcome, path)
                break
            swallowed.extend(outcome.swallowed)
            result = replace(result, losses=(*result.losses, *outcome.losses))
        result = replace(result, swallowed=tuple(swallowed))
        if crash is None:
            broken = self._broken.get(entry)
            return replace(result, error_type=broken.error_type) if broken is not None else result
        return replace(result, crash=crash.crash, error_type=crash.error_type)

    def _in_fresh_interpreter(self, entry: str) -> Outcome:
        """A handler stands between the entry and the failure: what it does can only be seen by playing it."""
        return Interpreter(self.project, self.sources, is_exact=False).run(entry)


MOST_REPAIRS = 8
"""Failures behind one another that are gone past."""


def with_packages(name: str) -> Iterator[str]:
    """The packages that a module lies in, outermost first, and the module."""
    parts = name.split(".")
    return (".".join(parts[: count + 1]) for count in range(len(parts)))


def _is_uneventful(outcome: Outcome) -> bool:
    is_clean = outcome.error_type is None and outcome.is_complete
    return is_clean and not outcome.swallowed and not outcome.losses


def _severity(outcome: Outcome) -> int:
    if outcome.error_type is not None:
        return 2
    return 0 if _is_uneventful(outcome) else 1


def _reached_through(outcome: Outcome, path: tuple[ImportStep, ...]) -> Outcome:
    """The outcome of entering a component, with the way to it in front of the path to its failure."""
    if outcome.crash is None:
        return outcome
    stack = (*(entry for step in path for entry in step.stack), *outcome.crash.stack)
    return replace(outcome, crash=replace(outcome.crash, stack=stack))


@dataclass(frozen=True, slots=True)
class _Way:
    """How a module's imports come into a component first."""

    head: str
    step: ImportStep | None
    """The import that leads on; None at the head itself."""
    following: str
    """The module that this import loads."""


class _Ways:
    """By which module, and on which way, each module's imports come into the eventful components."""

    def __init__(self, project: Project, order: dict[str, list[ImportStep]], component_of: dict[str, str]) -> None:
        self._project = project
        self._order = order
        self._component_of = component_of
        self._known: dict[str, dict[str, _Way]] = {}

    def into_components(self, entry: str) -> Iterator[tuple[str, tuple[ImportStep, ...]]]:
        """Each eventful component that the entry's imports come to: the module by which, and the way there."""
        if not self._component_of:
            return
        entered: set[str] = set()
        for name in with_packages(entry):
            for component in self._ways_of(name):
                if component not in entered:
                    entered.add(component)
                    yield self._way(name, component)

    def _way(self, name: str, component: str) -> tuple[str, tuple[ImportStep, ...]]:
        path: list[ImportStep] = []
        while True:
            way = self._known[name][component]
            if way.step is None:
                return way.head, tuple(path)
            path.append(way.step)
            name = way.following

    def _ways_of(self, name: str) -> dict[str, _Way]:
        known = self._known.get(name)
        if known is not None:
            return known
        ways: dict[str, _Way] = {}
        self._known[name] = ways  # in a cycle of modules, what is found so far
        component = self._component_of.get(name)
        if component is not None:
            ways[component] = _Way(name, None, name)
        for step in self._order.get(name, ()):
            for target in with_packages(step.target):
                if target == name or target not in self._project.modules:
                    continue
                for reached, way in list(self._ways_of(target).items()):
                    ways.setdefault(reached, _Way(way.head, step, target))
        return ways
