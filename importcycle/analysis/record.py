"""The result of an analysis with all that it followed from, as it is kept in the cache."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from importcycle.cache import Cache, UnknownContent, classes_of, digest_of, pack, tool_identity, unpack
from importcycle.findings import model as findings_model
from importcycle.findings.model import ImportCycle
from importcycle.importing import outcomes
from importcycle.importing.outcomes import SimulationReport

if TYPE_CHECKING:
    from importcycle.graph import ImportGraph
    from importcycle.ir import ModuleCode

Lines = tuple[int, int]
"""First and last line of a function."""
Edge = tuple[str, int, str, str]
"""What is imported, the line, the kind, and the kind of the statement."""


@dataclass(frozen=True, slots=True)
class RecordKey:
    """What has to be the same for a record to say anything."""

    layout: bytes
    entries: tuple[str, ...] | None
    scripts: tuple[str, ...]

    def digest(self, purpose: bytes) -> bytes:
        """The key in the cache."""
        described = repr((self.entries, self.scripts)).encode("utf-8", "surrogatepass")
        return digest_of(purpose, tool_identity(), self.layout, described)


@dataclass(frozen=True, slots=True)
class LoweredFunction:
    """A function whose body was looked at."""

    first: int
    last: int
    digest: bytes
    """Of its lines."""

    @classmethod
    def of(cls, code: ModuleCode, first: int, last: int) -> LoweredFunction:
        """The function on these lines of a module."""
        lines = "\n".join(code.source.lines[first - 1 : last])
        return cls(first, last, digest_of(lines.encode("utf-8", "surrogatepass")))


def lowered_functions(code: ModuleCode) -> tuple[LoweredFunction, ...]:
    """The functions of a module whose bodies were looked at; those inside of others are parts of these."""
    found: list[LoweredFunction] = []
    for first, last in sorted(code.source.lowered, key=lambda lines: (lines[0], -lines[1])):
        if not found or first > found[-1].last:
            found.append(LoweredFunction.of(code, first, last))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Record:
    """One analysis."""

    simulation: SimulationReport
    cycles: tuple[ImportCycle, ...]
    digests: Mapping[str, bytes]
    """What stood for the content of each module."""
    lowered: Mapping[str, tuple[LoweredFunction, ...]]
    """For each module that was simulated, the functions that were called."""
    listed: frozenset[str]
    """Modules all of whose names were asked for."""
    missed: frozenset[str]
    """Names that a module was asked for and does not have."""


def load_record(cache: Cache, key: RecordKey) -> Record | None:
    """The record of the last analysis with this key."""
    record = _loaded(cache, key.digest(b"record"))
    return record if isinstance(record, Record) else None


def load_edges(cache: Cache, key: RecordKey) -> dict[str, list[Edge]]:
    """The imports of each module at the time of that analysis."""
    edges = _loaded(cache, key.digest(b"edges"))
    return edges if isinstance(edges, dict) else {}


def save_record(cache: Cache, key: RecordKey, record: Record, edges: Mapping[str, list[Edge]]) -> None:
    """Keep a record for the next analysis with the same key."""
    cache.put_all({key.digest(b"record"): pack(record), key.digest(b"edges"): pack(dict(edges))})


def edges_of(graph: ImportGraph) -> dict[str, list[Edge]]:
    """The imports of each module, in the form in which they are kept."""
    found: dict[str, list[Edge]] = {}
    for importer, imported in graph.digraph.edges:
        listed = found.setdefault(importer, [])
        listed += [
            (imported, site.line, site.kind.value, site.statement.value) for site in graph.sites(importer, imported)
        ]
    return {importer: sorted(listed) for importer, listed in found.items()}


def _loaded(cache: Cache, key: bytes) -> Any:
    """What is kept under the key; ``None`` if there is nothing, or nothing of this tool."""
    data = cache.get(key)
    try:
        return unpack(data, _classes()) if data is not None else None
    except UnknownContent:
        return None


@lru_cache(maxsize=1)
def _classes() -> Mapping[tuple[str, str], type]:
    return classes_of(outcomes, findings_model, sys.modules[__name__])
