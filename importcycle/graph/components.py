"""Strongly connected components: the sets of modules that import one another in a circle."""

from __future__ import annotations

from collections.abc import Collection
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
    digraph: networkx.DiGraph[str] = networkx.DiGraph()
    edges = _edges_by_kind(graph, kinds)
    for name, kind in _LAYERS:
        digraph.add_edges_from(edges[kind])
        components = _components(digraph) if edges[kind] else []
        found.extend(Component(modules, name) for modules in components if modules not in seen)
        seen.update(components)
    return tuple(found)


def _edges_by_kind(graph: ImportGraph, kinds: Collection[ImportKind]) -> dict[ImportKind, list[tuple[str, str]]]:
    """Each edge that counts, under the first of the layers at which it exists."""
    edges: dict[ImportKind, list[tuple[str, str]]] = {kind: [] for _, kind in _LAYERS}
    for importer, imported in graph.digraph.edges:
        sites = graph.sites(importer, imported)
        statements = {site.statement for site in sites if site.counts_among(kinds)}
        for kind in edges:
            if kind in statements:
                edges[kind].append((importer, imported))
                break
    return edges


def _components(digraph: networkx.DiGraph[str]) -> list[tuple[str, ...]]:
    components = [tuple(sorted(component)) for component in networkx.strongly_connected_components(digraph)]
    return sorted((component for component in components if len(component) > 1), key=lambda one: (-len(one), one))
