"""The components of imports that runs have executed, and the ways in which an entry's imports come into them."""

from __future__ import annotations

from dataclasses import dataclass, field

import networkx

from importcycle.importing.recording import ImportStep, Recorder
from importcycle.project.model import Project
from importcycle.project.names import with_packages


@dataclass(frozen=True, slots=True)
class Component:
    """A strongly connected component of executed imports."""

    heads: tuple[str, ...]
    """The members by which it can be entered: those whose packages are not members too, for these are loaded first."""
    members: tuple[str, ...]


@dataclass(slots=True)
class Runs:
    """What some runs from the same state have executed."""

    started: dict[str, None] = field(default_factory=dict)
    completed: dict[str, int] = field(default_factory=dict)
    edges: set[tuple[str, str]] = field(default_factory=set)

    def add(self, recorder: Recorder) -> None:
        """Take in the run that the recorder has seen."""
        self.started.update(dict.fromkeys(recorder.started))
        for name in recorder.completed:
            self.completed.setdefault(name, len(self.completed))
        for importer, target in recorder.run_edges:
            self.edges.update((importer, each) for each in with_packages(target) if each != importer)

    def components(self) -> list[Component]:
        """The components that the runs entered, dependencies first."""
        graph: networkx.DiGraph[str] = networkx.DiGraph()
        graph.add_nodes_from(self.started)
        graph.add_edges_from(edge for edge in sorted(self.edges) if edge[0] in self.started and edge[1] in self.started)
        order = self.completed
        found = []
        for members in networkx.strongly_connected_components(graph):
            heads = sorted({next(name for name in with_packages(each) if name in members) for each in members})
            found.append(Component(tuple(heads), tuple(sorted(members, key=lambda name: order.get(name, 0)))))
        return sorted(found, key=lambda component: order.get(component.members[-1], 0))

    def members_with(self, component: Component) -> list[str]:
        """All members of a component, those included that only some of its ways come to."""
        known = set(component.members)
        return [name for each in self.components() if known.intersection(each.members) for name in each.members]


@dataclass(slots=True)
class Walk:
    """What the imports of a module have come to, in order."""

    visited: set[str] = field(default_factory=set)
    entered: set[str] = field(default_factory=set)
    """Components."""
    covered: set[str] = field(default_factory=set)
    """Modules that were loaded when those components were entered in these ways."""
    left_out: set[str] = field(default_factory=set)
    """Modules whose import fails, or does not take place, as long as the running one has not ended."""
    found: list[tuple[str, tuple[ImportStep, ...]]] = field(default_factory=list)
    """The module by which each component is entered, and the imports that lead there."""
    has_failed: bool = False

    def copy(self) -> Walk:
        """The same, to go on from there."""
        return Walk(
            set(self.visited),
            set(self.entered),
            set(self.covered),
            set(self.left_out),
            list(self.found),
            self.has_failed,
        )


class Ways:
    """By which module, and on which way, each module's imports come into the eventful components."""

    def __init__(
        self,
        project: Project,
        order: dict[str, list[ImportStep]],
        component_of: dict[str, str],
        loads: dict[str, frozenset[str]],
        left_out: dict[str, frozenset[str]],
        failing: frozenset[str],
    ) -> None:
        self._project = project
        self._order = order
        self._component_of = component_of
        self._loads = loads
        self._left_out = left_out
        self._failing = failing
        self._leading = self._modules_leading_there()
        self._after: dict[str, Walk] = {}
        self._known_targets: dict[str, tuple[tuple[ImportStep, str], ...]] = {}

    def _modules_leading_there(self) -> set[str]:
        """The modules whose imports can come to an eventful component: no others need to be walked."""
        importers: dict[str, set[str]] = {}
        for name, steps in self._order.items():
            for step in steps:
                for target in with_packages(step.target):
                    importers.setdefault(target, set()).add(name)
        found = set(self._component_of)
        pending = list(found)
        while pending:
            for importer in importers.get(pending.pop(), ()):
                if importer not in found:
                    found.add(importer)
                    pending.append(importer)
        return found

    def into_components(self, entry: str) -> list[tuple[str, tuple[ImportStep, ...]]]:
        """Each eventful component that the entry's imports come to: the module by which, and the way there."""
        return self._walk_to(entry).found if self._component_of else []

    def _walk_to(self, name: str) -> Walk:
        known = self._after.get(name)
        if known is not None:
            return known
        parent = name.rpartition(".")[0]
        walk = Walk()
        if name not in self._leading and not parent:
            return walk
        if parent:
            before = self._after[parent] = self._walk_to(parent)
            if before.has_failed or name in before.visited or name not in self._leading:
                return before
            walk = before.copy()
        self._visit(name, walk, [])
        return walk

    def _visit(self, name: str, walk: Walk, path: list[ImportStep]) -> None:
        """Go through the imports of a module as its body executes them, up to the first failure."""
        if walk.has_failed or name in walk.visited or name in walk.left_out:
            return
        walk.visited.add(name)
        left_out: frozenset[str] = frozenset()
        component = self._component_of.get(name)
        if component is not None and component not in walk.entered and name not in walk.covered:
            walk.entered.add(component)
            walk.covered |= self._loads.get(name, frozenset())
            walk.found.append((name, tuple(path)))
            if name in self._failing:
                walk.has_failed = True
                return
            left_out = self._left_out[name] - walk.left_out
            walk.left_out |= left_out
        for step, target in self._targets(name):
            # Of a module that is loaded already the packages are not asked for again, be they loaded or not.
            if target in walk.visited or (target != step.target and step.target in walk.covered):
                continue
            path.append(step)
            self._visit(target, walk, path)
            path.pop()
        walk.left_out -= left_out

    def _targets(self, name: str) -> tuple[tuple[ImportStep, str], ...]:
        """The modules, packages before what is in them, that each import of the module loads and that lead on."""
        known = self._known_targets.get(name)
        if known is None:
            first: dict[str, ImportStep] = {}
            for step in self._order.get(name, ()):
                for target in with_packages(step.target):
                    if target in self._leading and target in self._project.modules:
                        first.setdefault(target, step)
            known = self._known_targets[name] = tuple((step, target) for target, step in first.items())
        return known
