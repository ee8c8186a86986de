"""One input through the whole scan, and what has to hold of it."""

from __future__ import annotations

import json
import time
from pathlib import Path
from random import Random

from importcycle import Report, Severity, scan
from importcycle.project import SourceError, decode_source
from importcycle.project.syntax import UnparsableError, parse
from importcycle.report.formats import FORMAT_NAMES, TERMINAL_FORMAT, render
from importcycle.report.locations import SourceLocations

from .mutate import mutated_source

BUDGET = 30.0
"""Seconds of processor time that an input may take."""
CRASH = {
    "shop/__init__.py": "",
    "shop/orders.py": "from shop.customers import Customer\nclass Order: ...\n",
    "shop/customers.py": "from shop.orders import Order\nclass Customer: ...\n",
}


class Violation(Exception):
    """Something that has to hold does not; the text says what."""


def write_input(folder: Path, seed: str, number: int) -> None:
    """Write the project of that number in the run of that seed."""
    random = Random(f"{seed}:{number}")
    (folder / "shop").mkdir(parents=True, exist_ok=True)
    for name, text in CRASH.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name in ("a", "b"):
        start = random.choice(
            (b"", b"", b"import shop.a, shop.b\n", b"from shop.b import *\n", b"from . import a, b\n")
        )
        (folder / "shop" / f"{name}.py").write_bytes(start + mutated_source(random))


def check_input(folder: Path) -> float:
    """Scan the project in a folder, and give the seconds it took.

    Raises:
        Violation: something that has to hold does not; any other exception is a fault, too.
    """
    begun = time.process_time()
    report = scan("shop", working_directory=folder, configuration=False, python_version="3.13")
    _check_report(report)
    for name in ("a", "b"):
        _check_left_out(folder / "shop" / f"{name}.py", report)
    taken = time.process_time() - begun
    if taken > BUDGET:
        raise Violation(f"it took {taken:.0f} s")
    return taken


def _check_report(report: Report) -> None:
    crashes = {finding.location.path for finding in report.findings if finding.rule in ("IC101", "IC102")}
    if not {"shop/orders.py", "shop/customers.py"} <= crashes:
        raise Violation("the crash beside the input is not found")
    locations = SourceLocations(report.project, report.project.root)
    for name in FORMAT_NAMES:
        if name != TERMINAL_FORMAT:
            text = render(name, report, locations, version="0", threshold=Severity.ERROR, deferred=True)
            text.encode("utf-8", "backslashreplace")
            if name in ("json", "sarif", "gitlab"):
                json.loads(text)


def _check_left_out(path: Path, report: Report) -> None:
    """A file that cannot be parsed is named; no other file is."""
    named = any(each.rule == "IC901" and each.location.path == f"shop/{path.name}" for each in report.findings)
    try:
        parse(decode_source(path.read_bytes()))
    except (SourceError, UnparsableError) as error:
        if not named:
            raise Violation(f"{path.name} is left out in silence: {error}") from error
    else:
        if named:
            raise Violation(f"{path.name} is left out, though it can be parsed")
