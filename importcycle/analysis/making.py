"""The analysis of files of which the cache knows nothing that still holds: simulation, beside the import graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import suppress
from dataclasses import dataclass, field, replace

from importcycle.analysis.record import Edge, Record, edges_of, lowered_functions
from importcycle.analysis.workers import submitted
from importcycle.cache import Cache
from importcycle.findings import ImportCycle
from importcycle.findings.cycles import import_cycles
from importcycle.graph import build_import_graph
from importcycle.importing.outcomes import SimulationReport
from importcycle.importing.simulation import simulate
from importcycle.importing.sources import Sources
from importcycle.ir import CodeShelf
from importcycle.project.contents import source_modules
from importcycle.project.model import Module, Project

Progress = Callable[[int, int], None]
BYTES_FOR_OTHER_PROCESSES = 1_500_000
"""Smaller sources are done before another process has begun."""


@dataclass(frozen=True, slots=True)
class GraphFacts:
    """What an analysis needs of the import graph."""

    cycles: tuple[ImportCycle, ...] = ()
    invalid: Mapping[str, str] = field(default_factory=dict)
    """Display paths of files that no parser takes, with the reason."""
    edges: Mapping[str, list[Edge]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Made:
    """What an analysis gave, and what it followed from."""

    record: Record
    edges: Mapping[str, list[Edge]]
    is_steady: bool
    """Whether no file was changed while it was being looked at."""


def make(
    project: Project,
    entries: Sequence[str] | None,
    scripts: Sequence[str],
    cache: Cache,
    digests: Mapping[str, bytes],
    executor: Executor | None,
    progress: Progress | None,
) -> Made:
    """Simulate the imports of a project and find its cycles; for the arguments see ``analyse``.

    `digests` has what stands for the content of each source module, if the cache is to be used.
    """
    shelf = CodeShelf(cache)
    workers = executor if _is_large(project) else None
    graph = _Graph(project, workers)
    if workers is not None or digests:
        chosen = [*entries, *scripts] if entries is not None else None
        shelf.prepare(_in_order(project), chosen, digests, workers, graph.begin)
    facts = graph.facts() if workers is None else GraphFacts()
    sources = Sources(project, shelf, facts.invalid)
    simulation = simulate(project, entries=entries, scripts=scripts, progress=progress, sources=sources)
    if workers is not None:
        facts = graph.facts()
        if any(module.display_path in facts.invalid for module in _simulated(project, sources)):
            sources = Sources(project, shelf, facts.invalid)
            simulation = simulate(project, entries=entries, scripts=scripts, progress=progress, sources=sources)
    # Bodies of functions that no entry calls have been seen by the graph's parsers alone.
    simulation = replace(simulation, unparsable={**facts.invalid, **simulation.unparsable})
    is_steady = all(digests.get(name) == digest for name, digest in shelf.digests.items())
    shelf.close()
    return Made(_record(simulation, facts.cycles, digests, sources), facts.edges, is_steady)


def graph_facts(project: Project) -> GraphFacts:
    """Build the import graph, and find what is needed of it."""
    graph = build_import_graph(project)
    return GraphFacts(import_cycles(project, graph), graph.unparsable, edges_of(graph))


@dataclass(slots=True)
class _Graph:
    """The import graph of a project, which another process builds if there is one: beside the simulation."""

    project: Project
    workers: Executor | None
    _future: Future[GraphFacts] | None = None

    def begin(self) -> None:
        """Give the work away."""
        self._future = submitted(self.workers, graph_facts, self.project)

    def facts(self) -> GraphFacts:
        """What is needed of the graph; built here if nobody has begun."""
        if self._future is not None and not self._future.cancel():
            with suppress(BrokenExecutor, CancelledError):  # else the process is gone
                return self._future.result()
        return graph_facts(self.project)


def _record(
    simulation: SimulationReport, cycles: tuple[ImportCycle, ...], digests: Mapping[str, bytes], sources: Sources
) -> Record:
    lowered = {name: lowered_functions(code) for name, code in sources.codes.items() if code is not None}
    asked = sources.asked
    return Record(simulation, cycles, digests, lowered, frozenset(asked.listed), frozenset(asked.missed))


def _simulated(project: Project, sources: Sources) -> list[Module]:
    return [project.modules[name] for name, code in sources.codes.items() if code is not None]


def _in_order(project: Project) -> list[Module]:
    """The sources, about in the order in which they will be simulated."""
    return sorted(source_modules(project), key=lambda module: (module.name.count("."), module.name))


def _is_large(project: Project) -> bool:
    size = 0
    for module in source_modules(project):
        try:
            size += module.path.stat().st_size
        except OSError:
            continue
        if size > BYTES_FOR_OTHER_PROCESSES:
            return True
    return False
