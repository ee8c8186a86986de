"""From targets to the packages, modules and files under analysis. Nothing of the target is imported."""

from importcycle.project.conditions import canonical_test
from importcycle.project.discovery import discover
from importcycle.project.errors import SourceError, TargetError
from importcycle.project.globs import PathPatterns
from importcycle.project.model import Module, ModuleKind, Project, Unreadable
from importcycle.project.source import (
    SOURCE_SIZE_LIMIT,
    decode_source,
    may_exhaust_parser,
    read_file,
    read_source,
    unify_line_ends,
)

__all__ = [
    "SOURCE_SIZE_LIMIT",
    "Module",
    "ModuleKind",
    "PathPatterns",
    "Project",
    "SourceError",
    "TargetError",
    "Unreadable",
    "canonical_test",
    "decode_source",
    "discover",
    "may_exhaust_parser",
    "read_file",
    "read_source",
    "unify_line_ends",
]
