"""The re module: with a known pattern and a known text its functions are simply called."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.evaluate.matching import is_quick
from importcycle.evaluate.symbols import UnknownError, plain
from importcycle.values.model import (
    BoundMethod,
    Constant,
    FunctionValue,
    GeneratorValue,
    NativeFunction,
    PartialValue,
    Value,
    constant,
)

LONGEST_PATTERN = 400
LONGEST_TEXT = 2_000
_SAMPLE = 60
LONGEST_SCANNED_TEXT = 200_000
"""Characters of a text in which a pattern is looked for that few places can begin."""
_SELECTIVE = re.compile(r"(\^|\\b|\\A)*[\w@#]{3}")
"""Patterns that begin with some plain letters."""
_REPETITION = re.compile(r"(?<!\\)[*+{]")


def _compiled(machine: Core, value: Value | None, flags: Value | None) -> re.Pattern[Any] | None:
    """The pattern, if it is known."""
    if not isinstance(value, Constant):
        return None
    if isinstance(value.value, re.Pattern):
        return value.value
    number = flags.value if isinstance(flags, Constant) and isinstance(flags.value, int) else 0
    if flags is not None and not isinstance(flags, Constant):
        return None
    if not isinstance(value.value, str | bytes) or len(value.value) > LONGEST_PATTERN:
        return None
    try:
        return re.compile(value.value, number)
    except (re.error, RecursionError, OverflowError) as error:
        machine.raise_error("ValueError", str(error))


def _is_selective(pattern: re.Pattern[Any]) -> bool:
    """Whether few places of a text can begin a match."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    return _SELECTIVE.match(source) is not None or len(_REPETITION.findall(source)) <= 1


def _compile(machine: Core, arguments: Arguments) -> Value:
    pattern = _compiled(machine, arguments.get(0, "pattern"), arguments.get(1, "flags"))
    return machine.unknown("re.compile(...)") if pattern is None else Constant(pattern)


def _function(name: str) -> Model:
    """A function that takes a pattern and a text."""

    def model(machine: Core, arguments: Arguments) -> Value:
        is_compiled = _is_pattern(arguments)
        flags = None if is_compiled else arguments.get(2 if name not in ("split",) else 3, "flags")
        pattern = _compiled(machine, arguments.get(0, "pattern"), flags)
        text = arguments.get(1, "string")
        if pattern is None or not _can_be_matched(pattern, text, name):
            return machine.unknown(f"re.{name}({', '.join(machine.describe(each) for each in arguments.positional)})")
        rest = [each.value for each in arguments.positional[2:] if isinstance(each, Constant)] if is_compiled else []
        try:
            result = getattr(pattern, name)(text.value, *rest)  # type: ignore[union-attr]
        except Exception as error:
            machine.raise_error(type(error).__name__, str(error))
        if name == "finditer":
            return GeneratorValue((Constant(match) for match in result), "iterator")
        return constant(result)

    return model


def _can_be_matched(pattern: re.Pattern[Any], text: Value | None, method: str) -> bool:
    """Whether the text is known, and the match cannot take long."""
    content = text.value if isinstance(text, Constant) else None
    if not isinstance(content, str | bytes) or len(content) > LONGEST_SCANNED_TEXT:
        return False
    if is_quick(pattern, content, method):
        return True
    return len(content) > LONGEST_TEXT and _is_selective(pattern) and is_quick(pattern, content[:_SAMPLE], method)


def _is_pattern(arguments: Arguments) -> bool:
    first = arguments.get(0, "pattern")
    return isinstance(first, Constant) and isinstance(first.value, re.Pattern)


def _substitute(machine: Core, arguments: Arguments) -> Value:
    pattern = _compiled(machine, arguments.get(0, "pattern"), None)
    replacement, text = arguments.get(1, "repl"), arguments.get(2, "string")
    if pattern is None or not _can_be_matched(pattern, text, "sub"):
        return machine.unknown("re.sub(...)")
    assert isinstance(text, Constant)
    if isinstance(replacement, Constant):
        try:
            return constant(pattern.sub(replacement.value, text.value))
        except Exception as error:
            machine.raise_error(type(error).__name__, str(error))
    if not isinstance(replacement, FunctionValue | BoundMethod | NativeFunction | PartialValue):
        return machine.unknown("re.sub(...)")
    parts: list[str] = []
    position = 0
    for match in pattern.finditer(text.value):
        part = machine.text_of(machine.call(replacement, Arguments((Constant(match),))))
        if part is None:
            return machine.unknown("re.sub(...)")
        parts += [text.value[position : match.start()], part]
        position = match.end()
    return Constant("".join([*parts, text.value[position:]]))


def _escape(machine: Core, arguments: Arguments) -> Value:
    try:
        return constant(re.escape(plain(arguments.positional[0], {})))
    except (UnknownError, TypeError, IndexError):
        return machine.unknown("re.escape(...)")


_FLAGS = [
    "A",
    "ASCII",
    "DEBUG",
    "I",
    "IGNORECASE",
    "L",
    "LOCALE",
    "M",
    "MULTILINE",
    "S",
    "DOTALL",
    "X",
    "VERBOSE",
    "U",
    "UNICODE",
]
MODELS: dict[str, Model] = {
    "re.compile": _compile,
    "re.sub": _substitute,
    "re.escape": _escape,
    **{f"re.{name}": _function(name) for name in ("match", "fullmatch", "search", "split", "findall", "finditer")},
}


def _flag(number: int) -> Callable[[Any], Value]:
    return lambda machine: Constant(number)


VALUES: dict[str, Callable[[Any], Value]] = {f"re.{name}": _flag(int(getattr(re, name))) for name in _FLAGS}
