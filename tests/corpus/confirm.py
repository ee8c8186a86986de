"""Let CPython confirm each crash that a scan reports: ``python -m tests.corpus.confirm DOCUMENT.json FOLDER``.

Each finding's entry is imported in a fresh interpreter with stand-ins for missing packages, and with the finding's own
conditions written into the code. Where that does not fail as reported, it is tried again in the other worlds that
stand-ins can make. What no run shows is not yet false: it is to be looked into.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SCRIPT = Path(__file__).with_name("stand_ins.py")
_RULES = ("IC101", "IC102", "IC103", "IC105")
_WORLDS: tuple[tuple[str, ...], ...] = ((), ("--false",), ("--version", "0.0.1"))
"""Stand-ins that are true, that are false, that are very old."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """Whether a run failed as the finding says, and what the last run did otherwise."""

    finding: Mapping[str, Any]
    shown: bool
    remark: str


def confirm(
    finding: Mapping[str, Any], root: Path, python: str, options: Sequence[str] = (), *, timeout: float = 120
) -> Confirmation:
    """Run the finding's entry in each world until one fails as reported."""
    remarks: list[str] = []
    for world in _WORLDS:
        command = [python, str(_SCRIPT), str(root), finding["entry"], *_conditions(finding), *world, *options]
        outcome = _run(command, timeout)
        if isinstance(outcome, str):
            remarks.append(outcome)
            continue
        if any(_is_same(finding["error"], failure) for failure in _failures(outcome)):
            return Confirmation(finding, True, " ".join(world))
        not_forced = f"; not forced: {outcome['not_forced']}" if outcome["not_forced"] else ""
        remarks.append(_told(outcome) + not_forced)
    return Confirmation(finding, False, "; ".join(dict.fromkeys(remarks)))


def _conditions(finding: Mapping[str, Any]) -> Iterator[str]:
    for condition in finding["conditions"]:
        words = condition["test"].split()
        if words[0] in ("import", "from") and not condition["value"]:
            yield from ("--absent", words[1].partition(".")[0])
        else:
            yield "--assume"
            yield f"{condition['path']}:{condition['line']}:{condition['test']}={condition['value']}"


def _run(command: Sequence[str], timeout: float) -> Mapping[str, Any] | str:
    try:
        completed = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout)
        outcome: Mapping[str, Any] = json.loads(completed.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        return "took too long"
    except (IndexError, ValueError):
        return f"died: {completed.stderr.strip()[-200:]}"
    return outcome


def _failures(outcome: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """What ended the import, what that came from, and what handlers caught."""
    error = outcome["error"]
    while error is not None:
        yield error
        error = error.get("behind")
    yield from outcome["raised"]


def _is_same(expected: Mapping[str, Any], failure: Mapping[str, Any]) -> bool:
    if failure["type"] != expected["type"] or failure["name"] != expected["name"]:
        return False
    # A NameError does not tell whose global is missing.
    return bool(failure["module"] == expected["module"] or failure["type"] == "NameError")


def _told(outcome: Mapping[str, Any]) -> str:
    error = outcome["error"]
    if error is None:
        return "imports"
    place = error["frames"][-1] if error["frames"] else {"path": "?", "line": 0}
    return f"fails otherwise: {error['type']} at {place['path']}:{place['line']}: {error['message'][:120]}"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; further options go to the stand-ins. The exit status is 1 when a finding was not shown."""
    parser = argparse.ArgumentParser(prog="python -m tests.corpus.confirm", description=__doc__)
    parser.add_argument("document", type=Path, help="what `importcycle scan --format json` printed")
    parser.add_argument("root", type=Path, help="folder that the target's packages are in")
    parser.add_argument("--python", default=sys.executable, help="CPython to ask")
    options, others = parser.parse_known_args(arguments)
    findings = json.loads(options.document.read_text(encoding="utf-8"))["findings"]
    missing = 0
    for finding in findings:
        if finding["rule"] not in _RULES:
            continue
        result = confirm(finding, options.root, options.python, others)
        missing += not result.shown
        error, place = finding["error"], finding["location"]
        print(
            "shown    " if result.shown else "NOT SHOWN",
            f"{finding['rule']} {finding['entry']}: {error['type']} {error['name']} of {error['module']}",
            f"at {place['path']}:{place['line']} {result.remark}",
            flush=True,
        )
    return 1 if missing else 0


if __name__ == "__main__":
    raise SystemExit(main())
