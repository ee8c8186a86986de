"""Measure the analyzer on the corpus: ``python -m tests.corpus``, or ``make corpus``.

Releases come from the package registry once; they, their environments and truth tables stay in the user's cache.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.corpus.compare import compare, judge_crash
from tests.corpus.environments import (
    TRUTH_PYTHON,
    EnvironmentUnavailable,
    prepare_environment,
    search_path_folder,
    truth_table,
)
from tests.corpus.scanning import Scan, run_scan
from tests.corpus.tables import Crash, Package, Tables, load_tables
from tests.corpus.tabulate import CrashRow, PackageRow, crash_table, details, package_table, totals
from tests.support.registry import SourcesUnavailable, fetch_sources

_FOUND_SHARE = 0.95
_MODULES_FOR_ONE_CONDITIONAL = 2000


def measure_crash(crash: Crash, timeout: float) -> CrashRow:
    """Scan the bad and the clean version of a case."""

    def scan(version: str) -> Scan:
        with _with_user_module(fetch_sources(crash.package, version), crash) as root:
            user_modules = [Path(name).stem for name in crash.user_module]
            return run_scan(root, [crash.top_level, *user_modules], crash.analysed_python, timeout=timeout)

    try:
        bad = scan(crash.bad)
        clean = scan(crash.clean) if crash.clean else None
    except SourcesUnavailable as reason:
        return CrashRow(crash, None, None, str(reason))
    return CrashRow(crash, judge_crash(crash, bad, clean), bad)


@contextmanager
def _with_user_module(root: Path, crash: Crash) -> Iterator[Path]:
    """The release's folder, or a copy of it with the user's module beside the packages."""
    if not crash.user_module:
        yield root
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy")
        shutil.copytree(root, copy)
        for name, text in crash.user_module.items():
            copy.joinpath(name).write_text(text, encoding="utf-8")
        yield copy


def measure_package(package: Package, timeout: float, truth_folder: Path | None) -> PackageRow:
    """Scan a package as it is installed, and compare with what CPython does."""
    try:
        python = prepare_environment(package)
        root = search_path_folder(python)
        if truth_folder is None:
            truth = truth_table(package, python)
        else:
            truth = json.loads(truth_folder.joinpath(f"{package.package}.json").read_text(encoding="utf-8"))
    except (EnvironmentUnavailable, SourcesUnavailable, FileNotFoundError) as reason:
        return PackageRow(package, None, None, str(reason))
    scan = run_scan(root, package.imports, TRUTH_PYTHON, timeout=timeout)
    return PackageRow(package, compare(truth, scan), scan)


def unmet(crashes: Sequence[CrashRow], packages: Sequence[PackageRow]) -> list[str]:
    """What falls short of what the analyzer promises."""
    short: list[str] = []
    for row in crashes:
        if row.verdict is not None and not row.verdict.found:
            short.append(f"{row.crash.package} {row.crash.bad}: the crash was not found")
        if row.verdict is not None and row.verdict.absent is False:
            short.append(f"{row.crash.package} {row.crash.clean}: the clean version is not shown to be clean")
    total = totals(packages)
    short += [
        f"{row.package.package}: {row.scan.problem}" for row in packages if row.scan is not None and row.scan.problem
    ]
    if total.found < _FOUND_SHARE * total.cycle_failures:
        short.append(f"{total.found} of {total.cycle_failures} failing entries found")
    if total.false_certain:
        short.append(f"IC101 on {total.false_certain} entries that import")
    if total.false_conditional * _MODULES_FOR_ONE_CONDITIONAL > total.modules:
        short.append(f"{total.false_conditional} IC102 findings on entries that import, in {total.modules} modules")
    if total.predicted < _FOUND_SHARE * total.deferred:
        short.append(f"{total.predicted} of {total.deferred} deferred imports predicted")
    if total.unconditional_ran < _FOUND_SHARE * total.unconditional:
        short.append(f"{total.unconditional_ran} of {total.unconditional} unconditional predictions ran")
    return short


def measure(tables: Tables, options: argparse.Namespace) -> tuple[list[CrashRow], list[PackageRow]]:
    """All rows, one after the other; each is told on standard error as it is done."""
    crashes: list[CrashRow] = []
    packages: list[PackageRow] = []
    if options.part in ("crashes", "all"):
        for crash in tables.crashes:
            print(f"crash {crash.package} {crash.bad} ...", file=sys.stderr, flush=True)
            crashes.append(measure_crash(crash, options.timeout))
    if options.part in ("packages", "all"):
        for package in tables.packages:
            print(f"package {package.package} {package.version} ...", file=sys.stderr, flush=True)
            row = measure_package(package, options.timeout, options.truth)
            print(package_table([row]).splitlines()[2], file=sys.stderr, flush=True)
            packages.append(row)
    return crashes, packages


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status is 1 when the analyzer falls short."""
    parser = argparse.ArgumentParser(prog="python -m tests.corpus", description=__doc__)
    parser.add_argument("--only", default="", help="packages to measure, separated by commas")
    parser.add_argument("--part", choices=("crashes", "packages", "all"), default="all")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one scan")
    parser.add_argument("--truth", type=Path, help="folder of truth tables made before, instead of the oracle")
    parser.add_argument("--output", type=Path, help="write the report to this file, too")
    options = parser.parse_args(arguments)
    try:
        tables = load_tables().only(frozenset(filter(None, options.only.split(","))))
    except ValueError as error:
        parser.error(str(error))
    crashes, packages = measure(tables, options)
    short = unmet(crashes, packages)
    parts = ["## Released crashes", crash_table(crashes)] if crashes else []
    parts += ["## Packages", package_table(packages), details(packages)] if packages else []
    parts.append("\n".join(["## Short of the promises", *(f"- {line}" for line in short or ["nothing"])]))
    report = "\n\n".join(filter(None, parts)) + "\n"
    print(report)
    if options.output:
        options.output.write_text(report, encoding="utf-8")
    return 1 if short else 0


if __name__ == "__main__":
    raise SystemExit(main())
