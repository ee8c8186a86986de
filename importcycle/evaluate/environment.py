"""The environment as a whole: which variables a program that looks at all of them can tell apart."""

from __future__ import annotations

import re

from importcycle.evaluate.core import Core
from importcycle.values.model import Constant, DictValue, External, Value

ENVIRONMENT = "os.environ"
_NAME = re.compile(r"['\"]([A-Z][A-Z0-9_]*)['\"]")
_WORD = re.compile(r"['\"]([a-z][a-z0-9_]*)['\"]")
MOST_NAMES = 5
"""Variables that are told apart in a program that looks at all."""


def is_environment(value: Value) -> bool:
    """Whether a value is ``os.environ``."""
    return isinstance(value, External) and value.name == ENVIRONMENT


def environment_view(machine: Core) -> DictValue:
    """The variables that are set in this world, of those that the running functions name; others tell nothing.

    Where only the beginnings of names stand there, one more variable stands for all that begin so.
    """
    names, prefixes = _names_around(machine)
    environment = External(ENVIRONMENT)
    frame = machine.running
    pairs: list[tuple[Value, Value]] = []
    for name in names:
        test = machine.compare("in", Constant(name), environment)
        if machine.decide(test, machine.describe(test), frame.line, frame, False):
            pairs.append((Constant(name), machine.call_method(environment, "get", Constant(name))))
    for prefix in prefixes:
        others = [name for name in names if name.startswith(prefix)]
        rest = f" and name not in {others!r}" if others else ""
        text = f"any(name.startswith({prefix!r}){rest} for name in os.environ)"
        if machine.decide(machine.unknown(text), text, frame.line, frame, False):
            pairs.append((Constant(prefix), machine.unknown(f"os.environ[{prefix!r} ...]")))
    return DictValue(pairs)


def _names_around(machine: Core) -> tuple[list[str], list[str]]:
    """Names of variables, and their beginnings, in the source of the functions that run."""
    texts: dict[str, None] = {}
    words: dict[str, None] = {}
    frame = machine.frame
    seen: set[str] = set()
    while frame is not None:
        if frame.code.path not in seen:
            seen.add(frame.code.path)
            source = frame.code.source.text
            texts |= dict.fromkeys(_NAME.findall(source))
            words |= dict.fromkeys(_WORD.findall(source))
        frame = frame.caller
    prefixes = [text for text in texts if text.endswith("_")]
    derived = [prefix + word.upper() for prefix in prefixes for word in words]
    names = dict.fromkeys([text for text in texts if not text.endswith("_")] + derived)
    return list(names)[:MOST_NAMES], prefixes[:1]
