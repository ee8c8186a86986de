"""The model of CPython's import system: simulated imports of every entry, and what they gave."""

from importcycle.importing.simulation import simulate, trace_entry

__all__ = ["simulate", "trace_entry"]
