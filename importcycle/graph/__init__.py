"""The graph of imports between modules: Grimp's, completed, with each edge's kind and its components."""

from importcycle.graph.building import build_import_graph, sites_of_module
from importcycle.graph.components import Component, strongly_connected_components
from importcycle.graph.model import RUNTIME_KINDS, STATEMENT_KINDS, ImportGraph, ImportKind, ImportSite

__all__ = [
    "RUNTIME_KINDS",
    "STATEMENT_KINDS",
    "Component",
    "ImportGraph",
    "ImportKind",
    "ImportSite",
    "build_import_graph",
    "sites_of_module",
    "strongly_connected_components",
]
