"""From what the rules find to what counts: findings silenced by users and known ones are set apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from importcycle.findings.baseline import Baseline
from importcycle.findings.grading import count_by_severity, regrade
from importcycle.findings.judging import sort_findings
from importcycle.findings.model import Finding, KnownFinding, Report, Rule, Severity
from importcycle.findings.rules import select_rules
from importcycle.findings.suppression import Suppressions
from importcycle.project import PathPatterns, Project


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """What the user has said about findings."""

    rules: tuple[Rule, ...]
    """The rules that are applied."""
    levels: Mapping[str, str] = field(default_factory=dict)
    """Severities by code, name or prefix of a rule."""
    ignored_paths: Sequence[tuple[PathPatterns, Sequence[str]]] = ()
    """Rules left out for files."""
    baseline: Baseline | None = None
    unused_ignores: Rule | None = None
    """The rule that reports comments which silence nothing, if it is applied."""
    all_entries: bool = True
    """Whether the scan could have found all that is known."""
    fail_on: Severity | None = Severity.ERROR

    def apply(self, report: Report) -> Report:
        """The report with the findings that count, and those set apart.

        The report may have findings of rules that are not applied: a comment that silences one of them is of use.
        """
        comments = Suppressions(report.project)
        applied = {rule.code for rule in self.rules}
        found, silenced = _divide(report.findings, lambda finding: not comments.silence(finding))
        found, silenced = ([each for each in part if each.rule in applied] for part in (found, silenced))
        if self.unused_ignores is not None:
            found += comments.unused(self.unused_ignores)
        ignored_codes = [
            (patterns, {rule.code for rule in select_rules(codes)}) for patterns, codes in self.ignored_paths
        ]
        ignored, remaining = _divide(found, lambda finding: _is_ignored(finding, ignored_codes))
        graded = [regrade(finding, self.levels) for finding in remaining]
        known, new = _divide(graded, lambda finding: self._is_known(finding, report.project))
        counting = sort_findings(new)
        return replace(
            report,
            findings=counting,
            summary=count_by_severity(counting),
            known=sort_findings(known),
            silenced=sort_findings([*silenced, *ignored]),
            gone=self._gone(report),
            fail_on=self.fail_on,
        )

    def _is_known(self, finding: Finding, project: Project) -> bool:
        return self.baseline is not None and self.baseline.covers(finding, project)

    def _gone(self, report: Report) -> tuple[KnownFinding, ...]:
        if self.baseline is None:
            return ()
        return self.baseline.gone(report.findings, lambda known: self.is_in_scope(known, report.project))

    def is_in_scope(self, known: KnownFinding, project: Project) -> bool:
        """Whether the scan would have found this again.

        For that its rule must be applied, its module be in the project, and the target have a part in it.
        """
        is_applied = known.rule in {rule.code for rule in self.rules}
        if not self.all_entries or not is_applied or (known.module and not project.contains(known.module)):
            return False
        taking_part = known.entries or known.modules or (known.module,)
        return any(not name or (project.contains(name) and not project.is_followed(name)) for name in taking_part)


def _divide(findings: Iterable[Finding], test: Callable[[Finding], bool]) -> tuple[list[Finding], list[Finding]]:
    """Those that pass the test, and the others."""
    passing: list[Finding] = []
    others: list[Finding] = []
    for finding in findings:
        (passing if test(finding) else others).append(finding)
    return passing, others


def _is_ignored(finding: Finding, ignored: Iterable[tuple[PathPatterns, Set[str]]]) -> bool:
    paths = {finding.location.path}
    if finding.trigger is not None:
        paths.add(finding.trace[finding.trigger].site.path)
    return any(finding.rule in codes and any(map(patterns.match, paths)) for patterns, codes in ignored)
