"""Every world of an entry: the run is replayed with each combination of values of its unknown tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from importcycle.evaluate.frames import Guard
from importcycle.evaluate.signals import Miss
from importcycle.importing.recording import Recorder
from importcycle.importing.runs import Outcome, Repairs, run_world
from importcycle.importing.sources import Sources
from importcycle.project.model import Project

MOST_WORLDS = 128
MOST_REPAIRS = 6
"""How many times what lies behind hidden failures is looked for."""


class TooManyWorldsError(Exception):
    """The entry has more worlds, or takes more steps, than are played one by one."""


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happens to an entry in some of its worlds."""

    miss: Miss
    outcome: Outcome
    conditions: tuple[Guard, ...]
    is_certain: bool


def play_worlds(
    project: Project, sources: Sources, entry: str, recorder: Recorder, most_steps: int, is_script: bool = False
) -> tuple[list[Outcome], int]:
    """The outcome in each world, and the steps taken. Raises TooManyWorldsError."""
    outcomes: list[Outcome] = []
    script: list[bool] = []
    flipped: list[bool] = []
    steps = 0
    while True:
        outcome, interpreter = run_world(project, sources, entry, script, is_script)
        outcome = _with_cause(project, sources, outcome, is_script)
        outcomes.append(outcome)
        steps += interpreter.machine.steps
        _gather(recorder, interpreter.recorder)
        recorder.cuts |= interpreter.machine.cuts
        if len(outcomes) > MOST_WORLDS or steps > most_steps or not outcome.is_complete:
            raise TooManyWorldsError
        values = [guard.value for guard in outcome.decisions]
        flipped = flipped[: len(values)] + [False] * (len(values) - len(flipped))
        while values and flipped[-1]:
            values.pop()
            flipped.pop()
        if not values:
            return outcomes, steps
        values[-1] = not values[-1]
        flipped[-1] = True
        script = values


def _with_cause(project: Project, sources: Sources, outcome: Outcome, is_script: bool) -> Outcome:
    """An error that is no miss itself may be the consequence of one that was hidden: see whether it goes with it."""
    losses = [loss.miss for loss in outcome.losses]
    hidden = losses + [each.miss for each in outcome.swallowed]
    if outcome.crash is not None or outcome.error_type is None or not hidden:
        return outcome
    replay = _Replay(project, sources, outcome, is_script)
    if not replay.succeeds(_names_of(hidden)):
        return outcome
    cause = _cause(replay, [each.miss for each in outcome.swallowed], losses)
    rest = tuple(each for each in outcome.swallowed if each.miss is not cause)
    if cause in losses:
        names = cause.name.split(", ")
        name = next((name for name in names if replay.succeeds({(cause.module, name)}, 1)), names[0])
        cause = replace(cause, name=name, error_type=outcome.error_type)
    return replace(outcome, crash=cause, swallowed=rest)


def _cause(replay: _Replay, swallowed: Sequence[Miss], losses: Sequence[Miss]) -> Miss:
    """What the error goes with: rather an exception that was hidden than names that a star import left out."""
    for misses, rounds in ((swallowed, 1), (swallowed, MOST_REPAIRS), (losses, 1)):
        for each in reversed(misses):
            if replay.succeeds(_names_of([each]), rounds, with_losses=misses is losses):
                return each
    return [*losses, *swallowed][-1]


@dataclass(frozen=True, slots=True)
class _Replay:
    """The run of a world that ended with an error, once more with names taken as bound that were asked in vain."""

    project: Project
    sources: Sources
    outcome: Outcome
    is_script: bool

    def succeeds(self, names: set[tuple[str, str]], rounds: int = MOST_REPAIRS, *, with_losses: bool = True) -> bool:
        """Whether the error is gone then; what is hidden behind is taken as bound, too, in so many rounds.

        Without `with_losses` that is not done for names that star imports left out.
        """
        return any(self._is_gone(set(names), rounds, preferred, with_losses) for preferred in (None, True))

    def _is_gone(self, names: set[tuple[str, str]], rounds: int, preferred: bool | None, with_losses: bool) -> bool:
        for _ in range(rounds):
            again = self._run(frozenset(names), preferred)
            before = self.outcome
            is_same = (again.error_type, again.error_site) == (before.error_type, before.error_site)
            if not is_same or again.crash is not None:
                return True
            lost = [loss.miss for loss in again.losses] if with_losses else []
            behind = _names_of([*(each.miss for each in again.swallowed), *lost]) - names
            if not behind:
                return False
            names |= behind
        return False

    def _run(self, names: frozenset[tuple[str, str]], preferred: bool | None) -> Outcome:
        expected = {guard.key: guard.value for guard in self.outcome.decisions}
        repairs = Repairs(names, expected, preferred)
        return run_world(self.project, self.sources, self.outcome.entry, (), self.is_script, repairs)[0]


def _names_of(misses: Sequence[Miss]) -> set[tuple[str, str]]:
    return {(miss.module, name) for miss in misses for name in miss.name.split(", ")}


def _gather(recorder: Recorder, run: Recorder) -> None:
    """Keep what one world showed; of a thing seen in several worlds, that with the fewest conditions."""
    for key, seen in run.deferred.items():
        known = recorder.deferred.get(key)
        if known is None or len(seen.guards) < len(known.guards):
            recorder.deferred[key] = seen
    for survival_key, miss in run.survivals.items():
        survivor = recorder.survivals.get(survival_key)
        if survivor is None or len(miss.guards) < len(survivor.guards):
            recorder.survivals[survival_key] = miss
    recorder.opaque.update(run.opaque)
    recorder.edges |= run.edges


def happenings(
    outcomes: Sequence[Outcome], found: Iterable[tuple[tuple[object, ...], Miss, Outcome]]
) -> list[Happening]:
    """Group what happened in the worlds by its key, each with conditions that single out its worlds."""
    groups: dict[tuple[object, ...], list[tuple[Miss, Outcome]]] = {}
    for key, miss, outcome in found:
        groups.setdefault(key, []).append((miss, outcome))
    result = []
    for members in groups.values():
        inside = {id(outcome) for _, outcome in members}
        others = [outcome for outcome in outcomes if id(outcome) not in inside]
        covered: list[dict[str, bool]] = []
        for miss, outcome in members:
            values = {guard.key: guard.value for guard in outcome.decisions}
            if any(_implied(values, conditions) for conditions in covered):
                continue
            conditions = _singled_out(outcome, miss, others)
            covered.append({guard.key: guard.value for guard in conditions})
            result.append(Happening(miss, outcome, conditions, not others))
    return result


def _implied(values: dict[str, bool], conditions: dict[str, bool]) -> bool:
    return all(values.get(key) == value for key, value in conditions.items())


def _singled_out(outcome: Outcome, miss: Miss, others: Sequence[Outcome]) -> tuple[Guard, ...]:
    """The fewest of the world's decisions that no other kind of world shares, in order.

    A test without which another one that is kept could not be evaluated is kept, too.
    """
    on_path = {guard.key for guard in miss.guards}
    kept = list(outcome.decisions)
    for guard in sorted(outcome.decisions, key=lambda guard: (bool(guard.enables), guard.key in on_path)):
        rest = [each for each in kept if each is not guard]
        if guard.enables and any(guard.enables in each.key for each in rest):
            continue
        if not any(_is_consistent(rest, other.decisions) for other in others):
            kept = rest
    return tuple(kept)


def _is_consistent(conditions: Sequence[Guard], decisions: Sequence[Guard]) -> bool:
    values = {guard.key: guard.value for guard in decisions}
    return all(values.get(guard.key, guard.value) == guard.value for guard in conditions)
