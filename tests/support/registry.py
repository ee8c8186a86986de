"""Python sources of a released distribution, from the package registry, in a cache outside the repository.

Only pip talks to the registry, so its configuration (mirrors, proxies, certificates) is honoured. Nothing of a wheel
is executed. A release that has no wheel is taken as a source archive, whose metadata pip may have to build.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO

import platformdirs

_WHEEL_PLATFORMS = (
    *(f"manylinux_2_{minor}_x86_64" for minor in range(40, 4, -1)),
    "manylinux2014_x86_64",
    "linux_x86_64",
    "macosx_14_0_arm64",
    "win_amd64",
)
"""Wheels of other machines hold the same Python files: they are taken where this machine has none of its own."""
_OTHER_PYTHONS = ("3.13", "3.12", "3.11", "3.10", "3.9", "3.8")
_UNREACHABLE_SIGNS = (
    "Retrying (",
    "ConnectionError",
    "ConnectTimeout",
    "SSLError",
    "ProxyError",
    "Network is unreachable",
)


class SourcesUnavailable(Exception):
    """The sources of a release could not be had; the text says why."""


class RegistryUnreachable(SourcesUnavailable):
    """The package registry does not answer."""


class ReleaseNotFound(SourcesUnavailable):
    """The registry answers, but has no such release."""


def cache_folder() -> Path:
    """The folder that holds all sources taken so far; ``XDG_CACHE_HOME`` moves it."""
    return platformdirs.user_cache_path("importcycle-sources", appauthor=False)


def fetch_sources(distribution: str, version: str, *, only_python: bool = True) -> Path:
    """A folder with the files of one release, its top-level packages in it; taken from the registry at first use.

    With ``only_python`` the folder holds only ``.py`` files, and each ``*.dist-info``'s entry points.

    Raises:
        RegistryUnreachable: nothing in the cache, and the registry does not answer.
        ReleaseNotFound: the registry has no such release.
    """
    target = cache_folder() / ("python" if only_python else "complete") / f"{distribution}-{version}"
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".incoming-") as incoming:
        unpacked = Path(incoming, "unpacked")
        _unpack(_download(distribution, version, Path(incoming)), unpacked, only_python=only_python)
        try:
            # A rename is atomic: a folder under its final name is always whole.
            unpacked.rename(target)
        except OSError:
            if not target.is_dir():  # Otherwise another process was quicker, with the same files.
                raise
    return target


def _download(distribution: str, version: str, folder: Path) -> Path:
    """The archive of a release: a wheel of this machine, else of any machine, else the source archive."""
    requirement = f"{distribution}=={version}"
    messages = ""
    for options in _attempts():
        archives = folder / "archives"
        archives.mkdir(exist_ok=True)
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--disable-pip-version-check"]
        command += ["--retries", "1", "--dest", str(archives), *options, requirement]
        completed = subprocess.run(command, capture_output=True, text=True, check=False)
        found = sorted(archives.iterdir())
        if completed.returncode == 0 and found:
            return found[0]
        messages = completed.stderr
        if any(sign in messages for sign in _UNREACHABLE_SIGNS):
            raise RegistryUnreachable(f"the package registry could not be reached for {requirement}")
    reason = next((line for line in reversed(messages.splitlines()) if line.startswith("ERROR")), messages.strip())
    raise ReleaseNotFound(f"{requirement} is not to be had from the package registry: {reason}")


def _attempts() -> Iterator[list[str]]:
    """Options of ``pip download``, the most faithful first."""
    yield ["--only-binary=:all:", "--ignore-requires-python"]
    platforms = [option for platform in _WHEEL_PLATFORMS for option in ("--platform", platform)]
    for python in _OTHER_PYTHONS:
        yield ["--only-binary=:all:", "--ignore-requires-python", "--python-version", python, *platforms]
    yield ["--no-binary=:all:", "--ignore-requires-python"]


def _unpack(archive: Path, target: Path, *, only_python: bool) -> None:
    target.mkdir()
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as wheel:
            members = [name for name in wheel.namelist() if not name.endswith("/")]
            for name, place in _places(members, is_wheel=archive.suffix == ".whl", only_python=only_python):
                with wheel.open(name) as source:
                    _write(source, target / place)
        return
    with tarfile.open(archive) as source_archive:
        files = {member.name: member for member in source_archive.getmembers() if member.isfile()}
        for name, place in _places(files, is_wheel=False, only_python=only_python):
            content = source_archive.extractfile(files[name])
            if content is not None:
                _write(content, target / place)


def _places(names: Iterable[str], *, is_wheel: bool, only_python: bool) -> Iterator[tuple[str, PurePosixPath]]:
    """Each wanted member's name, and the place relative to the target at which it is put."""
    inside = {name: _inside(name, is_wheel=is_wheel) for name in names}
    has_source_root = not is_wheel and any(
        len(place.parts) > 2 and place.parts[0] == "src" and place.suffix == ".py" for place in inside.values()
    )
    for name, place in inside.items():
        if has_source_root:
            if place.parts[:1] != ("src",):
                continue
            place = PurePosixPath(*place.parts[1:])
        if not place.parts or place.is_absolute() or ".." in place.parts:
            continue
        if not only_python or place.suffix == ".py" or place.name == "entry_points.txt":
            yield name, place


def _inside(name: str, *, is_wheel: bool) -> PurePosixPath:
    """The place as installed: without a source archive's top folder, or a wheel's folder of relocated files."""
    place = PurePosixPath(name)
    if not is_wheel:
        return PurePosixPath(*place.parts[1:])
    if place.parts[0].endswith(".data") and place.parts[1:2] in (("purelib",), ("platlib",)):
        return PurePosixPath(*place.parts[2:])
    return place


def _write(source: IO[bytes], place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("wb") as destination:
        shutil.copyfileobj(source, destination)


def main() -> int:
    """Print the folder of a release's sources: ``python -m tests.support.registry NAME VERSION``."""
    parser = argparse.ArgumentParser(description="Python sources of a release, from the package registry.")
    parser.add_argument("distribution")
    parser.add_argument("version")
    arguments = parser.parse_args()
    try:
        print(fetch_sources(arguments.distribution, arguments.version))
    except SourcesUnavailable as error:
        print(error, file=sys.stderr)
        return os.EX_UNAVAILABLE if hasattr(os, "EX_UNAVAILABLE") else 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
