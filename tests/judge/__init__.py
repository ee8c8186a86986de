"""Asks real CPythons what happens when a module is the first one imported."""

from __future__ import annotations

from .interpreters import Interpreter, find_interpreters
from .judge import Cause, Judge, Miss, Verdict, worlds_of

__all__ = ["Cause", "Interpreter", "Judge", "Miss", "Verdict", "find_interpreters", "worlds_of"]
