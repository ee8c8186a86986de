"""A scan from targets to report: what the public function and the command line share."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from importcycle.analysis import analyse, local_workers
from importcycle.cache import open_cache
from importcycle.configuration import DEFAULT_ORIGIN, NEVER, OFF, Settings, load_settings
from importcycle.findings import (
    ALL_RULES,
    BaselineUpdate,
    Evidence,
    Report,
    Rule,
    Severity,
    find_rule,
    judge,
    level_of,
    select_rules,
)
from importcycle.findings.baseline import Baseline, BaselineError, known_finding, read_baseline, write_baseline
from importcycle.findings.gate import Gate
from importcycle.findings.rules.unused_ignore import CODE as UNUSED_IGNORE
from importcycle.importing.outcomes import Event, Failure
from importcycle.project import PathPatterns, TargetError, canonical_test, discover
from importcycle.project.model import ModuleKind, Project
from importcycle.project.names import lies_in
from importcycle.report.locations import repository_folder

Progress = Callable[[int, int], None]
_SCRIPT_SIGNS = re.compile(rb"\A#!|^if\s+\(?\s*__name__\s*==", re.MULTILINE)


def scan(
    *targets: str | Path,
    working_directory: str | Path | None = None,
    configuration: str | Path | bool = True,
    source_roots: Sequence[str | Path] | None = None,
    follow: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    per_path_ignores: Mapping[str, Sequence[str]] | None = None,
    severity: Mapping[str, str] | None = None,
    fail_on: str | None = None,
    python: str | Path | None = None,
    python_version: str | tuple[int, int] | None = None,
    platform: str | None = None,
    assume: Mapping[str, bool] | None = None,
    entries: Sequence[str] | None = None,
    baseline: str | Path | bool | None = None,
    warn_unused_ignores: bool | None = None,
    cache_dir: str | Path | bool | None = None,
    jobs: int | None = None,
    executor: Executor | None = None,
    max_file_size: float | None = None,
    progress: Progress | None = None,
) -> Report:
    """Find the imports that fail because of a cycle, without importing or running anything of the targets.

    What is not given comes from the configuration file, as on the command line, and from defaults.

    Args:
        targets: Names of packages, folders or files; without any, those of the configuration, else the packages of the
            working directory or its ``src``.
        working_directory: Where names and relative paths are looked for first; the current folder by default.
        configuration: The file; ``True`` for the nearest from the working directory upwards, ``False`` for none.
        source_roots: Folders that hold top-level packages.
        follow: Names of packages of others to look into where the target imports them; without this, nothing is known
            of what they do. The modules that are imported first stay those of the targets.
        exclude: Files that are not analysed, by patterns as in ``.gitignore``: they can be imported, and bind anything.
        select: Codes, names or prefixes of the rules to apply; by default all that are not off.
        ignore: Codes, names or prefixes of rules to leave out.
        per_path_ignores: Rules to leave out for files, by pattern.
        severity: Severity of rules, by code: ``"error"``, ``"warning"``, ``"note"`` or ``"off"``.
        fail_on: The least grave finding that makes ``Report.failed`` true: a severity, or ``"never"``.
        python: Another interpreter, whose installed packages are looked for as well.
        python_version: The version of Python to be simulated, such as ``"3.12"``.
        platform: The value of ``sys.platform`` to be simulated.
        assume: Values of tests that are known, by the test's source text.
        entries: Modules to be imported first; by default all, and files made to be run are run as scripts as well.
        baseline: The file of known findings, ``False`` for none; by default ``importcycle-baseline.json`` if it exists.
        warn_unused_ignores: Whether to report comments that silence nothing.
        cache_dir: The folder in which results are kept for the next scan; ``False``, the default here, for none.
        jobs: Processes to use at once; the default here is 1, since others may run the caller's main module again.
        executor: Does work beside the simulation, in place of processes of one's own: any one whose workers see the
            same files, such as that of a cluster. Of ``multiprocessing``, take a context that spawns: processes forked
            after a scan would wait for ever for threads that they do not have.
        max_file_size: Files of more megabytes are left out.
        progress: Called with the number of entries done and their total.

    Raises:
        TargetError: a target, a followed package or an entry is not to be found.
        ConfigurationError: a setting is unknown or of the wrong kind; or names no rule.
        BaselineError: the file of known findings is missing or no such file.
    """
    given = {
        "targets": targets,
        "source_roots": source_roots,
        "follow": follow,
        "exclude": exclude,
        "select": select,
        "ignore": ignore,
        "per_path_ignores": per_path_ignores,
        "severity": severity,
        "fail_on": fail_on,
        "python": python,
        "python_version": python_version,
        "platform": platform,
        "assume": assume,
        "entries": entries,
        "baseline": baseline,
        "warn_unused_ignores": warn_unused_ignores,
        "cache_dir": cache_dir,
        "jobs": jobs,
        "max_file_size": max_file_size,
    }
    settings = load_settings(
        Path(working_directory) if working_directory is not None else None,
        file=None if isinstance(configuration, bool) else Path(configuration),
        search=configuration is True,
        overrides=given,
    )
    return scan_with(settings, progress=progress, executor=executor)


def scan_with(settings: Settings, *, progress: Progress | None = None, executor: Executor | None = None) -> Report:
    """The scan that the settings describe; for the executor see ``scan``.

    Raises:
        TargetError: a target or an entry is not to be found.
        BaselineError: the file of known findings is missing or no such file.
    """
    return _scan(settings, baseline_of(settings), progress, executor)[0]


def _scan(
    settings: Settings, baseline: Baseline | None, progress: Progress | None, executor: Executor | None = None
) -> tuple[Report, Gate]:
    rules = chosen_rules(settings)
    found = find_project(settings)
    project, excluded = without_excluded(found, settings)
    entries = _entries(project, settings, excluded)
    scripts = [
        script for script in _scripts(project) if (entries is None or script in entries) and script not in excluded
    ]
    evidence = _analysed(settings, project, entries, scripts, progress, executor)
    gate = gate_of(settings, project, baseline)
    judged_by = ALL_RULES if gate.unused_ignores is not None else rules
    return gate.apply(judge(evidence, judged_by)), gate


def _analysed(
    settings: Settings,
    project: Project,
    entries: Sequence[str] | None,
    scripts: Sequence[str],
    progress: Progress | None,
    executor: Executor | None,
) -> Evidence:
    cache = open_cache(settings.cache_dir)
    try:
        with local_workers(settings.jobs) if executor is None else nullcontext(executor) as workers:
            return analyse(project, entries=entries, scripts=scripts, cache=cache, executor=workers, progress=progress)
    finally:
        cache.close()


def gate_of(settings: Settings, project: Project, baseline: Baseline | None) -> Gate:
    """What the settings say about findings."""
    rules = chosen_rules(settings)
    unused = find_rule(UNUSED_IGNORE)
    reports_unused = unused in rules or (
        settings.warn_unused_ignores and unused in select_rules([UNUSED_IGNORE], settings.ignore)
    )
    return Gate(
        rules=(*rules, unused) if reports_unused and unused not in rules else rules,
        levels=settings.severity,
        ignored_paths=[
            (PathPatterns([pattern], settings.folder, project), codes)
            for pattern, codes in settings.per_path_ignores.items()
        ],
        baseline=baseline,
        unused_ignores=unused if reports_unused else None,
        all_entries=not settings.entries,
        fail_on=None if settings.fail_on == NEVER else Severity(settings.fail_on),
    )


def baseline_of(settings: Settings) -> Baseline | None:
    """The known findings; a file that is not named need not be there.

    Raises:
        BaselineError: the file is missing or no such file.
    """
    file = settings.baseline
    if file is None or (settings.origin("baseline") == DEFAULT_ORIGIN and not file.exists()):
        return None
    return read_baseline(file)


def update_baseline(settings: Settings, *, prune: bool = False, progress: Progress | None = None) -> BaselineUpdate:
    """Write the findings of a scan to the file of known findings.

    What the file knows of modules that the scan does not cover, or of rules that it does not apply, is kept.

    Args:
        settings: What to scan, and the file.
        prune: Keep only what is known and still found, in its present form; nothing is added.
        progress: Called with the number of entries done and their total.

    Raises:
        TargetError: a target or an entry is not to be found.
        BaselineError: the settings name no file; or it cannot be written, or is there and no such file.
    """
    file = settings.baseline
    if file is None:
        raise BaselineError("the setting 'baseline' is false: name a file with --baseline")
    before = read_baseline(file) if prune or file.exists() else Baseline()
    report, gate = _scan(settings, before if prune else None, progress)
    found = [known_finding(finding) for finding in (report.known if prune else report.findings)]
    elsewhere = [known for known in before.known if not gate.is_in_scope(known, report.project)]
    after = tuple(dict.fromkeys([*found, *elsewhere]))
    write_baseline(file, after)
    keys_before, keys_after = ({(known.rule, known.key) for known in each} for each in (before.known, after))
    return BaselineUpdate(file, after, len(keys_after - keys_before), len(keys_before - keys_after))


def chosen_rules(settings: Settings) -> tuple[Rule, ...]:
    """The rules to apply.

    A severity that is set turns its rule on, unless rules are selected; ``off`` turns it off.
    """
    rules = select_rules(settings.select, settings.ignore)
    graded = [code for code, level in settings.severity.items() if level != OFF]
    if graded and not settings.select:
        turned_on = select_rules(graded, settings.ignore)
        rules = tuple(rule for rule in ALL_RULES if rule in rules or rule in turned_on)
    return tuple(rule for rule in rules if level_of(rule.code, rule.name, settings.severity) != OFF)


def without_excluded(project: Project, settings: Settings) -> tuple[Project, frozenset[str]]:
    """The project with its excluded modules closed to analysis, and their names.

    They stay importable: it is not known what they bind. Packages of which all is excluded are left out.

    Raises:
        TargetError: nothing is left.
    """
    if not settings.exclude:
        return project, frozenset()
    patterns = PathPatterns(settings.exclude, settings.folder, project)
    excluded = {name for name, module in project.modules.items() if patterns.match(module.display_path)}
    packages = tuple(
        package
        for package in project.packages
        if any(lies_in(name, package) for name in project.modules.keys() - excluded)
    )
    if not packages:
        raise TargetError(f"all modules of {', '.join(project.packages)} are excluded: see the setting 'exclude'")
    modules = {
        name: replace(module, kind=ModuleKind.EXTENSION) if name in excluded else module
        for name, module in project.modules.items()
        if name not in excluded or module.is_followed or any(lies_in(name, package) for package in packages)
    }
    unreadable = tuple(each for each in project.unreadable if not patterns.match(each.display_path))
    closed = replace(project, packages=packages, modules=modules, unreadable=unreadable)
    return closed, frozenset(excluded & modules.keys())


def _entries(project: Project, settings: Settings, excluded: frozenset[str]) -> list[str] | None:
    if settings.entries:
        check_entries(project, settings.entries)
        return list(settings.entries)
    if not excluded:
        return None
    return [name for name in project.target_modules() if name not in excluded and name.rpartition(".")[2] != "__main__"]


def trace_with(settings: Settings, entry: str) -> tuple[Project, tuple[Event, ...], tuple[Failure, ...]]:
    """What happens while the entry is imported first, in order, and how it fails; and the project it belongs to.

    Raises:
        TargetError: the project has no such module.
    """
    found = find_project(settings) if settings.is_given("targets") else _project_of(entry, settings)
    project, _ = without_excluded(found, settings)
    if not project.is_followed(entry):
        check_entries(project, [entry])
    from importcycle.graph import build_import_graph
    from importcycle.importing import Sources, trace_entry  # not at the top: most scans find all they need in the cache

    sources = Sources(project, invalid=build_import_graph(project).unparsable)
    return (project, *trace_entry(project, entry, sources=sources))


def _project_of(entry: str, settings: Settings) -> Project:
    """The package that the entry's name says, else the configured targets."""
    try:
        return find_project(replace(settings, targets=(entry.partition(".")[0],)))
    except TargetError:
        if not settings.targets:
            raise
        return find_project(settings)


def find_project(settings: Settings) -> Project:
    """The project of the targets; without targets that of the configuration's folder.

    Raises:
        TargetError: a target is not to be found.
    """
    project = discover(
        settings.targets or default_targets(settings.working_directory, settings.source_roots),
        working_directory=settings.working_directory,
        python=settings.python,
        python_version=settings.python_version,
        platform=settings.platform,
        source_roots=settings.source_roots,
        follow=settings.follow,
        untrusted=None if settings.is_given("python") else repository_folder(settings.folder),
    )
    if settings.max_file_size is not None:
        size = round(settings.max_file_size * 1_000_000)
        modules = {name: replace(module, most_bytes=size) for name, module in project.modules.items()}
        project = replace(project, modules=modules)
    return replace(project, assume={canonical_test(test): value for test, value in settings.assume.items()})


def default_targets(folder: Path, source_roots: Sequence[Path] = ()) -> list[str]:
    """What to scan when nothing is named: the packages in the source roots, else those in ``src`` or in the folder.

    In a folder that is a package itself, or holds none, it is the folder. Packages of tests, documentation and the like
    are left out when there are others.
    """
    if (folder / "__init__.py").is_file() and not source_roots:
        return ["."]
    for places in [source_roots] if source_roots else [(folder / "src",), (folder,)]:
        packages = sorted(
            path.parent for place in places for path in place.glob("*/__init__.py") if path.parent.name.isidentifier()
        )
        products = [package for package in packages if package.name not in _SUPPORTING]
        if packages:
            return [str(package) for package in products or packages]
    return [str(root) for root in source_roots] or ["."]


_SUPPORTING = frozenset(
    {"test", "tests", "testing", "doc", "docs", "example", "examples", "benchmarks", "scripts", "tools"}
)


def check_entries(project: Project, entries: Iterable[str]) -> None:
    """See to it that each entry is a module of the target.

    Raises:
        TargetError: one is not; the text names the nearest that is.
    """
    for entry in entries:
        if project.is_followed(entry):
            raise TargetError(f"{entry} is of a followed package: to import it first, name the package as a target")
        if entry not in project.modules:
            near = difflib.get_close_matches(entry, project.modules, 1)
            meant = f"; did you mean {near[0]}?" if near else ""
            raise TargetError(f"no module {entry!r} in {', '.join(project.packages)}{meant}")


def _scripts(project: Project) -> list[str]:
    """Top-level files that are made to be run: with ``if __name__ == ...`` or ``#!``."""
    return sorted(
        name
        for name, module in project.modules.items()
        if "." not in name
        and not (module.is_package or module.is_followed)
        and module.kind is ModuleKind.SOURCE
        and _is_script(module.path)
    )


def _is_script(path: Path) -> bool:
    try:
        return _SCRIPT_SIGNS.search(path.read_bytes()) is not None
    except OSError:
        return False
