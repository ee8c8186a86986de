"""Simulated imports of all entries of a project."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence

import networkx

from importcycle.evaluate.signals import Miss
from importcycle.importing.deep_stack import with_deep_stack
from importcycle.importing.failures import FailureMaker
from importcycle.importing.outcomes import (
    Cut,
    DeferredImport,
    Event,
    EventKind,
    Failure,
    FailureKind,
    SimulationReport,
    Site,
    StepKind,
)
from importcycle.importing.recording import Recorder, condition_of, frames_within, innermost_body, site_of
from importcycle.importing.runs import Interpreter, Outcome
from importcycle.importing.sharing import SharedSimulation
from importcycle.importing.sources import Sources
from importcycle.importing.worlds import TooManyWorldsError, happenings, play_worlds
from importcycle.project.model import ModuleKind, Project

Progress = Callable[[int, int], None]
MOST_MODULES_IN_WORLDS = 60
MOST_BYTES_IN_WORLDS = 64_000
STEPS_IN_WORLDS = 1_500_000
"""Steps of all worlds of all entries before the entries are simulated together instead."""


def simulate(
    project: Project,
    *,
    entries: Sequence[str] | None = None,
    scripts: Sequence[str] = (),
    progress: Progress | None = None,
    sources: Sources | None = None,
) -> SimulationReport:
    """Import every entry (all modules of the target by default) first in a fresh, simulated interpreter.

    `scripts` are modules to be run as ``__main__`` as well. `progress` is called with the number of entries done and
    their total. `sources` gives the code of the modules, and knows afterwards which were asked for.
    """
    chosen = sources if sources is not None else Sources(project)
    report = with_deep_stack(lambda: _simulate(project, chosen, entries, scripts, progress))
    if gc.isenabled():  # this process goes on, and wants its memory back
        chosen.kept.clear()
    return report


def _simulate(
    project: Project,
    sources: Sources,
    entries: Sequence[str] | None,
    scripts: Sequence[str],
    progress: Progress | None,
) -> SimulationReport:
    chosen = tuple(entries) if entries is not None else _importable(project)
    if is_small(project):
        try:
            return _simulate_worlds(project, sources, chosen, scripts, progress)
        except TooManyWorldsError:
            pass
    return _simulate_together(project, sources, chosen, scripts, progress)


def _importable(project: Project) -> tuple[str, ...]:
    """The modules that users import; ``__main__`` modules are run instead."""
    return tuple(sorted(name for name in project.target_modules() if name.rpartition(".")[2] != "__main__"))


def is_small(project: Project) -> bool:
    """Whether every entry is played in every world, each in an interpreter of its own."""
    if len(project.modules) > MOST_MODULES_IN_WORLDS:
        return False
    total = 0
    for module in project.modules.values():
        if module.kind is ModuleKind.SOURCE:
            try:
                total += module.path.stat().st_size
            except OSError:
                continue
    return total <= MOST_BYTES_IN_WORLDS


# ------------------------------------------------------------------------------------------------ world by world
def _simulate_worlds(
    project: Project, sources: Sources, entries: Sequence[str], scripts: Sequence[str], progress: Progress | None
) -> SimulationReport:
    recorder = Recorder()
    failures: list[Failure] = []
    steps = 0
    maker = _maker(project, sources)
    jobs = [(entry, False) for entry in entries] + [(script, True) for script in scripts]
    for count, (entry, is_script) in enumerate(jobs):
        if progress is not None:
            progress(count, len(jobs))
        outcomes, taken = play_worlds(project, sources, entry, recorder, STEPS_IN_WORLDS - steps, is_script)
        steps += taken
        failures += _failures_of_worlds(maker, entry, outcomes, is_script)
    if progress is not None:
        progress(len(jobs), len(jobs))
    failures += _survivals(maker, recorder, project)
    return _report(project, entries, failures, recorder, recorder.cuts, sources)


def _failures_of_worlds(
    maker: FailureMaker, entry: str, outcomes: Sequence[Outcome], is_script: bool
) -> Iterator[Failure]:
    crashes = [(_key(each.crash, each.error_type), each.crash, each) for each in outcomes if each.crash is not None]
    if len(crashes) == len(outcomes) and len({key[:3] + key[-1:] for key, _, _ in crashes}) == 1:
        crashes = [(crashes[0][0], miss, outcome) for _, miss, outcome in crashes]  # the same one, wherever it is asked
    for happening in happenings(outcomes, crashes):
        yield maker.make(
            FailureKind.CRASH,
            entry,
            happening.miss,
            happening.conditions,
            happening.is_certain,
            final_error=happening.outcome.error_type,
            script=is_script,
        )
    shadows = [(_key(each.shadow, None), each.shadow, each) for each in outcomes if each.shadow is not None]
    for happening in happenings(outcomes, shadows):
        yield maker.make(
            FailureKind.SHADOWED, entry, happening.miss, happening.conditions, happening.is_certain, script=is_script
        )
    again = [(_key(each.again, None), each.again, each) for each in outcomes if each.again and each.crash is None]
    for happening in happenings(outcomes, again):
        yield maker.make(
            FailureKind.SURVIVED_DEFERRED,
            entry,
            happening.miss,
            happening.conditions,
            happening.is_certain,
            script=True,
        )
    swallowed = [
        (_key(hidden.miss, str(hidden.handler)), hidden.miss, outcome)
        for outcome in outcomes
        for hidden in outcome.swallowed
        if maker.may_exist(hidden.miss.module, hidden.miss.name)
    ]
    handlers = {id(hidden.miss): hidden.handler for outcome in outcomes for hidden in outcome.swallowed}
    for happening in happenings(outcomes, swallowed):
        handler = handlers[id(happening.miss)]
        yield maker.make(
            FailureKind.SWALLOWED,
            entry,
            happening.miss,
            happening.conditions,
            happening.is_certain,
            handler=handler,
            script=is_script,
        )
    losses = [(_key(loss.miss, loss.importer), loss.miss, outcome) for outcome in outcomes for loss in outcome.losses]
    for happening in happenings(outcomes, losses):
        yield maker.make(
            FailureKind.STAR_LOSS, entry, happening.miss, happening.conditions, happening.is_certain, script=is_script
        )


def _key(miss: Miss, more: str | None) -> tuple[object, ...]:
    last = miss.stack[-1]
    return (miss.error_type, miss.module, miss.name, last.frame.module.name, last.line, more)


# ------------------------------------------------------------------------------------------------ all together
def _simulate_together(
    project: Project, sources: Sources, entries: Sequence[str], scripts: Sequence[str], progress: Progress | None
) -> SimulationReport:
    simulation = SharedSimulation(project, sources, progress)
    simulation.play(entries)
    recorder = simulation.interpreter.recorder
    maker = FailureMaker(project, sources, simulation.interpreter.imports)
    failures: list[Failure] = []
    for entry in entries:
        outcome = simulation.outcomes.get(entry)
        if outcome is not None:
            failures += _failures_of_run(maker, entry, outcome, False)
    for script in scripts:
        interpreter = Interpreter(project, sources, is_exact=False)
        failures += _failures_of_run(maker, script, interpreter.run(script, is_script=True), True)
        recorder.cuts |= interpreter.machine.cuts
    failures += _failures_in_passing(maker, simulation, entries)
    failures += _survivals(maker, recorder, project)
    recorder.cuts |= simulation.interpreter.machine.cuts
    return _report(project, entries, failures, recorder, recorder.cuts, sources)


def _failures_of_run(maker: FailureMaker, entry: str, outcome: Outcome, is_script: bool) -> Iterator[Failure]:
    if outcome.crash is not None:
        miss = outcome.crash
        yield maker.make(
            FailureKind.CRASH,
            entry,
            miss,
            miss.guards,
            not miss.guards,
            final_error=outcome.error_type,
            script=is_script,
        )
    if outcome.shadow is not None:
        miss = outcome.shadow
        yield maker.make(FailureKind.SHADOWED, entry, miss, miss.guards, not miss.guards, script=is_script)
    if outcome.again is not None and outcome.crash is None:
        miss = outcome.again
        yield maker.make(FailureKind.SURVIVED_DEFERRED, entry, miss, miss.guards, not miss.guards, script=True)
    for hidden in outcome.swallowed:
        miss = hidden.miss
        if maker.may_exist(miss.module, miss.name):
            yield maker.make(FailureKind.SWALLOWED, entry, miss, miss.guards, not miss.guards, handler=hidden.handler)
    for loss in outcome.losses:
        yield maker.make(FailureKind.STAR_LOSS, entry, loss.miss, loss.miss.guards, not loss.miss.guards)


def _failures_in_passing(
    maker: FailureMaker, simulation: SharedSimulation, entries: Sequence[str]
) -> Iterator[Failure]:
    """Failures of branches that were looked at in passing happen to every entry that loads the half-loaded module."""
    graph: networkx.DiGraph[str] = networkx.DiGraph()
    graph.add_nodes_from(entries)
    for importer, imported in simulation.interpreter.recorder.edges:
        graph.add_edge(imported, importer)
    for name in entries:
        parent = name.rpartition(".")[0]
        if parent:
            graph.add_edge(parent, name)
    wanted = set(entries)
    for entry, miss in simulation.side_failures:
        if simulation.project.is_followed(entry):
            continue  # tried as a way into a component: what entries of the target meet has been seen from these
        if not all(guard.is_about_environment for guard in miss.guards):
            continue  # the branch was looked at for want of knowledge, not because it depends on the machine
        reached = {entry} | (networkx.descendants(graph, miss.module) if miss.module in graph else set())
        for each in sorted(reached & wanted):
            yield maker.make(FailureKind.CRASH, each, miss, miss.guards, False)


# ------------------------------------------------------------------------------------------------ both
def _maker(project: Project, sources: Sources) -> FailureMaker:
    return FailureMaker(project, sources, Interpreter(project, sources, is_exact=True).imports)


def _survivals(maker: FailureMaker, recorder: Recorder, project: Project) -> Iterator[Failure]:
    for _, miss in sorted(recorder.survivals.items()):
        entry = miss.stack[0].frame.module.name
        if project.is_followed(entry):
            continue  # tried as a way into a component, and no entry of the target
        yield maker.make(FailureKind.SURVIVED_DEFERRED, entry, miss, miss.guards, not miss.guards)


def _report(
    project: Project,
    entries: Sequence[str],
    failures: Iterable[Failure],
    recorder: Recorder,
    cuts: dict[tuple[str, str, int], str],
    sources: Sources,
) -> SimulationReport:
    deferred = [
        DeferredImport(
            seen.site,
            seen.target,
            StepKind.DYNAMIC_IMPORT if seen.is_dynamic else StepKind.DEFERRED_IMPORT,
            seen.statement,
            tuple(condition_of(guard) for guard in seen.guards),
            seen.is_exact,
        )
        for seen in recorder.deferred.values()
    ]
    deferred.sort(key=lambda each: (each.site.path, each.site.line, each.target))
    return SimulationReport(
        tuple(entries),
        tuple(dict.fromkeys(failures)),
        tuple(deferred),
        tuple(Cut(Site(module, path, line), reason) for (module, path, line), reason in sorted(cuts.items())),
        tuple(recorder.opaque[key] for key in sorted(recorder.opaque)),
        dict(sorted(sources.unparsable.items())),
        frozenset(recorder.edges),
    )


def trace_entry(
    project: Project, entry: str, *, sources: Sources | None = None
) -> tuple[tuple[Event, ...], tuple[Failure, ...]]:
    """What happens when the entry is imported first, in order; and how it fails, if it does."""
    chosen = sources if sources is not None else Sources(project)
    return with_deep_stack(lambda: _trace(project, chosen, entry))


def _trace(project: Project, sources: Sources, entry: str) -> tuple[tuple[Event, ...], tuple[Failure, ...]]:
    recorder = Recorder()
    recorder.events = []
    interpreter = Interpreter(project, sources, is_exact=False, recorder=recorder)
    interpreter.machine.goes_on = not is_small(project)
    outcome = interpreter.run(entry)
    maker = FailureMaker(project, sources, interpreter.imports)
    in_passing = [miss for miss in outcome.side_failures if all(guard.is_about_environment for guard in miss.guards)]
    misses = [hidden.miss for hidden in outcome.swallowed if maker.may_exist(hidden.miss.module, hidden.miss.name)]
    misses += [*in_passing, *((outcome.crash,) if outcome.crash is not None else ())]
    events = [*recorder.events, *(_failure_event(miss) for miss in misses)]
    failures = [*_failures_of_run(maker, entry, outcome, False)]
    failures += [maker.make(FailureKind.CRASH, entry, miss, miss.guards, False) for miss in in_passing]
    return tuple(events), tuple(failures)


def _failure_event(miss: Miss) -> Event:
    last = miss.stack[-1]
    within = frames_within(last.frame, innermost_body(last.frame))
    return Event(
        EventKind.BIND_FAILURE,
        site_of(last.frame, last.line, miss.column),
        f"{miss.module}.{miss.name}",
        False,
        sum(1 for each in miss.stack if each.frame.name is None) - 1,
        tuple(condition_of(guard) for guard in miss.guards),
        tuple(site_of(each) for each in within[:-1]),
    )
