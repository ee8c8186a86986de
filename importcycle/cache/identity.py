"""What made a fact: facts of another version of the tool or of Python are never taken for one's own."""

from __future__ import annotations

import platform
import sys
from functools import lru_cache
from pathlib import Path

from importcycle.cache.store import digest_of


@lru_cache(maxsize=1)
def tool_identity() -> bytes:
    """Stands for the running Python and for this tool as it is installed, down to a changed line of it."""
    package = Path(__file__).resolve().parent.parent
    parts = [platform.python_implementation().encode(), sys.version.encode()]
    for file in sorted(package.rglob("*.py")):
        parts += (file.relative_to(package).as_posix().encode(), file.read_bytes())
    return digest_of(*parts)
