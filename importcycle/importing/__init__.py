"""The model of CPython's import system: simulated imports of every entry, and what they gave.

The simulation is loaded at first use: what it gave (``outcomes``) is also looked at where nothing is simulated.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importcycle.importing.simulation import simulate as simulate
    from importcycle.importing.simulation import trace_entry as trace_entry
    from importcycle.importing.sources import Sources as Sources

__all__ = ["Sources", "simulate", "trace_entry"]

_HOMES = {"Sources": "sources", "simulate": "simulation", "trace_entry": "simulation"}


def __getattr__(name: str) -> object:
    """The public name, from the module that defines it."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{home}"), name)
