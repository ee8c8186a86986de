"""A share of the long run, for every change: generated packages agree with CPython."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings

from tests.judge import Judge, find_interpreters

from .check import check
from .choices import RandomChoices
from .generate import generate
from .package import GeneratedPackage
from .reduce import reduced
from .strategy import packages

SEED = "ci"
PACKAGES = 1000
EXAMPLES = 150


@pytest.fixture(scope="module")
def judges() -> Iterator[list[Judge]]:
    asked = [Judge(interpreter) for interpreter in find_interpreters()]
    yield asked
    for judge in asked:
        judge.close()


def test_the_same_seed_gives_the_same_package() -> None:
    first, second = (generate(RandomChoices("seed")) for _ in range(2))
    assert first == second


def test_every_package_is_valid_and_can_be_kept(tmp_path_factory: pytest.TempPathFactory) -> None:
    for number in range(50):
        package = generate(RandomChoices(f"valid:{number}"))
        folder = tmp_path_factory.mktemp("kept")
        package.save(folder)
        for path, text in package.files.items():
            ast.parse(text)
            assert (folder / path).read_text() == text
            assert f"## {path}\n{text}" in str(package)


def test_reducing_keeps_what_matters() -> None:
    package = next(
        package
        for package in (generate(RandomChoices(f"reduce:{number}")) for number in range(1000))
        if any("import_module" in text for text in package.files.values())
    )

    def still_fails(candidate: GeneratedPackage) -> bool:
        return any("import_module" in text for text in candidate.files.values())

    smaller = reduced(package, still_fails)
    assert still_fails(smaller)
    assert sum(map(len, smaller.files.values())) < 200


def test_seeded_packages_agree_with_cpython(judges: list[Judge]) -> None:
    for number in range(PACKAGES):
        package = generate(RandomChoices(f"{SEED}:{number}"))
        outcome = check(package, judges[number % len(judges)])
        assert not outcome.disagreements, f"{package}\n" + "\n".join(map(str, outcome.disagreements))
        assert not outcome.unexplained, str(package)


@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(package=packages())
def test_drawn_packages_agree_with_cpython(judges: list[Judge], package: GeneratedPackage) -> None:
    outcome = check(package, judges[-1])
    assert not outcome.disagreements, f"{package}\n" + "\n".join(map(str, outcome.disagreements))
