"""The comparison must see every sort of disagreement: one that is blind would call everything right."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from importcycle.importing.outcomes import Condition, Failure, FailureKind, SimulationReport, Site

from . import Judge, Verdict, find_interpreters, worlds_of
from .compare import disagreements
from .tree import modules_of, write_tree

PLAIN = {"p/__init__.py": "", "p/a.py": "import p.b\nX = 1\n", "p/b.py": "from p.a import X\n"}
CONDITIONAL = {**PLAIN, "p/a.py": "import os\nif os.environ.get('FAST'):\n    import p.b\nX = 1\n"}
SWALLOWED = {**PLAIN, "p/b.py": "try:\n    from p.a import X\nexcept ImportError:\n    X = None\n"}
FOLLOW_UP = {**PLAIN, "p/b.py": SWALLOWED["p/b.py"] + "Y = X + 1\n"}
FAST = {"FAST": (None, "1")}


def failure(
    kind: FailureKind = FailureKind.CRASH,
    name: str = "X",
    conditions: tuple[Condition, ...] = (),
    final_error: str | None = None,
) -> Failure:
    site = Site("p.b", "p/b.py", 1)
    return Failure(
        kind, "p.a", "ImportError", "p.a", name, site, None, (), (), conditions, not conditions, True,
        final_error=final_error,
    )  # fmt: skip


def kinds(
    files: Mapping[str, str],
    failures: tuple[Failure, ...],
    folder: Path,
    variables: Mapping[str, tuple[str | None, ...]] | None = None,
) -> set[str]:
    write_tree(folder, files)
    worlds = worlds_of(variables or {})
    with Judge(find_interpreters()[-1]) as judge:
        verdicts: list[Verdict] = judge.ask(folder, sorted(modules_of(folder)), worlds=worlds)
    report = SimulationReport(tuple(modules_of(folder)), failures, (), (), (), {}, frozenset())
    return {each.kind for each in disagreements(report, verdicts, worlds)}


def condition(test: str, value: bool = True) -> Condition:
    return Condition(test, value, "p/a.py", 2)


@pytest.mark.parametrize(
    ("files", "failures", "expected"),
    [
        (PLAIN, (failure(),), set()),
        (PLAIN, (), {"missed"}),
        (PLAIN, (failure(name="Y"),), {"identity"}),
        (SWALLOWED, (failure(FailureKind.SWALLOWED),), set()),
        (SWALLOWED, (), {"swallowed"}),
        (SWALLOWED, (failure(), failure(FailureKind.SWALLOWED)), {"false", "certainty"}),
        (FOLLOW_UP, (failure(final_error="TypeError"),), set()),
        (FOLLOW_UP, (failure(),), {"follow-up"}),
        (FOLLOW_UP, (), {"missed-follow-up"}),
    ],
)
def test_without_worlds(
    files: Mapping[str, str], failures: tuple[Failure, ...], expected: set[str], tmp_path: Path
) -> None:
    assert kinds(files, failures, tmp_path) == expected


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ((condition("os.environ.get('FAST')"),), set()),
        ((condition("not os.environ.get('FAST')", False),), set()),
        ((condition("os.environ['FAST'] == '1'"),), set()),
        ((condition("os.environ.get('FAST')", False),), {"missed", "false"}),
        ((), {"false", "certainty"}),
        ((condition("flags.FAST"),), {"condition"}),
    ],
)
def test_worlds(conditions: tuple[Condition, ...], expected: set[str], tmp_path: Path) -> None:
    assert kinds(CONDITIONAL, (failure(conditions=conditions),), tmp_path, FAST) == expected


STARTS = condition("os.environ.get('FAST', '').startswith('f')")
STARTS_OTHERWISE = condition("os.environ.get('FAST', '').startswith('f')", False)


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        (((STARTS_OTHERWISE,), (STARTS, condition("os.environ.get('FAST') == 'fast'"))), set()),  # "fx" imports
        (((STARTS_OTHERWISE,), (STARTS,)), {"certainty"}),
    ],
)
def test_worlds_that_cpython_was_not_asked_about(
    conditions: tuple[tuple[Condition, ...], ...], expected: set[str], tmp_path: Path
) -> None:
    failures = tuple(failure(conditions=each) for each in conditions)
    assert kinds(PLAIN, failures, tmp_path, {"FAST": (None, "fast")}) == expected
