"""What stands for the files of a project: whether anything that an analysis looked at has changed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from importcycle.cache import digest_of
from importcycle.project.errors import SourceError
from importcycle.project.model import Module, ModuleKind, Project
from importcycle.project.source import read_source

MOST_BYTES_READ = 64 * 1024
"""Larger data files are not read to see whether they have changed."""
_MADE_BY_PYTHON = frozenset({"__pycache__"})
_DISTRIBUTION_SUFFIXES = (".dist-info", ".egg-info")


def source_modules(project: Project) -> list[Module]:
    """The modules that have a source."""
    return [module for module in project.modules.values() if module.kind is ModuleKind.SOURCE]


def content_digests(project: Project) -> dict[str, bytes]:
    """For each source module, what stands for its content; a file that cannot be read has its reason instead."""
    digests = {}
    for module in source_modules(project):
        try:
            digests[module.name] = digest_of(read_source(module))
        except SourceError as error:
            digests[module.name] = digest_of(b"unreadable", error.reason.encode("utf-8", "replace"))
    return digests


def layout_digest(project: Project) -> bytes:
    """Stands for all of the project but the contents of its sources.

    That is: its modules and settings; other files in its packages, which the packages' code can ask for; and what is
    installed beside it.
    """
    described = repr(
        (
            str(project.root),
            project.packages,
            [
                (each.name, each.kind.value, each.is_package, str(each.path), each.display_path, each.is_followed)
                for each in project.modules.values()
            ],
            project.python_version,
            project.platform,
            [str(path) for path in project.search_paths],
            [(each.display_path, each.reason) for each in project.unreadable],
            sorted(project.assume.items()),
            project.followed,
        )
    )
    parts = [described.encode("utf-8", "surrogatepass")]
    for folder in project.search_paths:
        parts += _listed(folder, deep=False)
    for folder in _package_folders(project):
        parts += _listed(folder, deep=True)
    return digest_of(*parts)


def _package_folders(project: Project) -> list[Path]:
    """The folders of top-level packages."""
    found: dict[Path, None] = {}
    for module in project.modules.values():
        if "." not in module.name:
            if module.kind is ModuleKind.NAMESPACE:
                found[module.path] = None
            elif module.is_package:
                found[module.path.parent] = None
    return sorted(found)


def _listed(folder: Path, *, deep: bool) -> Iterator[bytes]:
    """Names of the files in a folder; of those that are no Python sources, what stands for their content as well."""
    pending = [str(folder)]
    while pending:
        place = pending.pop()
        try:
            entries = sorted(os.scandir(place), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.name in _MADE_BY_PYTHON or entry.name.startswith("."):
                continue
            yield os.fsencode(entry.path)
            try:
                if entry.is_dir(follow_symlinks=False):
                    # What distributions say of themselves counts wherever these are installed.
                    if deep or entry.name.endswith(_DISTRIBUTION_SUFFIXES):
                        pending.append(entry.path)
                elif not entry.name.endswith(".py"):
                    yield _state(entry)
            except OSError:
                continue


def _state(entry: os.DirEntry[str]) -> bytes:
    """Size and content of a data file; of a large one the time of change instead of the content."""
    status = entry.stat()
    if status.st_size > MOST_BYTES_READ or not stat.S_ISREG(status.st_mode):
        return b"%d %d" % (status.st_size, status.st_mtime_ns)
    return digest_of(Path(entry.path).read_bytes())
