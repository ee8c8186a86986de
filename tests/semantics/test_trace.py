"""What a trace says is initialised is what CPython runs, in the same order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from importcycle.importing import trace_entry
from importcycle.project.model import ModuleKind
from tests.judge import Judge, find_interpreters
from tests.judge.tree import project_of

from .facts import Fixture, fixtures


@pytest.fixture(scope="module")
def newest() -> Iterator[Judge]:
    with Judge(find_interpreters()[-1]) as asked:
        yield asked


def of_one_world() -> Sequence[Fixture]:
    return [fixture for fixture in fixtures() if not fixture.variables and fixture.fact != "platform"]


@pytest.mark.parametrize("fixture", of_one_world(), ids=lambda fixture: fixture.name)
def test_modules_are_initialised_in_the_same_order(fixture: Fixture, newest: Judge) -> None:
    project = project_of(fixture.root, newest.interpreter.version)
    for verdict in newest.ask(fixture.root, sorted(project.modules)):
        events, _ = trace_entry(project, verdict.entry)
        traced = [event.target for event in events if event.initialises]
        run = [name for name, _ in verdict.executed]
        # No statement of the tree imports the entry and its parents; a dotted import initialises parents unsaid.
        unsaid = {verdict.entry, *parents(verdict.entry), *(name for target in traced for name in parents(target))}
        assert set(run) - set(traced) <= unsaid, verdict.entry
        namespaces = {name for name, module in project.modules.items() if module.kind is ModuleKind.NAMESPACE}
        assert is_subsequence([name for name in traced if name not in namespaces], run), verdict.entry


def parents(name: str) -> Iterator[str]:
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


def is_subsequence(part: Sequence[str], whole: Sequence[str]) -> bool:
    rest = iter(whole)
    return all(name in rest for name in part)
