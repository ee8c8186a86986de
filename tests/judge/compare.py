"""Holds what the analyzer says of a tree against what CPython did."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace

from importcycle.importing.outcomes import Condition, Failure, FailureKind, SimulationReport

from .judge import Cause, Miss, StarLoss, Verdict, World, worlds_of
from .tree import name_of_script

Identity = tuple[str, str, str | None]
LEAVING = (FailureKind.CRASH, FailureKind.MISSING)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One point on which the analyzer and CPython differ."""

    kind: str
    """missed, false, identity, follow-up, unrelated, certainty, condition, swallowed or star."""
    entry: str
    world: str
    cpython: str
    analyzer: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.entry} [{self.world}]: CPython {self.cpython}; analyzer {self.analyzer}"


class NotEvaluable(Exception):
    """A condition that cannot be evaluated from the environment alone."""


Tests = Mapping[tuple[str, str], "bool | None"]
"""Values that CPython gave, by file and text of a test."""


def disagreements(
    report: SimulationReport,
    verdicts: Sequence[Verdict],
    worlds: Sequence[World],
    asked_tests: Sequence[tuple[str, str]] = (),
) -> Iterator[Disagreement]:
    """Every difference on whether, in which world and how an entry fails.

    ``asked_tests`` are those that CPython was asked to evaluate with the verdicts.
    """
    by_entry: dict[tuple[str, bool], list[Verdict]] = {}
    for verdict in verdicts:
        by_entry.setdefault((verdict.entry, verdict.script), []).append(verdict)
    modules = frozenset(part for verdict in verdicts for part in verdict.entry.split("."))
    for (entry, script), asked in by_entry.items():
        name = name_of_script(entry) if script else entry
        failures = [failure for failure in report.failures if (failure.entry, failure.script) == (name, script)]
        try:
            for verdict in asked:
                tests = dict(zip(asked_tests, verdict.tests, strict=True))
                world = worlds[verdict.world]
                happening = [failure for failure in failures if holds(failure, world, tests)]
                yield from _in_one_world(verdict, happening, world, modules)
        except NotEvaluable as error:
            yield Disagreement("condition", entry, "", _told(asked[0]), str(error))
        yield from _over_all_worlds(asked, failures, worlds)


def conditions_to_ask(report: SimulationReport, world: World) -> list[tuple[str, str]]:
    """The tests that need CPython, since they use names of their modules: file and text."""
    asked: dict[tuple[str, str], None] = {}
    for failure in report.failures:
        for condition in failure.conditions:
            try:
                condition_holds(condition, world, {})
            except NotEvaluable:
                asked[condition.path, condition.test] = None
    return list(asked)


def holds(failure: Failure, world: World, tests: Tests) -> bool:
    """Whether the failure's conditions hold in a world; raises NotEvaluable."""
    return all(condition_holds(condition, world, tests) for condition in failure.conditions)


def condition_holds(condition: Condition, world: World, tests: Tests) -> bool:
    """Whether the condition's test has its value in a world; raises NotEvaluable."""
    environment = {name: value for name, value in world.items() if value is not None}
    stand_in = SimpleNamespace(environ=environment, getenv=environment.get)
    names = {"os": stand_in, "environ": environment, "getenv": environment.get, "sys": sys, "platform": platform}
    told = tests.get((condition.path, condition.test))
    if told is not None:
        return told is condition.value
    try:
        return bool(eval(condition.test, names)) is condition.value
    except KeyError:
        return condition.value is False
    except Exception as error:
        raise NotEvaluable(f"{condition.test!r} ({condition.path}:{condition.line}): {error!r}") from error


def _in_one_world(
    verdict: Verdict, happening: Sequence[Failure], world: World, modules: frozenset[str]
) -> Iterator[Disagreement]:
    leaving = [failure for failure in happening if failure.kind in LEAVING]
    kind = None
    if verdict.cause is Cause.NONE:
        kind = "false" if leaving else None
    elif verdict.cause is Cause.DIRECT:
        if not leaving:
            kind = "missed"
        elif not any(_is_same(failure, verdict) for failure in leaving):
            kind = "identity"
    elif verdict.cause is Cause.FOLLOW_UP:
        if not any(_explains(failure, verdict) or _is_same(failure, verdict) for failure in leaving):
            kind = "follow-up" if leaving else "missed-follow-up"
    elif verdict.module is None and leaving and not verdict.star_losses:  # those may well have led to it
        kind = "unrelated"
    if kind is not None:
        yield Disagreement(kind, verdict.entry, _shown(world), _told(verdict), _said(leaving))
    yield from _swallowed(verdict, happening, world, modules)


def _explains(failure: Failure, verdict: Verdict) -> bool:
    """Whether the failure is one that CPython saw swallowed before another exception left, or that exception."""
    if (failure.final_error or failure.error_type) != verdict.error_type:
        return False
    swallowed = {
        (miss.error_type, miss.module, miss.name)
        for miss in verdict.swallowed
        if miss.half_loaded or any(_may_come_of(miss, star) for star in verdict.star_losses)
    }
    return identity_of(failure) in swallowed | {_identity(verdict)}


def _may_come_of(miss: Miss, star: StarLoss) -> bool:
    """Whether a module lacks a name that the star import should have given it, as far as that is known."""
    is_lost = not star.is_complete or miss.name in star.lost or miss.name in star.apart
    return miss.module == star.site[0] and (miss.error_type == "NameError" or is_lost)


def _is_same(failure: Failure, verdict: Verdict) -> bool:
    """Whether the failure is what left the import.

    For a NameError, the analyzer may rather tell why the name is not bound: the half-loaded module that a star import
    took too little from, or the failed import that was swallowed.
    """
    if identity_of(failure) == _identity(verdict):
        return True
    if verdict.error_type != "NameError":
        return False
    lost = {("NameError", star.module, verdict.name) for star in verdict.star_losses}
    return identity_of(failure) in lost or (bool(verdict.swallowed) and _explains(failure, verdict))


def _swallowed(
    verdict: Verdict, happening: Sequence[Failure], world: World, modules: frozenset[str]
) -> Iterator[Disagreement]:
    if verdict.cause is not Cause.NONE:
        return
    seen = {(miss.error_type, miss.module, miss.name) for miss in verdict.swallowed if miss.half_loaded}
    said = {identity_of(failure) for failure in happening if failure.kind is FailureKind.SWALLOWED}
    # An error about what a module lacks that should have come by a star import is a matter of taste, too.
    taste = {
        (miss.error_type, miss.module, miss.name)
        for miss in verdict.swallowed
        if miss.error_type == "NameError" or verdict.star_losses
    }
    missing = {identity for identity in said - seen - taste if not _is_missing_name(identity, happening)}
    if seen - said or missing:
        yield Disagreement("swallowed", verdict.entry, _shown(world), _list(seen), _list(said))
    lost = {(loss.module, name) for loss in verdict.star_losses for name in loss.lost}
    told = {
        (failure.module, name.strip())
        for failure in happening
        if failure.kind is FailureKind.STAR_LOSS
        for name in failure.name.split(",")
    }
    optional = {(loss.module, name) for loss in verdict.star_losses for name in loss.apart}
    unfinished = {loss.module for loss in verdict.star_losses if not loss.is_complete}
    wrong = {loss for loss in told - lost - optional if loss[0] not in unfinished and loss[1] not in modules}
    if lost - told or wrong:
        yield Disagreement("star", verdict.entry, _shown(world), _list(lost), _list(told))


def _is_missing_name(identity: Identity, happening: Sequence[Failure]) -> bool:
    return any(failure.suggestion is not None and identity_of(failure) == identity for failure in happening)


def _over_all_worlds(
    verdicts: Sequence[Verdict], failures: Sequence[Failure], worlds: Sequence[World]
) -> Iterator[Disagreement]:
    """An entry that fails in the same way in every world is certain; one that does not always fail is not."""
    identities = {_identity(verdict) if verdict.cause is Cause.DIRECT else None for verdict in verdicts}
    leaving = [failure for failure in failures if failure.kind in LEAVING]
    certain = [failure for failure in leaving if failure.certain and not failure.conditions]
    entry = verdicts[0].entry
    if len(identities) == 1 and None not in identities:
        same = [failure for failure in leaving if _is_same(failure, verdicts[0])]
        is_certain = any(failure.certain and failure.exact for failure in same)
        if same and not is_certain and _covers_all_worlds(same, list(worlds[0])):
            yield Disagreement("certainty", entry, "all", "always " + _told(verdicts[0]), _said(leaving))
    elif certain and not all(verdict.fails for verdict in verdicts):
        yield Disagreement("certainty", entry, "all", "does not always fail", _said(certain))


def _covers_all_worlds(failures: Sequence[Failure], variables: Sequence[str]) -> bool:
    """Whether, whatever the variables' values and the platform, the conditions of one of the failures hold."""
    if any("sys." in condition.test for failure in failures for condition in failure.conditions):
        return False
    tests = {condition.test for failure in failures for condition in failure.conditions}
    texts = sorted({text for test in tests for text in re.findall(r"'([^',]*)'", test)} - set(variables))
    near = [each for text in texts for each in (text, f"{text}x", f"x{text}")]
    values = tuple(dict.fromkeys([None, "", "0", "1", "fast", "slow", "yes", "other", *near]))
    try:
        return all(
            any(holds(failure, world, {}) for failure in failures)
            for world in worlds_of(dict.fromkeys(variables, values))
        )
    except NotEvaluable:
        return False


def identity_of(failure: Failure) -> Identity:
    return failure.error_type, failure.module, failure.name


def _identity(verdict: Verdict) -> Identity:
    return verdict.error_type or "", verdict.module or "", verdict.name


def _told(verdict: Verdict) -> str:
    if not verdict.fails:
        return "imports"
    swallowed = [f"{miss.error_type}({miss.module}, {miss.name})" for miss in verdict.swallowed if miss.half_loaded]
    behind = f" after {', '.join(swallowed)}" if swallowed else ""
    return f"{verdict.error_type}({verdict.module}, {verdict.name}) [{verdict.cause.value}]{behind}"


def _said(failures: Sequence[Failure]) -> str:
    return "; ".join(map(_sentence, failures)) or "nothing"


def _sentence(failure: Failure) -> str:
    final = f" leaving as {failure.final_error}" if failure.final_error else ""
    tests = " and ".join(f"({condition.test}) is {condition.value}" for condition in failure.conditions)
    flags = f"{'' if failure.certain else ' uncertain'}{'' if failure.exact else ' inexact'}"
    when = f" when {tests}" if tests else ""
    return f"{failure.kind.value} {failure.error_type}({failure.module}, {failure.name}){final}{when}{flags}"


def _shown(world: World) -> str:
    return ", ".join(f"{name}={'unset' if value is None else value}" for name, value in world.items())


def _list(items: set[Identity] | set[tuple[str, str]]) -> str:
    return ", ".join(sorted(map(str, items))) or "nothing"
