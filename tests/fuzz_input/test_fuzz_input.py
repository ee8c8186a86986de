"""A share of the long run, for every change: no exception escapes, and no input takes more than its budget."""

from __future__ import annotations

from pathlib import Path

from .check import write_input
from .running import run_inputs

INPUTS = 400


def test_the_same_seed_gives_the_same_input(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_input(tmp_path / name, "seed", 7)
    assert (tmp_path / "one/shop/a.py").read_bytes() == (tmp_path / "two/shop/a.py").read_bytes()


def test_mutated_sources_go_through_the_whole_scan() -> None:
    tally = run_inputs("ci", INPUTS)
    assert tally.inputs == INPUTS
    assert tally.failures == {}
