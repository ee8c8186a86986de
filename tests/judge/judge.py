"""The judge: one long-lived CPython that is asked about trees of modules."""

from __future__ import annotations

import itertools
import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Any

from .interpreters import Interpreter

World = Mapping[str, "str | None"]
"""Environment variables and their values; ``None`` means unset."""


class Cause(Enum):
    """Why an import failed, as far as CPython's own exceptions tell."""

    NONE = "none"
    """It did not fail."""
    DIRECT = "direct"
    """The exception that leaves is about a name that a half-loaded module has not bound."""
    FOLLOW_UP = "follow-up"
    """Another exception leaves, but such a failure was swallowed (or replaced) before, or a star import of a
    half-loaded module took too few names."""
    OTHER = "other"
    """No half-loaded module was ever asked in vain."""


@dataclass(frozen=True, slots=True)
class Miss:
    """A name asked of a module in vain."""

    error_type: str
    module: str
    name: str | None
    site: tuple[str, int]
    half_loaded: bool
    """Whether the module, or its submodule of that name, was running its body at that moment."""


@dataclass(frozen=True, slots=True)
class StarLoss:
    """A star import of a half-loaded module that took fewer names than the module has now."""

    module: str
    lost: tuple[str, ...]
    apart: tuple[str, ...]
    """Names that may or may not be counted: those of modules, and those that the importer has got itself."""
    is_complete: bool
    """Whether the module has finished: if not, what it would have is not known."""
    site: tuple[str, int]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What CPython did with one entry in one world."""

    entry: str
    script: bool
    world: int
    """Index into the worlds asked about."""
    error_type: str | None
    module: str | None
    name: str | None
    cause: Cause
    frames: tuple[tuple[str, int], ...]
    """Frames of the tree's own files in the traceback, outermost first: module and line."""
    swallowed: tuple[Miss, ...]
    """Misses whose exception did not leave the entry's import, in order."""
    star_losses: tuple[StarLoss, ...]
    executed: tuple[tuple[str, str], ...]
    """The module bodies that were run, in order: name and file."""
    message: str
    tests: tuple[bool | None, ...]

    @property
    def fails(self) -> bool:
        return self.error_type is not None


class Judge:
    """A CPython process; use it as a context manager, or close it."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter
        worker = Path(__file__).with_name("worker.py")
        self._process = subprocess.Popen(
            [str(interpreter.executable), "-I", "-S", "-B", str(worker)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def __enter__(self) -> Judge:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def ask(
        self,
        root: Path,
        entries: Sequence[str] = (),
        scripts: Sequence[str] = (),
        worlds: Sequence[World] = ({},),
        tests: Sequence[tuple[str, str]] = (),
        timeout: float = 10.0,
        shared: bool = False,
    ) -> list[Verdict]:
        """Import each entry (and run each script) first, in each world.

        ``shared``: one child imports them all and forgets the tree in between, which is faster and as good for trees
        that leave the rest of the interpreter alone.
        ``tests`` are pairs of a file and an expression, evaluated afterwards in that file's module.
        Raises RuntimeError when the process is gone.
        """
        request: dict[str, Any] = {
            "root": str(root.resolve()),
            "entries": list(entries),
            "scripts": list(scripts),
            "worlds": [dict(world) for world in worlds],
            "timeout": timeout,
            "shared": shared,
        }
        if tests:
            request["tests"] = [list(test) for test in tests]
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        reply = self._process.stdout.readline()
        if not reply:
            raise RuntimeError(f"{self.interpreter} ended without an answer")
        return [_verdict(answer) for answer in json.loads(reply)]


def worlds_of(variables: Mapping[str, Sequence[str | None]]) -> list[dict[str, str | None]]:
    """Every assignment of the candidate values to the variables."""
    names = sorted(variables)
    return [dict(zip(names, values, strict=True)) for values in itertools.product(*(variables[name] for name in names))]


def _verdict(answer: Mapping[str, Any]) -> Verdict:
    last = answer.get("error")
    misses = [(miss["error"] == last, _miss(miss)) for miss in answer["misses"]]
    swallowed = tuple(miss for leaves, miss in misses if not leaves)
    if answer["ok"]:
        cause = Cause.NONE
    elif any(leaves and miss.half_loaded for leaves, miss in misses):
        cause = Cause.DIRECT
    elif any(miss.half_loaded or _is_of_star(miss, answer) for miss in swallowed):
        cause = Cause.FOLLOW_UP
    elif answer.get("stars"):
        # No star import decides whether a module exists.
        is_about_module = answer.get("module") and answer.get("type") != "ModuleNotFoundError"
        cause = Cause.FOLLOW_UP if is_about_module else Cause.OTHER
    else:
        cause = Cause.OTHER
    return Verdict(
        entry=answer["entry"],
        script=answer["script"],
        world=answer["world"],
        error_type=answer.get("type"),
        module=answer.get("module"),
        name=answer.get("name"),
        cause=cause,
        frames=tuple((module, line) for module, line in answer.get("frames", ())),
        swallowed=swallowed,
        star_losses=tuple(
            StarLoss(
                star["module"],
                tuple(star["lost"]),
                tuple(star["apart"]),
                star["complete"],
                (star["site"][0], star["site"][1]),
            )
            for star in answer.get("stars", ())
        ),
        executed=tuple((name, file) for name, file in answer.get("executed", ())),
        message=answer.get("message", ""),
        tests=tuple(answer.get("tests", ())),
    )


def _is_of_star(miss: Miss, answer: Mapping[str, Any]) -> bool:
    """Whether a body lacks what a star import of a half-loaded module should have given it."""
    return miss.error_type == "NameError" and any(star["site"][0] == miss.module for star in answer.get("stars", ()))


def _miss(miss: Mapping[str, Any]) -> Miss:
    module, line = miss["site"]
    return Miss(miss["type"], miss["module"], miss["name"], (module, line), miss["half_loaded"])
