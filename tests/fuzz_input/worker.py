"""Checks some inputs in a process of its own: ``python -m tests.fuzz_input.worker SEED START COUNT FOLDER``."""

from __future__ import annotations

import resource
import shutil
import sys
import traceback
from pathlib import Path

from .check import check_input, write_input

MOST_MEMORY = 3_000_000_000


def main(seed: str, start: int, count: int, folder: Path) -> None:
    """Write a line for each input: its number before it is checked, then what it took or how it failed."""
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    for number in range(start, start + count):
        shutil.rmtree(folder, ignore_errors=True)
        write_input(folder, seed, number)
        print(number, end=" ", flush=True)
        try:
            print(f"{check_input(folder):.2f}", flush=True)
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            told = " ".join(str(error).split())
            print(f"failed {type(error).__name__}: {told} ({Path(place.filename).name}:{place.lineno})", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
