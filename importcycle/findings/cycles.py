"""Cycles of the import graph, each with a short closed walk through it that a user can follow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import networkx

from importcycle.findings.model import CycleKind, ImportCycle
from importcycle.graph import Component, ImportGraph, ImportKind, ImportSite, strongly_connected_components
from importcycle.importing.outcomes import Site, Step, StepKind
from importcycle.project import Project, SourceError, decode_source, read_source

_LAYERS = {
    CycleKind.EAGER: (ImportKind.EAGER,),
    CycleKind.DEFERRED: (ImportKind.EAGER, ImportKind.DEFERRED),
    CycleKind.TYPING: (ImportKind.EAGER, ImportKind.DEFERRED, ImportKind.TYPING),
}
_LINE_END = re.compile(r"\r\n|\r|\n")
_EDGES_TRIED = 50
"""Of a large component, so many edges are tried for the shortest walk."""


def import_cycles(project: Project, graph: ImportGraph) -> tuple[ImportCycle, ...]:
    """The cycles that modules of the target are in: those of module-level imports first, then the larger first."""
    lines = _SourceLines(project)
    return tuple(
        _cycle(component, graph, lines, project)
        for component in strongly_connected_components(graph)
        if not all(map(project.is_followed, component.modules))
    )


class _SourceLines:
    """Lines of source files, each file read once."""

    def __init__(self, project: Project) -> None:
        self._modules = project.modules
        self._lines: dict[str, list[str]] = {}

    def step(self, module: str, line: int, kind: StepKind) -> Step:
        """The step of a statement at module level or in a function."""
        if module not in self._lines:
            self._lines[module] = self._read(module)
        lines = self._lines[module]
        text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
        return Step(kind, Site(module, self._modules[module].display_path, max(line, 1)), text)

    def _read(self, module: str) -> list[str]:
        try:
            # Not str.splitlines, which breaks lines where Python does not.
            return _LINE_END.split(decode_source(read_source(self._modules[module])))
        except SourceError:
            return []


def _cycle(component: Component, graph: ImportGraph, lines: _SourceLines, project: Project) -> ImportCycle:
    kind = CycleKind(component.kind)
    walk = _short_walk(component, kind, graph, [name for name in component.modules if not project.is_followed(name)])
    edges = zip(walk, [*walk[1:], walk[0]], strict=True)
    example = tuple(_step(importer, imported, kind, graph, lines) for importer, imported in edges)
    return ImportCycle(kind, component.modules, example)


def _short_walk(component: Component, kind: CycleKind, graph: ImportGraph, own: Sequence[str]) -> list[str]:
    """The modules of a short closed walk, through one of the target's own, over an edge that closes the cycle."""
    layers = _LAYERS[kind]
    own_modules = set(own)
    edges = [(a, b) for a, b in _edges_among(component.modules, graph) if _site(graph.sites(a, b), layers) is not None]
    digraph: networkx.DiGraph[str] = networkx.DiGraph(edges)
    closing = [(a, b) for a, b in edges if _site(graph.sites(a, b), layers[:-1]) is None]
    closing.sort(key=lambda edge: own_modules.isdisjoint(edge))
    walks: list[list[str]] = []
    for importer, imported in closing[:_EDGES_TRIED]:
        walk = networkx.shortest_path(digraph, imported, importer)
        if own_modules.isdisjoint(walk):
            there, back = (networkx.shortest_path(digraph, *ends) for ends in ((imported, own[0]), (own[0], importer)))
            walk = [*there, *back[1:]]
        walks.append(walk)
        if len(walk) == 2:
            break
    return min(walks, key=lambda walk: (len(walk), walk))


def _edges_among(modules: Iterable[str], graph: ImportGraph) -> list[tuple[str, str]]:
    inside = set(modules)
    return sorted((a, b) for a in inside for b in graph.digraph.successors(a) if b in inside and a != b)


def _site(sites: Iterable[ImportSite], kinds: tuple[ImportKind, ...]) -> ImportSite | None:
    return next((site for site in sites if site.counts_among(kinds)), None)


def _step(importer: str, imported: str, kind: CycleKind, graph: ImportGraph, lines: _SourceLines) -> Step:
    sites = graph.sites(importer, imported)
    site = next(found for found in (_site(sites, (layer,)) for layer in _LAYERS[kind]) if found is not None)
    step_kind = StepKind.DEFERRED_IMPORT if site.kind is ImportKind.DEFERRED else StepKind.IMPORT
    return lines.step(importer, site.line, step_kind)
