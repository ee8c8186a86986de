"""Checks of values as they come from a file, the command line or a caller: each gives the value in its own type."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from importcycle.configuration.errors import ConfigurationError, did_you_mean
from importcycle.findings import Severity, UnknownRule, select_rules

LEVELS = tuple(severity.value for severity in Severity)
OFF = "off"
NEVER = "never"
_VERSION = re.compile(r"3\.(\d{1,2})(\.\d+)?")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands."""

    origin: str
    """The file, or ``command line``, or ``argument``."""
    key: str
    folder: Path
    """Relative paths start from it."""

    def error(self, problem: str) -> ConfigurationError:
        """The error that says what is wrong with the value."""
        return ConfigurationError(f"{self.origin}: {self.key!r} {problem}")

    def below(self, key: str) -> Place:
        """The place of one item of a table."""
        return Place(self.origin, f"{self.key}.{key}", self.folder)


def text(value: object, place: Place) -> str:
    """A string that is not empty."""
    if not isinstance(value, str):
        raise place.error(f"must be a string, not {_kind(value)}")
    if not value.strip() or "\0" in value:
        raise place.error("must not be empty")
    return value


def optional_text(value: object, place: Place) -> str | None:
    """A string that is not empty."""
    return text(value, place)


def texts(value: object, place: Place) -> tuple[str, ...]:
    """A list of strings; paths are taken as strings."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise place.error(f"must be a list of strings, not {_kind(value)}")
    return tuple(text(str(item) if isinstance(item, Path) else item, place) for item in value)


def flag(value: object, place: Place) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise place.error(f"must be true or false, not {_kind(value)}")
    return value


def path(value: object, place: Place) -> Path:
    """A path, made absolute."""
    return place.folder / Path(text(str(value) if isinstance(value, Path) else value, place)).expanduser()


def optional_path(value: object, place: Place) -> Path | None:
    """A path, made absolute."""
    return path(value, place)


def path_or_none(value: object, place: Place) -> Path | None:
    """A path, made absolute; ``None`` for ``false``."""
    return None if value is False else path(value, place)


def count(value: object, place: Place) -> int:
    """A whole number from 1."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise place.error(f"must be a whole number, not {_kind(value)}")
    if value < 1:
        raise place.error("must be 1 or more")
    return value


def paths(value: object, place: Place) -> tuple[Path, ...]:
    """A list of paths, made absolute."""
    return tuple(path(item, place) for item in texts(value, place))


def codes(value: object, place: Place) -> tuple[str, ...]:
    """A list of codes, names or prefixes of rules; one string may hold several, by commas."""
    found = tuple(code.strip() for item in texts(value, place) for code in item.split(",") if code.strip())
    try:
        select_rules(found)
    except UnknownRule as error:
        raise place.error(f"holds an unknown rule: {error}") from error
    return found


def codes_by_path(value: object, place: Place) -> Mapping[str, tuple[str, ...]]:
    """A table from pattern to codes."""
    return {pattern: codes(item, place.below(pattern)) for pattern, item in _table(value, place)}


def levels_by_code(value: object, place: Place) -> Mapping[str, str]:
    """A table from code, name or prefix to a severity or ``off``."""
    found = {}
    for code, level in _table(value, place):
        codes([code], place)
        found[code] = choice(level, place.below(code), (*LEVELS, OFF))
    return found


def megabytes(value: object, place: Place) -> float:
    """A size in millions of bytes; from the command line, as text."""
    try:
        number = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else 0
    except ValueError:
        number = 0
    if not 0 < number < float("inf"):
        raise place.error("must be a number of megabytes, above 0")
    return number


def threshold(value: object, place: Place) -> str:
    """A severity, or ``never``."""
    return choice(value, place, (*LEVELS, NEVER))


def truths(value: object, place: Place) -> Mapping[str, bool]:
    """A table from the text of a test to its value."""
    return {text(test, place): flag(item, place.below(test)) for test, item in _table(value, place)}


def version(value: object, place: Place) -> tuple[int, int] | None:
    """A version of Python 3, as a string or as two numbers."""
    if isinstance(value, float):
        raise place.error(f'must be a string: write "{value}" in quotes')
    if isinstance(value, tuple) and len(value) == 2 and all(isinstance(part, int) for part in value):
        return value
    match = _VERSION.fullmatch(text(value, place).strip())
    if match is None:
        raise place.error(f"must be a version such as 3.12, and {value!r} is no version of Python 3")
    return 3, int(match[1])


def choice(value: object, place: Place, choices: Sequence[str]) -> str:
    """One of the choices."""
    chosen = text(value, place)
    if chosen not in choices:
        raise place.error(f"must be one of {', '.join(choices)}, not {chosen!r}{did_you_mean(chosen, choices)}")
    return chosen


def _table(value: object, place: Place) -> list[tuple[str, object]]:
    if not isinstance(value, Mapping):
        raise place.error(f"must be a table, not {_kind(value)}")
    return [(str(key), item) for key, item in value.items()]


_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "true or false"),
    (str, "a string"),
    (int, "a number"),
    (float, "a number"),
    (Mapping, "a table"),
    (list, "a list"),
    (tuple, "a list"),
)


def _kind(value: object) -> str:
    return next((words for kind, words in _KINDS if isinstance(value, kind)), type(value).__name__)


Check = Callable[[object, Place], object]
