"""Where an interpreter keeps its packages, found without running any code that is installed there."""

from __future__ import annotations

import json
import os
import re
import shutil
import site
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from importcycle.project.errors import SourceError, TargetError
from importcycle.project.source import read_file

_PATIENCE = 30.0
"""Seconds that an interpreter has to answer."""

_SETTING = re.compile(r"^\s*([\w-]+)\s*=\s*(.*?)\s*$", re.MULTILINE)
_INTERPRETER = re.compile(r"python[\d.]*[a-z]*(?:\.exe)?|pypy[\d.]*(?:\.exe)?", re.IGNORECASE)

# Run with -I -S: neither the environment, the working directory, .pth files nor sitecustomize can have code run.
_QUESTION = """
import json, site, sys, sysconfig
prefixes = json.loads(sys.argv[1]) or [sys.prefix, sys.exec_prefix]
print(json.dumps({
    "version": list(sys.version_info[:2]),
    "platform": sys.platform,
    "site": site.getsitepackages(prefixes),
    "system": site.getsitepackages([sys.base_prefix, sys.base_exec_prefix]),
    "library": [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")],
}))
"""


@dataclass(frozen=True, slots=True)
class Environment:
    """What is known of an interpreter."""

    python_version: tuple[int, int]
    platform: str
    search_paths: tuple[Path, ...]
    """Its folders of installed packages, then its standard library."""


def running_environment() -> Environment:
    """The environment of the interpreter that runs this."""
    ignored = sys.flags.ignore_environment
    variable = "" if ignored else os.environ.get("PYTHONPATH", "")
    folders = [folder for folder in variable.split(os.pathsep) if folder]
    folders.extend(site.getsitepackages())
    if site.ENABLE_USER_SITE:
        folders.append(site.getusersitepackages())
    library = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")]
    return Environment(sys.version_info[:2], sys.platform, _search_paths(folders, library))


def environment_of(python: Path, *, untrusted: Path | None = None) -> Environment:
    """The environment of another interpreter, or of the virtual environment in a folder, by asking it.

    Args:
        python: The interpreter, or the folder of the virtual environment.
        untrusted: A folder of which nothing may be run. A virtual environment may lie there, its base may not.

    Raises:
        TargetError: there is no such interpreter, or it gives no proper answer.
    """
    executable = _executable(python)
    virtual = _virtual_environment(executable)
    if untrusted is not None:
        executable = _trusted(executable, virtual, untrusted)
    answer = _ask(executable, [str(virtual.folder)] if virtual else [])
    try:
        folders = [str(folder) for folder in answer["site"]]
        if virtual is None or virtual.sees_base:
            folders.extend(str(folder) for folder in answer["system"])
        library = [str(folder) for folder in answer["library"]]
        major, minor = answer["version"]
        return Environment((int(major), int(minor)), str(answer["platform"]), _search_paths(folders, library))
    except (KeyError, TypeError, ValueError) as error:
        raise TargetError(f"{executable} did not answer like a Python interpreter: name another one") from error


def _executable(python: Path) -> Path:
    if python.is_dir():
        for candidate in (python / "bin" / "python", python / "Scripts" / "python.exe"):
            if candidate.is_file():
                return candidate.absolute()
    elif python.is_file():
        return python.absolute()
    elif len(python.parts) == 1 and (found := shutil.which(str(python))) is not None:
        return Path(found).absolute()
    raise TargetError(
        f"no Python interpreter at {python}: give the path of an interpreter or of a virtual environment's folder"
    )


@dataclass(frozen=True, slots=True)
class _VirtualEnvironment:
    folder: Path
    base: Path | None
    """The folder of the interpreter that it was made from."""
    sees_base: bool
    """Whether the packages of that interpreter count as well."""


def _virtual_environment(executable: Path) -> _VirtualEnvironment | None:
    for folder in (executable.parent, executable.parent.parent):
        try:
            text = read_file(folder / "pyvenv.cfg").decode("utf-8", "replace")
        except SourceError:
            continue
        settings = {key.lower(): value for key, value in _SETTING.findall(text)}
        home = settings.get("home")
        sees_base = settings.get("include-system-site-packages", "").lower() == "true"
        return _VirtualEnvironment(folder, folder / home if home else None, sees_base)
    return None


def _trusted(executable: Path, virtual: _VirtualEnvironment | None, untrusted: Path) -> Path:
    """The interpreter, or that which its virtual environment was made from, if it lies outside of the folder."""
    # With a path in the virtual environment, Python would take its standard library from where pyvenv.cfg says.
    candidates = [Path(os.path.realpath(executable))]
    if virtual is not None and virtual.base is not None:
        candidates += [virtual.base / name for name in (executable.name, "python3", "python", "python.exe")]
    for candidate in candidates:
        real = Path(os.path.realpath(candidate))
        is_inside = Path(os.path.realpath(untrusted)) in real.parents
        if not is_inside and _INTERPRETER.fullmatch(real.name) and real.is_file():
            return real
    raise TargetError(
        f"{executable} is named by a configuration file and lies beside it, so it is not run: "
        "if you trust it, name it with --python"
    )


def _ask(executable: Path, prefixes: list[str]) -> dict[str, list[str]]:
    command = [str(executable), "-I", "-S", "-c", _QUESTION, json.dumps(prefixes)]
    try:
        with tempfile.TemporaryDirectory() as neutral_folder:
            done = subprocess.run(
                command,
                cwd=neutral_folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PATIENCE,
                check=True,
            )
        answer = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise TargetError(
            f"{executable} does not work as a Python 3 interpreter ({type(error).__name__}): name another one"
        ) from error
    if not isinstance(answer, dict):
        raise TargetError(f"{executable} did not answer like a Python interpreter: name another one")
    return answer


def _search_paths(folders: Iterable[str], library: Iterable[str | None]) -> tuple[Path, ...]:
    paths: dict[Path, None] = {}
    for folder in folders:
        path = Path(os.path.abspath(folder))
        if path.is_dir():
            paths.setdefault(path)
            for linked in _linked_folders(path):
                paths.setdefault(linked)
    for place in library:
        if place is not None and Path(place).is_dir():
            paths.setdefault(Path(place))
    return tuple(paths)


def _linked_folders(folder: Path) -> Iterator[Path]:
    """Folders that .pth files name, as editable installations do; lines of code in them are passed over."""
    for file in sorted(folder.glob("*.pth")):
        try:
            text = read_file(file).decode("utf-8", "surrogateescape")
        except SourceError:
            continue
        for line in text.splitlines():
            entry = line.strip()
            if not entry or entry.startswith(("#", "import ", "import\t")) or "\0" in entry:
                continue
            linked = folder / entry
            if linked.is_dir():
                yield linked
