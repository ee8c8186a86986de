"""Other tools that look for import cycles, each in an environment of its own, cached outside the repository."""

from __future__ import annotations

import random
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import platformdirs

from benchmarks.measuring import Stopwatch
from benchmarks.model import Row, Section, Series, Target, row_of
from benchmarks.processes import Measured, run

FRESH_IMPORTS = "each module imported in a fresh interpreter"
_SEED = 1
_CONTRACT = """[importlinter]
root_package = {package}

[importlinter:contract:cycles]
name = No cycles
type = acyclic_siblings
ancestors = {package}
"""


@dataclass(frozen=True, slots=True)
class Peer:
    """A tool: how it is installed, and how it is run on a package."""

    name: str
    version: str
    command: Callable[[Path, Target, Path], list[str | Path]]
    """From the environment's folder of commands, the target, and a folder for settings."""
    settings: tuple[str, str] | None = None
    """Name and text of a file in that folder."""
    good: Collection[int] = (0, 1)
    """Exit statuses of a run that came to its end."""

    @property
    def label(self) -> str:
        """The name with the version."""
        return f"{self.name} {self.version}"


PEERS = (
    Peer(
        "pylint",
        "4.1.4",
        lambda bin, target, work: [
            bin / "pylint", "--disable=all", "--enable=cyclic-import", "--persistent=n",
            f"--rcfile={work / 'settings'}", target.package,
        ],
        ("settings", ""),
        good=range(32),
    ),
    Peer(
        "import-linter",
        "2.17",
        lambda bin, target, work: [bin / "lint-imports", "--no-cache", work / "contract.ini"],
        ("contract.ini", _CONTRACT),
    ),
    Peer("pyscythe", "0.3.0", lambda bin, target, work: [bin / "pyscythe", "cycles", "."]),
    Peer(
        "oboros",
        "0.8.3",
        lambda bin, target, work: [bin / "oboros", "--config", work / "settings.toml"],
        ("settings.toml", "source-roots = ['{root}']\n"),
    ),
    Peer("circular-imports", "0.2.1", lambda bin, target, work: [bin / "circular-imports", "."]),
)  # fmt: skip


class PeerUnavailable(Exception):
    """A tool could not be installed; the text says why."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long others may take, and how much of the loop of imports is done."""

    timeout: float
    sample: int
    """Modules that are imported; the time for all follows from theirs."""


def peers_cache() -> Path:
    """The folder of the environments; ``XDG_CACHE_HOME`` moves it."""
    return platformdirs.user_cache_path("importcycle-benchmarks", appauthor=False) / "peers"


def prepare_peer(peer: Peer) -> Path:
    """The folder of commands of an environment with the tool; made at first use.

    Raises:
        PeerUnavailable: pip could not install it.
    """
    folder = peers_cache() / "{}-{}-py{}.{}".format(peer.name, peer.version, *sys.version_info)
    commands, complete = folder / "bin", folder / "complete"
    if complete.exists():
        return commands
    shutil.rmtree(folder, ignore_errors=True)
    install: list[str | Path] = [
        commands / "python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--retries",
        "1",
    ]
    steps: list[list[str | Path]] = [
        [sys.executable, "-m", "venv", folder],
        [*install, f"{peer.name}=={peer.version}"],
    ]
    for command in steps:
        completed = subprocess.run(command, capture_output=True, text=True, check=False)
        if completed.returncode != 0:
            lines = completed.stderr.strip().splitlines() or ["no message"]
            reason = next((line for line in reversed(lines) if line.startswith("ERROR")), lines[-1])
            raise PeerUnavailable(f"not installed: {reason[:200]}")
    complete.touch()
    return commands


def peer_rows(target: Target, work: Path, stopwatch: Stopwatch, limits: Limits) -> Iterator[Row]:
    """Measure each tool on a package.

    Raises:
        MeasureFailed: not even ``ast.parse`` of the files can be measured.
    """
    modules = len(target.files())
    for peer in PEERS:
        try:
            commands = prepare_peer(peer)
        except PeerUnavailable as reason:
            yield Row(Section.PEERS, target.label, peer.label, modules, note=str(reason))
            continue
        task = _task(peer, commands, target, work / peer.name, limits)
        yield row_of(Section.PEERS, target, peer.label, stopwatch.repeated(target, task), modules)
    yield _fresh_imports(target, work, stopwatch, limits)


def _task(peer: Peer, commands: Path, target: Target, work: Path, limits: Limits) -> Callable[[], Measured]:
    work.mkdir(parents=True, exist_ok=True)
    if peer.settings is not None:
        name, text = peer.settings
        (work / name).write_text(text.format(package=target.package, root=target.root), encoding="utf-8")
    command = peer.command(commands, target, work)
    environment = {"PYTHONPATH": str(target.root), "PYLINTHOME": str(work), "PYTHONDONTWRITEBYTECODE": "1"}
    return lambda: run(command, folder=target.root, timeout=limits.timeout, environment=environment, good=peer.good)


def _fresh_imports(target: Target, work: Path, stopwatch: Stopwatch, limits: Limits) -> Row:
    """The loop that asks Python itself, on a sample of the modules."""
    names = module_names(target)
    if target.python is None:
        why = "what the package needs is not installed"
        return Row(Section.PEERS, target.label, FRESH_IMPORTS, len(names), note=why)
    chosen = random.Random(_SEED).sample(names, min(limits.sample, len(names)))
    # A loop over all modules finds most of them compiled.
    environment = {
        "PYTHONPATH": str(target.root),
        "PYTHONPYCACHEPREFIX": str(work / "compiled"),
        "PYTHONDONTWRITEBYTECODE": "",
    }
    python, place = target.python, target.root / target.package
    any_status = range(-64, 256)
    run([python, "-m", "compileall", "-q", place], folder=work, timeout=limits.timeout, environment=environment,
        good=any_status)  # fmt: skip

    def loop() -> Measured:
        done: list[Measured] = []
        for name in chosen:
            left = limits.timeout - sum(one.seconds for one in done)
            if left <= 0:
                break
            done.append(run([python, "-c", f"import {name}"], folder=work, timeout=left, environment=environment,
                            good=any_status))  # fmt: skip
        seconds = statistics.fmean(one.seconds for one in done) * len(names)
        return Measured(seconds, max(one.peak_bytes for one in done), problem=done[-1].problem)

    series = stopwatch.repeated(target, loop)
    note = f"extrapolated from a sample of {len(chosen)} modules" if len(chosen) < len(names) else ""
    return row_of(Section.PEERS, target, FRESH_IMPORTS, _once(series), len(names), note)


def _once(series: Series) -> Series:
    """The series without the time limit of one process, which a mean of many has not run into."""
    return replace(series, runs=tuple(replace(one, timed_out=False) for one in series.runs))


def module_names(target: Target) -> list[str]:
    """The names by which the package's files can be imported."""
    names = []
    for file in target.files():
        parts = file.relative_to(target.root).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        if parts[-1] != "__main__" and all(part.isidentifier() for part in parts):
            names.append(".".join(parts))
    return names
