"""Entries of a large project: what cannot differ between them is simulated once.

Importing a module can meet a half-loaded one only inside a strongly connected component of the imports that
initialisation executes, and what happens there depends on the member by which the component is entered. So every member
is tried as the first one and taken back; then the component is loaded for good, in the best of these ways, and the
simulation goes on with what depends on it. How an entry ends follows from the member by which it enters each component:
the first one that its imports, in the order in which they were executed, come to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from importcycle.evaluate.signals import Miss
from importcycle.importing.recording import ImportStep
from importcycle.importing.runs import Interpreter, Outcome, Swallowed
from importcycle.importing.sources import Sources
from importcycle.importing.ways import Component, Runs, Ways
from importcycle.project.model import Project
from importcycle.project.names import with_packages


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
    _loads: dict[str, frozenset[str]] = field(default_factory=dict)
    """The modules that were loaded when these entries last ran."""
    _begun: dict[str, Interpreter | None] = field(default_factory=dict)
    """By package: an interpreter that has imported only that, if nothing of interest happens then."""
    _steps_of_checks: int = 0
    _left_out: dict[str, frozenset[str]] = field(default_factory=dict)
    """For each module by which an eventful component can be entered: the members that are not loaded then."""
    _settling: set[tuple[str, ...]] = field(default_factory=set)
    """Heads of the components that were, or are being, settled."""
    _broken: dict[str, Outcome] = field(default_factory=dict)
    """Modules whose import ends with an error that has nothing to do with cycles."""

    def __post_init__(self) -> None:
        self.interpreter = self._new_interpreter()

    def play(self, entries: Iterable[str]) -> None:
        """Simulate the entries, parents first."""
        ordered = sorted(entries, key=lambda name: (name.count("."), name))
        for count, entry in enumerate(ordered):
            if self.progress is not None:
                self.progress(count, len(ordered))
            self._load(entry)
        failing = frozenset(name for name, outcome in self._eventful.items() if outcome.error_type is not None)
        order = self.interpreter.recorder.order
        ways = Ways(self.project, order, self._component_of, self._loads, self._left_out, failing)
        for entry in ordered:
            self.outcomes[entry] = self._outcome(entry, ways)
        self._check(ordered, ways)
        if self.progress is not None:
            self.progress(len(ordered), len(ordered))

    # ------------------------------------------------------------------------------------------ loading for good
    def _load(self, entry: str) -> None:
        if self._first_to_load(entry) is None or entry in self._broken:
            return
        trail = self.interpreter.machine.trail
        mark = trail.mark()
        runs = Runs()
        outcome = self._run(entry, runs)
        components = runs.components()
        if _is_uneventful(outcome) and all(len(each.heads) == 1 for each in components):
            trail.commit(mark)
            return
        trail.undo(mark)
        self._settle_all(components)
        if self._first_to_load(entry) is not None:
            self._broken[entry] = outcome

    def _settle_all(self, components: Iterable[Component]) -> None:
        for component in components:
            waiting = self._waiting(component)
            if waiting:
                self._settle(component, waiting)

    def _waiting(self, component: Component) -> list[str]:
        return [head for head in component.heads if self._first_to_load(head) is not None]

    def _settle(self, component: Component, heads: list[str]) -> None:
        """Try every way into a component, then load it for good."""
        self._settling.add(component.heads)
        results, runs = self._try_all(component, heads) if len(heads) > 1 else ({}, Runs())
        trail = self.interpreter.machine.trail
        best = min(heads, key=lambda head: _severity(results[head]) if results else 0)
        mark = trail.mark()
        outcome = self._run(best, runs)
        others = self._others(component, runs)
        if others:  # what this run was the first to come to is tried in all its ways, too
            trail.undo(mark)
            self._settle_all(others)
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
        self._keep(component, results, runs)

    def _try_all(self, component: Component, heads: list[str]) -> tuple[dict[str, Outcome], Runs]:
        """How the import of each head ends; other components that these imports come to are settled first."""
        while True:
            runs = Runs()
            results = {head: self._in_sandbox(head, runs) for head in heads}
            others = self._others(component, runs)
            if not others:
                break
            self._settle_all(others)
        for member in runs.members_with(component):
            head = next(name for name in with_packages(member) if name in results or name == member)
            if head == member or results[head].error_type is not None or member in self._loads[head]:
                continue
            # Importing its package does not load it: what it meets then is another matter.
            results[member] = self._in_sandbox(member, runs)
        return results, runs

    def _others(self, component: Component, runs: Runs) -> list[Component]:
        """Other components of the runs that can be entered in several ways and were not settled before."""
        members = set(component.members)
        return [
            each
            for each in runs.components()
            if len(each.heads) > 1
            and each.heads not in self._settling
            and not members.intersection(each.members)
            and self._waiting(each)
        ]

    def _keep(self, component: Component, results: dict[str, Outcome], runs: Runs) -> None:
        if all(_is_uneventful(each) for each in results.values()):
            return
        name = component.members[-1]
        heads = set(component.heads)
        members = frozenset(runs.members_with(component))
        for way, result in results.items():
            self._eventful.setdefault(way, result)
            self._component_of.setdefault(way, name if way in heads else f"{name} by {way}")
            self._left_out.setdefault(way, members - self._loads[way])

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

    def _run(self, entry: str, runs: Runs | None = None) -> Outcome:
        outcome = self.interpreter.run(entry)
        loaded = self.interpreter.imports.loaded_modules()
        self._loads[entry] = frozenset(name for name in self.interpreter.recorder.started if name in loaded)
        if runs is not None:
            runs.add(self.interpreter.recorder)
        self.side_failures.extend((entry, miss) for miss in outcome.side_failures)
        return outcome

    def _in_sandbox(self, entry: str, runs: Runs) -> Outcome:
        trail = self.interpreter.machine.trail
        mark = trail.mark()
        try:
            return self._run(entry, runs)
        finally:
            trail.undo(mark)

    def _first_to_load(self, entry: str) -> str | None:
        """The outermost package of the entry, or the entry itself, that is not loaded yet."""
        loaded = self.interpreter.imports.loaded_modules()
        return next(
            (name for name in with_packages(entry) if name not in loaded and name in self.project.modules), None
        )

    # ------------------------------------------------------------------------------------------ entry by entry
    def _outcome(self, entry: str, ways: Ways) -> Outcome:
        """How the import of an entry ends, from what happens in the components that it enters."""
        swallowed: list[Swallowed] = []
        crash: Outcome | None = None
        result = Outcome(entry)
        for head, path in ways.into_components(entry):
            outcome = self._eventful[head]
            if outcome.error_type is not None:
                if any(step.is_guarded for step in path):
                    return self._in_fresh_interpreter(entry)
                swallowed.extend(outcome.swallowed)
                crash = _reached_through(outcome, path)
                break
            swallowed.extend(outcome.swallowed)
            result = replace(result, losses=(*result.losses, *outcome.losses))
        result = replace(result, swallowed=tuple(swallowed))
        if crash is None:
            broken = self._broken.get(entry)
            return replace(result, error_type=broken.error_type) if broken is not None else result
        return replace(result, crash=crash.crash, error_type=crash.error_type)

    def _check(self, entries: Iterable[str], ways: Ways) -> None:
        """Play entries whose outcome was put together, failing ones first: one of each kind, more if that is wrong."""
        combinations: dict[tuple[str, ...], list[str]] = {}
        for entry in entries:
            found = ways.into_components(entry)
            if len(found) > 1 or any(path for _, path in found):
                combinations.setdefault(tuple(head for head, _ in found), []).append(entry)
        ordered = sorted(combinations.values(), key=lambda group: self.outcomes[group[0]].error_type is None)
        for group in ordered:
            for entry in group:
                if self._steps_of_checks > STEPS_OF_CHECKS:
                    return
                played = self._in_fresh_interpreter(entry)
                if not played.is_complete or _essence(played) == _essence(self.outcomes[entry]):
                    break
                self.outcomes[entry] = played

    def _in_fresh_interpreter(self, entry: str) -> Outcome:
        """How the import of the entry ends when it is played alone.

        All entries of a package begin by importing that: where nothing happens then, it is done once for all of them.
        """
        package = entry.partition(".")[0]
        if package != entry and package in self.project.modules:
            if package not in self._begun:
                interpreter, outcome = self._begin(package)
                self._begun[package] = interpreter if _is_uneventful(outcome) else None
            begun = self._begun[package]
            if begun is not None:
                return self._go_on(begun, entry)
        return self._begin(entry)[1]

    def _begin(self, entry: str) -> tuple[Interpreter, Outcome]:
        interpreter = self._new_interpreter()
        outcome = interpreter.run(entry)
        self._steps_of_checks += interpreter.machine.steps
        return interpreter, outcome

    def _go_on(self, interpreter: Interpreter, entry: str) -> Outcome:
        """Import an entry after what was imported before, and take it back."""
        machine = interpreter.machine
        mark, steps = machine.trail.mark(), machine.steps
        try:
            return interpreter.run(entry)
        finally:
            machine.trail.undo(mark)
            self._steps_of_checks += machine.steps - steps

    def _new_interpreter(self) -> Interpreter:
        interpreter = Interpreter(self.project, self.sources, is_exact=False)
        self.sources.kept.append(interpreter)
        return interpreter


STEPS_OF_CHECKS = 30_000
"""Steps of all entries that are played in interpreters of their own, before no other is."""
MOST_REPAIRS = 8
"""Failures behind one another that are gone past."""


def _is_uneventful(outcome: Outcome) -> bool:
    is_clean = outcome.error_type is None and outcome.is_complete
    return is_clean and not outcome.swallowed and not outcome.losses


def _essence(outcome: Outcome) -> tuple[object, ...]:
    """What a user is told of an outcome."""
    crash = outcome.crash
    return (
        outcome.error_type,
        crash and (crash.error_type, crash.module, crash.name),
        {(each.miss.module, each.miss.name) for each in outcome.swallowed},
    )


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
