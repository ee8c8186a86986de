"""Configuration files: which one counts, and the table in it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from importcycle.configuration.errors import ConfigurationError
from importcycle.project import SourceError, read_file

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OWN_FILE = "importcycle.toml"
PROJECT_FILE = "pyproject.toml"
_TABLE = ("tool", "importcycle")


def find_file(folder: Path) -> Path | None:
    """The nearest configuration file, from the folder upwards to the root of its repository."""
    for place in _upwards(folder):
        if (place / OWN_FILE).is_file():
            return place / OWN_FILE
        if _has_table(place / PROJECT_FILE):
            return place / PROJECT_FILE
    return None


def read_table(file: Path) -> Mapping[str, Any]:
    """The settings in the file, as they are written there.

    Raises:
        ConfigurationError: it cannot be read, is no TOML, or has no table for this tool.
    """
    document: Any = _parse(file)
    if file.name == PROJECT_FILE:
        for part in _TABLE:
            document = document.get(part) if isinstance(document, Mapping) else None
        if not isinstance(document, Mapping):
            raise ConfigurationError(f"{file}: there is no table [{'.'.join(_TABLE)}]")
    return {str(key): value for key, value in document.items()}


def _upwards(folder: Path) -> Iterator[Path]:
    for place in (folder, *folder.parents):
        yield place
        if (place / ".git").exists():
            return


def _has_table(file: Path) -> bool:
    # A file that does not name this tool is none of its business, and may be broken.
    try:
        mentions = b"importcycle" in read_file(file)
    except SourceError:
        return False
    if not mentions:
        return False
    tool = _parse(file).get("tool")
    return isinstance(tool, Mapping) and "importcycle" in tool


def _parse(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_file(file).decode("utf-8"))
    except SourceError as error:
        raise ConfigurationError(f"{file}: {error.reason}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigurationError(f"{file}: this is no valid TOML: {error}") from error
