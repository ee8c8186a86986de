"""importcycle: which import fails because of a cycle, when, by what path, and what fixes it."""

from __future__ import annotations

__version__ = "0.1.0"
