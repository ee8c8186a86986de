"""Finds the CPythons of this machine that can be asked."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

SUPPORTED = ((3, 10), (3, 11), (3, 12), (3, 13))
QUESTION = "import sys; print(sys.implementation.name, *sys.version_info[:2], getattr(sys, '_base_executable', ''))"


@dataclass(frozen=True, slots=True)
class Interpreter:
    """One CPython: its version and its executable."""

    version: tuple[int, int]
    executable: Path

    def __str__(self) -> str:
        return "cpython" + ".".join(map(str, self.version))


@lru_cache(maxsize=1)
def find_interpreters() -> tuple[Interpreter, ...]:
    """One CPython for each supported version that is there, oldest first; never empty when run by a supported one."""
    found: dict[tuple[int, int], Interpreter] = {}
    for candidate in _candidates():
        interpreter = _ask(candidate)
        if interpreter is not None and interpreter.version in SUPPORTED:
            found.setdefault(interpreter.version, interpreter)
    return tuple(found[version] for version in sorted(found))


def _candidates() -> Iterator[Path]:
    yield Path(sys.executable)
    for major, minor in SUPPORTED:
        on_path = shutil.which(f"python{major}.{minor}")
        if on_path:
            yield Path(on_path)
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    for major, minor in SUPPORTED:
        yield from sorted(versions.glob(f"{major}.{minor}*/bin/python{major}.{minor}"), reverse=True)


def _ask(executable: Path) -> Interpreter | None:
    """What the executable says of itself; ``None`` when it does not run (a pyenv shim without a version, say)."""
    try:
        answer = subprocess.run(
            [str(executable), "-I", "-c", QUESTION], capture_output=True, text=True, timeout=30, check=True
        ).stdout.split()
    except (OSError, subprocess.SubprocessError):
        return None
    if len(answer) < 3 or answer[0] != "cpython":
        return None
    # The base interpreter, so that a virtual environment's packages play no part.
    base = Path(answer[3]) if len(answer) > 3 else executable
    return Interpreter((int(answer[1]), int(answer[2])), base)
