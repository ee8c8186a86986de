"""Known findings: they are counted, and fail nothing until they get worse.

A finding is known by its crash: which name is asked of which half-loaded module, by which function, on behalf of which
module-level statement. It is worse than what is known, and therefore new, when it fails where it survived or was
hidden, when it needs fewer conditions, or when it has climbed to a package above, so that more imports fail. A cycle is
worse when it has modules that it did not have, or when it needs fewer imports inside functions.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from importcycle.findings.model import Finding, KnownFinding, Outcome
from importcycle.project import Project, SourceError, canonical_test, read_file
from importcycle.project.names import outermost

_VERSION = 1
_VERSION_KEY = "importcycle_baseline"
_CYCLE_RULES = ("IC302", "IC301", "IC202")
"""From the least harmful kind of cycle to the most harmful."""
_HARM = (Outcome.SURVIVES, Outcome.HIDDEN, Outcome.FAILS)


class BaselineError(Exception):
    """The file of known findings is missing, cannot be read or written, or is no such file."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The known findings."""

    known: tuple[KnownFinding, ...] = ()

    def covers(self, finding: Finding, project: Project) -> bool:
        """Whether the finding is known, and not worse than what is known."""
        return any(_covers(known, finding, project) for known in self.known)

    def gone(self, findings: Iterable[Finding], in_scope: Callable[[KnownFinding], bool]) -> tuple[KnownFinding, ...]:
        """What is known and no longer found in any form, of that which the scan could have found."""
        present = list(findings)
        keys = {finding.key for finding in present}
        cycles = [(finding.rule, set(finding.cycle)) for finding in present if _is_cycle(finding)]
        return tuple(
            known
            for known in self.known
            if in_scope(known)
            and (
                not any(rule in _CYCLE_RULES and cycle & set(known.modules) for rule, cycle in cycles)
                if known.modules
                else known.key not in keys
            )
        )


def known_finding(finding: Finding) -> KnownFinding:
    """What of a finding is kept: no line numbers, so that it stays true when lines move."""
    error = finding.error
    about = f"{error.type}: {error.text}" if error is not None else f"{finding.name} in {finding.location.path}"
    return KnownFinding(
        rule=finding.rule,
        outcome=outcome_of(finding),
        key=finding.key,
        about=about,
        path=finding.location.path,
        module=finding.location.module,
        conditions=_conditions(finding),
        entries=outermost(finding.entries),
        modules=tuple(sorted(finding.cycle)) if _is_cycle(finding) else (),
    )


def outcome_of(finding: Finding) -> Outcome:
    """What becomes of the import."""
    if finding.error is None:
        return Outcome.SURVIVES
    return Outcome.FAILS if finding.handler is None else Outcome.HIDDEN


def read_baseline(file: Path) -> Baseline:
    """The known findings in a file.

    Raises:
        BaselineError: it is missing or no such file.
    """
    try:
        document = json.loads(read_file(file))
        version = document[_VERSION_KEY]
        if version != _VERSION:
            raise BaselineError(f"{file}: this baseline is of version {version!r}, which this importcycle cannot read")
        return Baseline(tuple(_known(item) for item in document["findings"]))
    except SourceError as error:
        raise BaselineError(f"{file}: {error.reason}; 'importcycle baseline' writes it") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BaselineError(f"{file}: this is no baseline; 'importcycle baseline' writes it anew") from error


def write_baseline(file: Path, known: Iterable[KnownFinding]) -> None:
    """Write known findings to a file, in an order that makes for small differences, all or nothing.

    Raises:
        BaselineError: it cannot be written.
    """
    ordered = sorted(dict.fromkeys(known), key=lambda each: (each.rule, each.path, each.key, each.conditions))
    document = {_VERSION_KEY: _VERSION, "findings": [_item(each) for each in ordered]}
    text = json.dumps(document, indent=2) + "\n"
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="ascii", newline="\n", dir=file.parent, prefix=f".{file.name}.", delete=False
        ) as temporary:
            temporary.write(text)
        os.chmod(temporary.name, 0o644)
        os.replace(temporary.name, file)
    except OSError as error:
        raise BaselineError(f"cannot write {file}: {error.strerror or error}") from error


def _covers(known: KnownFinding, finding: Finding, project: Project) -> bool:
    if _is_cycle(finding):
        graver = _CYCLE_RULES[_CYCLE_RULES.index(finding.rule) :]
        return known.rule in graver and set(finding.cycle) <= set(known.modules)
    return (
        known.key == finding.key
        and _HARM.index(known.outcome) >= _HARM.index(outcome_of(finding))
        and set(known.conditions) <= set(_conditions(finding))
        and not _has_climbed(known, finding, project)
    )


def _has_climbed(known: KnownFinding, finding: Finding, project: Project) -> bool:
    """Whether the import of a package fails now, where that of modules below it was known to fail."""
    for entry in outermost(finding.entries):
        module = project.modules.get(entry)
        if module is not None and module.is_package and any(old.startswith(f"{entry}.") for old in known.entries):
            return True
    return False


def _is_cycle(finding: Finding) -> bool:
    return finding.rule in _CYCLE_RULES


def _conditions(finding: Finding) -> tuple[tuple[str, bool], ...]:
    return tuple(sorted({(canonical_test(each.test), each.value) for each in finding.conditions}))


def _item(known: KnownFinding) -> dict[str, Any]:
    item: dict[str, Any] = {
        "rule": known.rule,
        "outcome": known.outcome.value,
        "about": known.about,
        "path": known.path,
        "module": known.module,
        "conditions": dict(known.conditions),
        "entries": list(known.entries),
        "modules": list(known.modules),
        "key": known.key,
    }
    return {name: value for name, value in item.items() if value not in ([], {})}


def _known(item: Mapping[str, Any]) -> KnownFinding:
    return KnownFinding(
        rule=str(item["rule"]),
        outcome=Outcome(item["outcome"]),
        key=str(item["key"]),
        about=str(item["about"]),
        path=str(item["path"]),
        module=str(item["module"]),
        conditions=tuple(sorted((str(test), bool(value)) for test, value in item.get("conditions", {}).items())),
        entries=tuple(map(str, item.get("entries", ()))),
        modules=tuple(map(str, item.get("modules", ()))),
    )
