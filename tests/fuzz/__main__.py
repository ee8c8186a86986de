"""The long run: ``python -m tests.fuzz --packages 20000 --seed 1``."""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tests.judge import Interpreter, Judge, find_interpreters

from .check import check
from .choices import RandomChoices
from .generate import generate
from .package import GeneratedPackage
from .reduce import reduced
from .soundness import is_sound

BATCH = 20
JUDGES: dict[Interpreter, Judge] = {}
"""The judges of this process, one for each CPython, kept for all its packages."""


@dataclass(slots=True)
class Tally:
    """What some packages gave."""

    packages: int = 0
    entries: int = 0
    imports: int = 0
    failures: int = 0
    failing_packages: int = 0
    unexplained: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[int]] = field(default_factory=dict)
    """Numbers of packages that disagree, by kind."""

    def add(self, other: Tally) -> None:
        for name in ("packages", "entries", "imports", "failures", "failing_packages", "unexplained"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.kinds += other.kinds
        for kind, numbers in other.examples.items():
            self.examples.setdefault(kind, []).extend(numbers)


def package_of(seed: str, number: int) -> GeneratedPackage:
    """The package of that number in the run of that seed."""
    return generate(RandomChoices(f"{seed}:{number}"))


def judge_of(number: int) -> Judge:
    """The judge for a package: the versions take turns."""
    interpreters = find_interpreters()
    interpreter = interpreters[number % len(interpreters)]
    if interpreter not in JUDGES:
        JUDGES[interpreter] = Judge(interpreter)
    return JUDGES[interpreter]


def run_batch(seed: str, numbers: Sequence[int]) -> Tally:
    """Check some packages of a run."""
    tally = Tally()
    for number in numbers:
        outcome = check(package_of(seed, number), judge_of(number))
        tally.packages += 1
        tally.entries += outcome.entries
        tally.imports += len(outcome.verdicts)
        tally.failures += outcome.failures
        tally.failing_packages += outcome.failures > 0
        tally.unexplained += outcome.unexplained
        for kind in {each.kind for each in outcome.disagreements}:
            tally.kinds[kind] += 1
            tally.examples.setdefault(kind, []).append(number)
    return tally


def run(seed: str, packages: int, jobs: int, console: Console) -> Tally:
    """Check so many packages, in several processes, behind a progress bar."""
    total = Tally()
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    batches = [range(start, min(start + BATCH, packages)) for start in range(0, packages, BATCH)]
    with Progress(*columns, console=console) as progress, ProcessPoolExecutor(jobs) as pool:
        task = progress.add_task("", total=packages)
        for done in as_completed([pool.submit(run_batch, seed, batch) for batch in batches]):
            total.add(done.result())
            found = f"{total.failures} failures, {sum(total.kinds.values())} disagreements"
            progress.update(task, completed=total.packages, description=found)
    return total


def smallest(seed: str, number: int, kind: str) -> tuple[GeneratedPackage, str]:
    """A package that disagrees, made smaller, and what the disagreement is."""
    judge = judge_of(number)

    def still_fails(candidate: GeneratedPackage) -> bool:
        outcome = check(candidate, judge)
        return any(each.kind == kind for each in outcome.disagreements) and is_sound(candidate, outcome.verdicts)

    package = package_of(seed, number)
    if still_fails(package):
        package = reduced(package, still_fails)
    told = [str(each) for each in check(package, judge).disagreements if each.kind == kind]
    return package, f"{judge.interpreter}: {told[0] if told else 'no disagreement when asked again'}"


def report(seed: str, total: Tally, seconds: float, shown: int, save: Path | None) -> Iterator[str]:
    """The run in words, with the smallest form of some disagreements of each kind."""
    yield (
        f"seed {seed}: {total.packages} packages ({total.failing_packages} with failures), {total.entries} entries, "
        f"{total.imports} imports in CPython, {total.failures} failures because of a half-loaded module, "
        f"{total.unexplained} others, {seconds:.0f} s ({total.packages / seconds:.1f} packages a second)"
    )
    for kind, count in total.kinds.most_common():
        yield f"\n{count} packages disagree: {kind}; numbers {sorted(total.examples[kind])[:20]}"
        for number in sorted(total.examples[kind])[:shown]:
            package, told = smallest(seed, number, kind)
            yield f"\n# package {number}, made smaller\n# {told}\n{package}"
            if save is not None:
                package.save(save / f"{seed}-{number}-{kind.replace(' ', '-')}")
    if not total.kinds:
        yield "no disagreement"


def main() -> int:
    """Run, tell, and give the exit status: 1 when anything disagreed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--packages", type=int, default=2000, help="how many packages")
    parser.add_argument("--seed", default="1", help="any text: the same seed gives the same packages")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many processes")
    parser.add_argument("--shown", type=int, default=2, help="how many disagreements of each kind to make smaller")
    parser.add_argument("--save", type=Path, help="keep the smaller packages below this folder")
    parser.add_argument("--only", type=int, help="show one package of the run and what it gives")
    options = parser.parse_args()
    if options.only is not None:
        package = package_of(options.seed, options.only)
        outcome = check(package, judge_of(options.only))
        print(package, *outcome.disagreements, sep="\n")
        return 1 if outcome.disagreements else 0
    console = Console(stderr=True)
    start = time.monotonic()
    total = run(options.seed, options.packages, options.jobs, console)
    seconds = time.monotonic() - start
    for text in itertools.chain(report(options.seed, total, seconds, options.shown, options.save)):
        print(text, flush=True)
    return 1 if total.kinds else 0


if __name__ == "__main__":
    sys.exit(main())
