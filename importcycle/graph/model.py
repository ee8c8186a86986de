"""The import graph: which module imports which, where, and whether that happens at import."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import networkx


class ImportKind(Enum):
    """When an import runs."""

    EAGER = "eager"
    """While the importing module is initialised: it stands at module level or in a class body."""
    DEFERRED = "deferred"
    """Not by importing the module alone: in a function, under ``if __name__ == "__main__"``, or a ``lazy import``."""
    TYPING = "typing"
    """Never: under ``if TYPE_CHECKING`` or another test that is always false."""
    IMPLIED = "implied"
    """As part of another import, since importing ``a.b.c`` first initialises ``a`` and ``a.b``."""


RUNTIME_KINDS = frozenset({ImportKind.EAGER, ImportKind.DEFERRED, ImportKind.IMPLIED})
"""The kinds that can run: what can fail lies on these edges."""
STATEMENT_KINDS = frozenset({ImportKind.EAGER, ImportKind.DEFERRED, ImportKind.TYPING})
"""The kinds that a statement names: what is shown to users as a cycle lies on these edges."""


@dataclass(frozen=True, slots=True, order=True)
class ImportSite:
    """A place where one module imports another."""

    line: int
    """The line on which the statement begins; 0 when no statement is needed, as for a module's own package."""
    kind: ImportKind = field(compare=False)
    statement: ImportKind = field(compare=False)
    """The kind of the statement itself; another one than ``kind`` only for implied imports."""

    def counts_among(self, kinds: Collection[ImportKind]) -> bool:
        """Whether the import is of these kinds; an implied one needs its statement's kind as well."""
        return self.kind in kinds and self.statement in kinds


@dataclass(frozen=True, slots=True)
class ImportGraph:
    """The imports between the modules of a project."""

    digraph: networkx.DiGraph[str]
    """Every module of the project is a node; each edge from importer to imported has its ``sites``."""
    unparsable: Mapping[str, str] = field(default_factory=dict)
    """Display paths of files that no parser takes, each with the reason."""

    def sites(self, importer: str, imported: str) -> tuple[ImportSite, ...]:
        """The places where one module imports the other, in the order of lines; empty when it does not."""
        attributes = self.digraph.get_edge_data(importer, imported)
        return tuple(attributes["sites"]) if attributes is not None else ()

    def edges(self, kinds: Collection[ImportKind] = STATEMENT_KINDS) -> Iterator[tuple[str, str]]:
        """(importer, imported) of each edge that has a site of these kinds, sorted."""
        for importer, imported in sorted(self.digraph.edges):
            if any(site.counts_among(kinds) for site in self.digraph.edges[importer, imported]["sites"]):
                yield importer, imported
