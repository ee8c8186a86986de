"""The syntax of Python, of any version: from text to the standard library's syntax tree."""

from importcycle.project.syntax.newer import TemplateString, TryStar, TypeAlias
from importcycle.project.syntax.parsing import UnparsableError, parse

__all__ = ["TemplateString", "TryStar", "TypeAlias", "UnparsableError", "parse"]
