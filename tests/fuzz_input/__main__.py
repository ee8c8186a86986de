"""The long run: ``python -m tests.fuzz_input --inputs 50000 --seed 1``."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from .running import run_inputs


def main() -> int:
    """Run, print what was found, and give the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz_input", description=__doc__)
    parser.add_argument("--inputs", type=int, default=50_000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--save", type=Path, help="keep the inputs that fail in this folder")
    options = parser.parse_args()
    begun = time.monotonic()
    tally = run_inputs(options.seed, options.inputs, jobs=options.jobs, kept=options.save)
    minutes = (time.monotonic() - begun) / 60
    seconds, number = tally.slowest
    print(f"{tally.inputs} inputs in {minutes:.1f} minutes, {len(tally.failures)} failed")
    print(f"the slowest, number {number}, took {seconds:.1f} s of processor time")
    for number, reason in sorted(tally.failures.items()):
        print(f"{number}: {reason}")
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
