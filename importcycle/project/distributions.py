"""What an installed distribution is imported as, from its metadata: the two names are often different."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.metadata import Distribution, DistributionFinder, MetadataPathFinder
from pathlib import Path, PurePosixPath

_DISTRIBUTION = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


def imported_names(distribution: str, search_paths: Sequence[Path]) -> list[str]:
    """The public top-level packages and modules of the distribution of this name, sorted; empty when there is none."""
    if not _DISTRIBUTION.fullmatch(distribution):
        return []
    context = DistributionFinder.Context(name=distribution, path=[str(path) for path in search_paths])
    try:
        found = next(iter(MetadataPathFinder.find_distributions(context)), None)
        names = set() if found is None else _top_level(found)
    except (OSError, ValueError):
        return []
    return sorted(name for name in names if name.isidentifier() and not name.startswith("_"))


def _top_level(distribution: Distribution) -> set[str]:
    declared = distribution.read_text("top_level.txt")
    if declared is not None:
        return set(declared.split())
    paths = [PurePosixPath(file.as_posix()) for file in distribution.files or ()]
    return {path.parts[0] if len(path.parts) > 1 else path.stem for path in paths if path.suffix == ".py"}
