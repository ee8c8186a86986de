"""Holds one generated package against CPython."""

from __future__ import annotations

import shutil
import signal
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from importcycle.importing import simulate
from importcycle.project.model import Project
from tests.judge import Cause, Judge, Verdict, worlds_of
from tests.judge.compare import Disagreement, conditions_to_ask, disagreements
from tests.judge.tree import name_of_script, project_of

from .package import GeneratedPackage

SECONDS = 20
"""No generated package may take the analyzer longer."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the comparison of one package gave."""

    entries: int
    verdicts: Sequence[Verdict]
    disagreements: tuple[Disagreement, ...]

    @property
    def failures(self) -> int:
        """How many imports failed in CPython because of a half-loaded module."""
        return sum(verdict.cause in (Cause.DIRECT, Cause.FOLLOW_UP) for verdict in self.verdicts)

    @property
    def unexplained(self) -> int:
        """How many failed otherwise: the generator means to make none."""
        return sum(verdict.cause is Cause.OTHER for verdict in self.verdicts)


def check(package: GeneratedPackage, judge: Judge) -> Outcome:
    """Compare findings and CPython on every entry in every world."""
    with scratch_folder() as folder:
        package.save(folder)
        project = project_of(folder, judge.interpreter.version)
        outcome = _compared(package, project, judge, shared=True)
        # One child for all imports is as good as one for each, but no disagreement may rest on that.
        return _compared(package, project, judge, shared=False) if outcome.disagreements else outcome


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder for a package, in memory where the system has such a place."""
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="importcycle-", dir=memory if memory.is_dir() else None))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def _compared(package: GeneratedPackage, project: Project, judge: Judge, shared: bool) -> Outcome:
    worlds = worlds_of(package.variables)
    entries = sorted(project.modules)
    verdicts = judge.ask(project.root, entries, package.scripts, worlds, shared=shared)
    try:
        with _alarm():
            report = simulate(project, scripts=[name_of_script(script) for script in package.scripts])
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{type(error).__name__} in {Path(last.filename).name}:{last.name}"
        return Outcome(len(entries), verdicts, (Disagreement(f"crash {place}", "", "", "", str(error)),))
    tests = conditions_to_ask(report, worlds[0])
    if tests:
        verdicts = judge.ask(project.root, entries, package.scripts, worlds, tests, shared=shared)
    return Outcome(len(entries), verdicts, tuple(disagreements(report, verdicts, worlds, tests)))


@contextmanager
def _alarm() -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"took more than {SECONDS} seconds")

    previous = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)
