"""From failures to findings: the same crash seen from many entries is one finding."""

from __future__ import annotations

import hashlib
import keyword
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from importcycle.findings.model import ErrorFacts, Evidence, Finding, Rule
from importcycle.findings.wording import error_text
from importcycle.importing.outcomes import Condition, Failure, FailureKind, Site, Step, StepKind
from importcycle.project.conditions import canonical_test
from importcycle.project.model import Module, ModuleKind, Project
from importcycle.project.names import outermost

Message = Callable[[Failure, int], str]
Advice = Callable[[Failure, int | None], str]
_Conditions = frozenset[tuple[str, bool]]
_ENDING = frozenset({FailureKind.CRASH, FailureKind.MISSING, FailureKind.SHADOWED})
"""Kinds of failures that end the import of the entry."""


def judge_failures(
    evidence: Evidence,
    rule: Rule,
    failures: Iterable[Failure],
    *,
    family: str,
    message: Message,
    advice: Advice,
    raises: bool = True,
) -> list[Finding]:
    """One finding for each distinct crash among the failures, and each distinct set of conditions it has.

    ``family`` stands for the rule in the fingerprint: IC101 and IC102 are of one.
    Without ``raises`` the findings have no error: nothing is raised.
    """
    groups: dict[tuple[object, ...], list[Failure]] = defaultdict(list)
    concerning = (failure for failure in failures if _concerns_target(failure, evidence.project))
    for failure in _without_implied_conditions(concerning):
        groups[(failure.script, _crash_key(failure), _condition_set(failure.conditions))].append(failure)
    findings = []
    for group in groups.values():
        chosen = min(group, key=_preference)
        entries = {failure.entry for failure in group}
        if not chosen.script:
            entries = _with_descendants(entries, evidence.project)
        trigger = triggering_step(chosen)
        key = _crash_name(chosen, trigger)
        findings.append(
            Finding(
                rule=rule.code,
                name=rule.name,
                severity=rule.severity,
                fingerprint=fingerprint(family, key, *_condition_texts(chosen.conditions)),
                message=message(chosen, len(entries)),
                error=error_facts(chosen, evidence.project) if raises else None,
                location=chosen.site,
                bound_at=chosen.bound_at,
                entry=chosen.entry,
                entries=tuple(sorted(entries)),
                cycle=chosen.cycle,
                conditions=chosen.conditions,
                exact=chosen.exact,
                trace=chosen.trace,
                fix=_advised(advice, chosen, trigger, evidence.project),
                reached=chosen.reached,
                trigger=trigger,
                handler=chosen.handler,
                script=chosen.script,
                key=key,
            )
        )
    return findings


def _concerns_target(failure: Failure, project: Project) -> bool:
    """Whether the failure ends an import of the target, or comes about in a cycle that modules of the target are in.

    What followed packages survive among themselves is not for the user to mend.
    """
    if failure.kind in _ENDING:
        return True
    return not all(map(project.is_followed, (failure.site.module, failure.module, *failure.cycle)))


def _advised(advice: Advice, failure: Failure, trigger: int | None, project: Project) -> str:
    """Advice that users can follow: they do not change packages of others."""
    if failure.cycle and all(map(project.is_of_others, (failure.module, failure.site.module, *failure.cycle))):
        package = failure.module.partition(".")[0]
        return f"the cycle is {package}'s own: import another of its modules before, or report it to its authors"
    if trigger is not None and project.is_of_others(failure.trace[trigger].site.module):
        return advice(failure, None)
    return advice(failure, trigger)


def plain_finding(rule: Rule, location: Site, message: str, *, trace: Sequence[Step] = (), fix: str = "") -> Finding:
    """A finding about one place, with no error and no entry."""
    key = fingerprint(rule.code, location.module, location.path, location.function or "", message)
    return Finding(
        rule=rule.code,
        name=rule.name,
        severity=rule.severity,
        fingerprint=key,
        message=message,
        error=None,
        location=location,
        bound_at=None,
        entry=None,
        entries=(),
        cycle=(),
        conditions=(),
        exact=True,
        trace=tuple(trace),
        fix=fix,
        key=key,
    )


def error_facts(failure: Failure, project: Project) -> ErrorFacts:
    """The exception of the failing statement."""
    return ErrorFacts(failure.error_type, error_text(failure, project), failure.module, failure.name)


def triggering_step(failure: Failure) -> int | None:
    """Index of the module-level statement to blame.

    That is the innermost module-level statement that reaches the failure by a call; where the path is made of imports
    alone, the statement at which the half-loaded module stands.
    """
    module_level = [index for index, step in enumerate(failure.trace) if step.site.function is None]
    for index in reversed(module_level):
        if failure.trace[index].kind is StepKind.CALL:
            return index
    reached = failure.reached
    if reached is None:
        return None
    matching = [i for i in module_level if _place(failure.trace[i].site) == _place(reached)]
    return matching[-1] if matching else None


def fingerprint(*parts: str) -> str:
    """A short stable name for the parts."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:20]


def sort_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The gravest first, then by place; the same order in every run."""
    return tuple(sorted(findings, key=_order))


def _order(finding: Finding) -> tuple[object, ...]:
    site = finding.location
    tests = tuple((condition.test, condition.value) for condition in finding.conditions)
    place = (site.path, site.line, site.column, site.module, site.function or "")
    return (finding.severity.rank, finding.rule, *place, finding.entry or "", tests, finding.message)


def _crash_key(failure: Failure) -> tuple[object, ...]:
    trigger = triggering_step(failure)
    statement = failure.trace[trigger].site if trigger is not None else failure.reached
    asked = (failure.kind.value, failure.error_type, failure.module, failure.name)
    return (*asked, _place(failure.site), _place(statement) if statement is not None else None)


def _place(site: Site) -> tuple[str, int, str | None]:
    return (site.module, site.line, site.function)


def _condition_set(conditions: Iterable[Condition]) -> _Conditions:
    return frozenset((condition.test, condition.value) for condition in conditions)


def _without_implied_conditions(failures: Iterable[Failure]) -> list[Failure]:
    """Leave out failures whose conditions only add to those of another failure of the same entry and crash."""
    by_entry: dict[tuple[object, ...], dict[_Conditions, Failure]] = defaultdict(dict)
    for failure in failures:
        key = (failure.entry, failure.script, _crash_key(failure))
        by_entry[key].setdefault(_condition_set(failure.conditions), failure)
    return [
        failure
        for candidates in by_entry.values()
        for conditions, failure in candidates.items()
        if not any(other < conditions for other in candidates)
    ]


def _preference(failure: Failure) -> tuple[object, ...]:
    """A package before its modules, a plain import before a script; then the shorter path."""
    return (failure.script, failure.entry.count("."), len(failure.trace), len(failure.entry), failure.entry)


def _with_descendants(entries: set[str], project: Project) -> set[str]:
    """The entries and all modules below them: importing ``a.b.c`` starts with ``a``, then ``a.b``."""
    packages = {entry for entry in entries if _can_hold_modules(project.modules.get(entry))}
    beginnings = tuple(f"{each}." for each in outermost(packages))
    return entries | {name for name in project.target_modules() if name.startswith(beginnings)}


def _can_hold_modules(module: Module | None) -> bool:
    return module is not None and (module.is_package or module.kind is ModuleKind.EXTENSION)


def _condition_texts(conditions: Iterable[Condition]) -> list[str]:
    return sorted({f"{canonical_test(condition.test)} is {condition.value}" for condition in conditions})


def _crash_name(failure: Failure, trigger: int | None) -> str:
    """Names the crash by the name asked for, who asks, and on behalf of which module-level statement."""
    statement = failure.trace[trigger] if trigger is not None else None
    following = failure.trace[trigger + 1] if trigger is not None and trigger + 1 < len(failure.trace) else None
    return fingerprint(
        "script" if failure.script else "",
        failure.module,
        failure.name,
        failure.site.module,
        failure.site.function or "",
        statement.site.module if statement is not None else "",
        _statement_name(statement.text) if statement is not None else "",
        f"{following.site.module}:{following.site.function or ''}" if following is not None else "",
    )


def _statement_name(text: str) -> str:
    """The leading words that name a statement: they stay when a formatter breaks the line elsewhere."""
    words = re.findall(r"\w+", text)
    return " ".join(words[:2] if words and keyword.iskeyword(words[0]) else words[:1])
