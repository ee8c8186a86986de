"""What stands beside the target: installed distributions, and the entry points that the target declares to itself."""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from importlib.metadata import Distribution, DistributionFinder, MetadataPathFinder
from pathlib import Path

from importcycle.evaluate.core import EntryPoint

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_NAME = re.compile(r"[A-Za-z0-9._-]+")


@lru_cache(maxsize=64)
def is_complete_environment(folder: Path) -> bool:
    """Whether a folder holds installed distributions together with all that they always require.

    Only then does it say anything that another package is not there. Metadata is read, nothing is imported.
    """
    required: set[str] = set()
    present: set[str] = set()
    for distribution in _distributions(folder):
        name = distribution.metadata["Name"]
        if name:
            present.add(_normalized(name))
        for requirement in distribution.requires or ():
            match = _NAME.match(requirement)
            if match and ";" not in requirement:
                required.add(_normalized(match[0]))
    return bool(present) and required <= present


def declared_entry_points(folder: Path) -> tuple[EntryPoint, ...]:
    """The entry points that distributions in a folder declare."""
    found: dict[tuple[str, str, str], EntryPoint] = {}
    for each in _in_project_file(folder / "pyproject.toml"):
        found[each.group, each.name, each.reference] = each
    for distribution in _distributions(folder):
        own = distribution.metadata["Name"]
        for entry in distribution.entry_points:
            found[entry.group, entry.name, entry.value] = EntryPoint(entry.group, entry.name, entry.value, own)
    return tuple(found[key] for key in sorted(found))


def _in_project_file(path: Path) -> list[EntryPoint]:
    """The entry points of a source tree that is not installed."""
    try:
        with path.open("rb") as file:
            content = tomllib.load(file)
    except (OSError, ValueError):
        return []
    tables = (("project", "entry-points"), ("tool", "poetry", "plugins"))
    found = []
    for keys in tables:
        table: object = content
        for key in keys:
            table = table.get(key, {}) if isinstance(table, dict) else {}
        for group, entries in table.items() if isinstance(table, dict) else ():
            named = entries.items() if isinstance(entries, dict) else ()
            found += [EntryPoint(group, name, value) for name, value in named if isinstance(value, str)]
    return found


def _distributions(folder: Path) -> list[Distribution]:
    try:
        return list(MetadataPathFinder.find_distributions(DistributionFinder.Context(path=[str(folder)])))
    except (OSError, ValueError):
        return []


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
