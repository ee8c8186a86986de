"""Entries of a large project: what cannot differ between them is simulated once.

Importing a module can meet a half-loaded one only inside a strongly connected component of the imports that
initialisation executes. So a component of one module, or one that is always entered by the same module, is loaded once
and stays loaded for all later entries; of every other component each member is tried as the first one, and taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import networkx

from importcycle.evaluate.signals import Miss
from importcycle.importing.runs import Interpreter, Outcome
from importcycle.importing.sources import Sources
from importcycle.project.model import Project


@dataclass(slots=True)
class SharedSimulation:
    """Plays entries on one interpreter; see the module's text."""

    project: Project
    sources: Sources
    progress: Callable[[int, int], None] | None = None
    interpreter: Interpreter = field(init=False)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    """How the import of each entry ended; entries that are loaded for good ended well."""
    side_failures: list[tuple[str, Miss]] = field(default_factory=list)
    """Entry and miss of failures seen in passing, in worlds nearby."""

    def __post_init__(self) -> None:
        self.interpreter = Interpreter(self.project, self.sources, is_exact=False)

    def play(self, entries: Iterable[str]) -> None:
        """Simulate the entries, parents first."""
        ordered = sorted(entries, key=lambda name: (name.count("."), name))
        for count, entry in enumerate(ordered):
            if self.progress is not None:
                self.progress(count, len(ordered))
            if entry not in self.outcomes:
                self._play(entry)
        if self.progress is not None:
            self.progress(len(ordered), len(ordered))

    def _play(self, entry: str) -> None:
        first = self._first_to_load(entry)
        if first is None:
            self.outcomes.setdefault(entry, Outcome(entry))
            return
        if first != entry:
            # The parent could not be kept: the entry is played on top of it, and all is taken back.
            self.outcomes[entry] = self._in_sandbox(entry)
            return
        trail = self.interpreter.machine.trail
        mark = trail.mark()
        outcome = self._run(entry)
        components = self._components()
        if outcome.error_type is None and outcome.is_complete and all(len(each) == 1 for each in components):
            trail.commit(mark)
            self.outcomes[entry] = outcome
            return
        trail.undo(mark)
        if outcome.error_type is None:
            self._settle(components)
        if self._first_to_load(entry) is None:
            self.outcomes.setdefault(entry, outcome)
        elif entry not in self.outcomes:
            self.outcomes[entry] = self._in_sandbox(entry)

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
        parts = entry.split(".")
        names = (".".join(parts[: count + 1]) for count in range(len(parts)))
        return next((name for name in names if name not in loaded and name in self.project.modules), None)

    def _components(self) -> list[list[str]]:
        """For each component that the run entered, dependencies first: the modules by which it can be entered."""
        recorder = self.interpreter.recorder
        started = set(recorder.started)
        graph: networkx.DiGraph[str] = networkx.DiGraph()
        graph.add_nodes_from(recorder.started)
        graph.add_edges_from(edge for edge in sorted(recorder.run_edges) if edge[0] in started and edge[1] in started)
        order = {name: index for index, name in enumerate(recorder.completed)}
        components = [sorted(each, key=lambda name: order.get(name, 0)) for each in networkx.strongly_connected_components(graph)]
        components.sort(key=lambda members: order.get(members[-1], 0))
        result = []
        for members in components:
            heads = sorted({self._outermost(name, started) for name in members})
            result.append(heads)
        return result

    def _outermost(self, name: str, started: set[str]) -> str:
        parts = name.split(".")
        for count in range(1, len(parts)):
            package = ".".join(parts[:count])
            if package in started:
                return package
        return name

    def _settle(self, components: list[list[str]]) -> None:
        """Load for good what is the same for all entries; try every way into the others."""
        trail = self.interpreter.machine.trail
        for heads in components:
            waiting = [head for head in heads if self._first_to_load(head) is not None]
            if not waiting:
                continue
            results = [self._in_sandbox(head) for head in waiting] if len(waiting) > 1 else []
            if all(each.error_type is None for each in results):
                mark = trail.mark()
                outcome = self._run(waiting[0])
                if outcome.error_type is None:
                    trail.commit(mark)
                else:
                    trail.undo(mark)
                results = results or [outcome]
            for head, result in zip(waiting, results, strict=True):
                self.outcomes.setdefault(head, result)
