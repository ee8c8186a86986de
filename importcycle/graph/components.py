"""Strongly connected components: the sets of modules that import one another in a circle."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

import networkx

from importcycle.graph.model import STATEMENT_KINDS, ImportGraph, ImportKind

ComponentKind = Literal["eager", "deferred", "typing"]

_LAYERS: tuple[tuple[ComponentKind, ImportKind], ...] = (
    ("eager", ImportKind.EAGER),
    ("deferred", ImportKind.DEFERRED),
    ("typing", ImportKind.TYPING),
)


@dataclass(frozen=True, slots=True)
class Component:
    """Modules each of which imports each other one, directly or through others of them."""

    modules: tuple[str, ...]
    """Sorted."""
    kind: ComponentKind
    """The least it takes: eager imports alone, deferred ones as well, or even those for type checkers."""


def strongly_connected_components(
    graph: ImportGraph, kinds: Collection[ImportKind] = STATEMENT_KINDS
) -> tuple[Component, ...]:
    """The components of more than one module, those of eager imports first, then the larger first.

    A component of eager and deferred imports is "deferred" unless it is exactly one of eager imports alone; with
    imports for type checkers likewise. So one set of modules comes up once, and a larger one that holds it again.

    By default implied imports do not count. A package that imports its own submodule, whose import always implies
    that of the package, would else be a cycle, which is what nobody calls one. Where the order of initialisation
    matters, add ``ImportKind.IMPLIED``: then each component holds all modules that can meet one another half-loaded.
    """
    seen: set[tuple[str, ...]] = set()
    found: list[Component] = []
    taken = {ImportKind.IMPLIED} & set(kinds)
    for name, kind in _LAYERS:
        if kind not in kinds:
            continue
        taken.add(kind)
        components = _components(graph.edges(taken))
        found.extend(Component(modules, name) for modules in components if modules not in seen)
        seen.update(components)
    return tuple(found)


def _components(edges: Iterable[tuple[str, str]]) -> list[tuple[str, ...]]:
    digraph: networkx.DiGraph[str] = networkx.DiGraph()
    digraph.add_edges_from(edges)
    components = [tuple(sorted(component)) for component in networkx.strongly_connected_components(digraph)]
    return sorted((component for component in components if len(component) > 1), key=lambda one: (-len(one), one))
