"""A scan from targets to report: what the public function and the command line share."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from importcycle.findings import Evidence, Report, judge, select_rules
from importcycle.findings.cycles import import_cycles
from importcycle.graph import build_import_graph
from importcycle.importing import simulate, trace_entry
from importcycle.importing.outcomes import Event, Failure
from importcycle.project import TargetError, discover
from importcycle.project.model import ModuleKind, Project

Progress = Callable[[int, int], None]
_SCRIPT_SIGNS = re.compile(rb"\A#!|^if\s+\(?\s*__name__\s*==", re.MULTILINE)


def scan(
    *targets: str | Path,
    working_directory: str | Path | None = None,
    python: str | Path | None = None,
    python_version: str | tuple[int, int] | None = None,
    platform: str | None = None,
    entries: Sequence[str] | None = None,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    progress: Progress | None = None,
) -> Report:
    """Find the imports that fail because of a cycle, without importing or running anything of the targets.

    Args:
        targets: Names of packages, folders or files; without any, the packages of the working directory or its ``src``.
        working_directory: Where names and relative paths are looked for first; the current folder by default.
        python: Another interpreter, whose installed packages are looked for as well.
        python_version: The version of Python to be simulated, such as ``"3.12"``.
        platform: The value of ``sys.platform`` to be simulated.
        entries: Modules to be imported first; by default all, and files made to be run are run as scripts as well.
        select: Codes, names or prefixes of the rules to apply; by default all that are not off.
        ignore: Codes, names or prefixes of rules to leave out.
        progress: Called with the number of entries done and their total.

    Raises:
        TargetError: a target or an entry is not to be found, or the version is no version.
        UnknownRule: ``select`` or ``ignore`` names no rule.
    """
    rules = select_rules(select, ignore)
    project = find_project(targets, working_directory, python, python_version, platform)
    check_entries(project, entries or ())
    graph = build_import_graph(project)
    scripts = [script for script in _scripts(project) if entries is None or script in entries]
    simulation = simulate(project, entries=entries, scripts=scripts, progress=progress)
    cycles = import_cycles(project, graph)
    return judge(Evidence(project, simulation, cycles), rules)


def trace(project: Project, entry: str) -> tuple[tuple[Event, ...], tuple[Failure, ...]]:
    """What happens while the entry is imported first, in order, and how it fails.

    Raises:
        TargetError: the project has no such module.
    """
    check_entries(project, [entry])
    return trace_entry(project, entry)


def find_project(
    targets: Sequence[str | Path] = (),
    working_directory: str | Path | None = None,
    python: str | Path | None = None,
    python_version: str | tuple[int, int] | None = None,
    platform: str | None = None,
) -> Project:
    """The project of the targets; without targets that of the working directory.

    Raises:
        TargetError: a target is not to be found, or the version is no version.
    """
    folder = Path(working_directory) if working_directory is not None else Path.cwd()
    return discover(
        [str(target) for target in targets] or default_targets(folder),
        working_directory=folder,
        python=Path(python) if python is not None else None,
        python_version=_version(python_version),
        platform=platform,
    )


def default_targets(folder: Path) -> list[str]:
    """What to scan when nothing is named: the packages in ``src`` or in the folder, else all that the folder holds.

    Packages of tests, documentation and the like are left out when there are others.
    """
    for place in (folder / "src", folder):
        packages = sorted(path.parent for path in place.glob("*/__init__.py") if path.parent.name.isidentifier())
        products = [package for package in packages if package.name not in _SUPPORTING]
        if packages:
            return [str(package.relative_to(folder)) for package in products or packages]
    return ["."]


_SUPPORTING = frozenset(
    {"test", "tests", "testing", "doc", "docs", "example", "examples", "benchmarks", "scripts", "tools"}
)


def check_entries(project: Project, entries: Iterable[str]) -> None:
    """See to it that each entry is a module of the project.

    Raises:
        TargetError: one is not; the text names the nearest that is.
    """
    for entry in entries:
        if entry not in project.modules:
            near = difflib.get_close_matches(entry, project.modules, 1)
            meant = f"; did you mean {near[0]}?" if near else ""
            raise TargetError(f"no module {entry!r} in {', '.join(project.packages)}{meant}")


def _version(version: str | tuple[int, int] | None) -> tuple[int, int] | None:
    if not isinstance(version, str):
        return version
    match = re.fullmatch(r"(3)\.(\d{1,2})(\.\d+)?", version.strip())
    if match is None:
        raise TargetError(f"{version!r} is no version of Python 3: give one such as 3.12")
    return int(match[1]), int(match[2])


def _scripts(project: Project) -> list[str]:
    """Top-level files that are made to be run: with ``if __name__ == ...`` or ``#!``."""
    return sorted(
        name
        for name, module in project.modules.items()
        if "." not in name and not module.is_package and module.kind is ModuleKind.SOURCE and _is_script(module.path)
    )


def _is_script(path: Path) -> bool:
    try:
        return _SCRIPT_SIGNS.search(path.read_bytes()) is not None
    except OSError:
        return False
