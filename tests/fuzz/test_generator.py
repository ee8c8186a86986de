"""The generated packages themselves: sound but for the order of their imports, and failing in many ways."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.judge import Cause, Judge, Verdict, find_interpreters, worlds_of
from tests.judge.tree import modules_of

from .choices import RandomChoices
from .generate import generate
from .package import GeneratedPackage
from .soundness import is_sound

PACKAGES = 300


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge(find_interpreters()[-1]) as asked:
        yield asked


def ask(judge: Judge, package: GeneratedPackage, folder: Path, shared: bool) -> list[Verdict]:
    package.save(folder)
    entries = sorted(modules_of(folder))
    return judge.ask(folder, entries, package.scripts, worlds_of(package.variables), shared=shared)


def test_they_fail_often_in_many_ways_and_only_because_of_cycles(judge: Judge, tmp_path: Path) -> None:
    failing = 0
    seen: Counter[tuple[str | None, Cause]] = Counter()
    for number in range(PACKAGES):
        package = generate(RandomChoices(f"ways:{number}"))
        verdicts = ask(judge, package, tmp_path / str(number), shared=True)
        assert is_sound(package, verdicts), str(package)
        failing += any(verdict.fails for verdict in verdicts)
        seen.update({(verdict.error_type, verdict.cause) for verdict in verdicts})
    assert 0.25 < failing / PACKAGES < 0.65
    for error_type in ("ImportError", "AttributeError", "NameError"):
        assert seen[error_type, Cause.DIRECT] > 0
    assert sum(count for (_, cause), count in seen.items() if cause is Cause.FOLLOW_UP) > 0


def test_one_child_for_all_imports_is_as_good_as_one_for_each(judge: Judge, tmp_path: Path) -> None:
    for number in range(40):
        package = generate(RandomChoices(f"children:{number}"))
        folder = tmp_path / str(number)
        assert ask(judge, package, folder, shared=True) == ask(judge, package, folder, shared=False), str(package)
