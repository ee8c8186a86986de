"""The report for people: each failure with its path through the sources, and what would fix it.

On a terminal lines are folded to its width; elsewhere (a pipe, a file) they have any length.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console
from rich.text import Text

from importcycle.findings.model import BaselineUpdate, Finding, Report, Severity
from importcycle.findings.wording import conditions_in_words
from importcycle.importing.outcomes import Condition, DeferredImport, Site, Step, StepKind
from importcycle.report.escaping import printable

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}
_WIDEST_PLACE = 46
_ENTRIES_SHOWN = 6
_CLOSED_SHOWN = 3
_NARROWEST_SOURCE = 40
_SOURCE_LINES = 3
_NOTES = {StepKind.DEFERRED_IMPORT: "deferred import", StepKind.DYNAMIC_IMPORT: "dynamic import"}


def print_report(report: Report, console: Console, *, notes: bool = False, quiet: bool = False) -> None:
    """Print all findings and a summary; notes only with ``notes``, else they are counted; ``quiet`` omits the rest."""
    for finding in report.findings:
        if finding.severity is not Severity.NOTE or notes:
            print_lines(finding_lines(finding, report, fold_width(console)), console)
            print_lines([Text()], console)
    if not quiet:
        print_lines(_summary_lines(report, notes=notes), console)


def print_deferred(items: Sequence[DeferredImport], console: Console) -> None:
    """Print the deferred and dynamic imports that initialisation triggers."""
    lines = [_plain(f"{len(items):,} deferred or dynamic imports can run while a module is initialised:", "bold")]
    for item in items:
        kind = "dynamic import" if item.kind is StepKind.DYNAMIC_IMPORT else "deferred import"
        function = f" in {item.site.function}" if item.site.function else ""
        statement = f"from {item.statement.module}:{item.statement.line}"
        when = conditions_in_words(item.conditions)
        inferred = "" if item.exact else " (inferred)"
        lines.append(_plain(f"   {place(item.site)}  {kind} of {item.target}{function}"))
        lines.append(_plain(f"     {statement}{f', when {when}' if when else ''}{inferred}", "dim"))
    print_lines([*lines, Text()], console)


def print_statistics(report: Report, console: Console) -> None:
    """Print how many findings each rule has."""
    counts = Counter((finding.rule, finding.name) for finding in report.findings)
    print_lines([_plain(f"{count:>6,}  {code}  {name}") for (code, name), count in sorted(counts.items())], console)


def print_baseline_update(update: BaselineUpdate, console: Console) -> None:
    """Print what has become of the baseline."""
    counts = Counter(known.rule for known in update.known)
    listed = ", ".join(f"{count:,} {rule}" for rule, count in sorted(counts.items()))
    changes = f"{update.added:,} new, {update.removed:,} removed"
    total = f"{_counted(len(update.known), 'known finding')}{f': {listed}' if listed else ''}"
    print_lines([_plain(f"{update.file} has {total} ({changes})")], console)


def finding_lines(finding: Finding, report: Report, width: int | None) -> Iterator[Text]:
    """The lines about one finding; ``width`` is that of the terminal, ``None`` for lines of any length."""
    yield _headline(finding)
    if finding.error is not None:
        yield _plain(f"  {finding.error.type}: {finding.error.text}", "bold")
    else:
        yield _plain(f"  {finding.message}")
    if finding.trace:
        yield Text()
        yield from _trace_lines(finding, width)
        yield Text()
    if finding.entries:
        verb = "fails for" if finding.error is not None and finding.handler is None else "happens on"
        yield _labelled(
            verb, _entry_in_words(finding) if finding.script else _entries_in_words(finding.entries, report)
        )
    if not finding.exact:
        yield _labelled("resolution", "inferred: a call on the path comes from an annotation or a class hierarchy")
    if finding.fix:
        yield _labelled("to fix", finding.fix)


def print_lines(lines: Iterable[Text], console: Console) -> None:
    """Print lines; on a terminal that is narrower, folded between words and indented further than they begin."""
    width = fold_width(console)
    for line in lines:
        if width is None or line.cell_len <= width:
            console.print(line, highlight=False)
            continue
        indent = " " * min(len(line.plain) - len(line.plain.lstrip()) + 2, width // 2)
        first, *rest = line.wrap(console, width - len(indent))
        folded = [first, *(Text(indent) + part for part in rest)]
        for part in folded:
            part.rstrip()
            console.print(part, overflow="fold", highlight=False)


def place(site: Site) -> str:
    """``path:line``."""
    return f"{site.path}:{site.line}"


def _headline(finding: Finding) -> Text:
    line = Text()
    line.append(f"{finding.rule} {finding.name}", style=_STYLES[finding.severity])
    if finding.entry is None:
        return line.append(f"   {printable(place(finding.location))}")
    line.append(f"   {printable(_entry_in_words(finding))}", style="bold")
    when = conditions_in_words(finding.conditions)
    return line.append(f"   when {printable(when)}" if when else "")


def _entry_in_words(finding: Finding) -> str:
    """What a user does to see it: an import, or the run of a script."""
    return f"python {finding.trace[0].site.path}" if finding.script and finding.trace else f"import {finding.entry}"


def _trace_lines(finding: Finding, width: int | None) -> Iterator[Text]:
    column = min(_WIDEST_PLACE, max(len(printable(place(step.site))) for step in finding.trace))
    pending = list(finding.conditions)
    frame: tuple[str, str | None] | None = None
    last = len(finding.trace) - 1
    for index, step in enumerate(finding.trace):
        here = (step.site.module, step.site.function)
        if here != frame and step.site.function is not None:
            yield _plain(f"     in {step.site.function}", "dim")
        frame = here
        for condition in [condition for condition in pending if _belongs(condition, step)]:
            pending.remove(condition)
            yield _condition_line(condition)
        failing = index == last and finding.error is not None
        mark = "x" if failing else ">" if index == finding.trigger else " "
        yield from _step_lines(step, mark, _step_note(finding, index), column, width)
    yield from map(_condition_line, pending)
    yield from _state_lines(finding)


def _belongs(condition: Condition, step: Step) -> bool:
    return condition.path == step.site.path and condition.line <= step.site.line


def _condition_line(condition: Condition) -> Text:
    words = conditions_in_words([condition])
    return _plain(f"     when {words}   ({condition.path}:{condition.line})", "magenta")


def _step_note(finding: Finding, index: int) -> str:
    step = finding.trace[index]
    if index == finding.trigger:
        return "runs at import" if step.kind is StepKind.CALL else f"{_short(step.site.module)} stands here"
    return _NOTES.get(step.kind, "")


def _step_lines(step: Step, mark: str, note: str, column: int, width: int | None) -> Iterator[Text]:
    """The step's place and source; on a narrow terminal the source goes on below its beginning, or below the place."""
    source = printable(" ".join(step.text.split()))
    where = f" {mark} {printable(place(step.site)):<{column}}  "
    style = {"x": "bold red", ">": "bold yellow"}.get(mark, "")
    indent, parts = len(where), [source]
    if width is not None:
        indent = min(indent, max(6, width - _NARROWEST_SOURCE))
        room = max(10, width - indent)
        parts = textwrap.wrap(source, room, max_lines=_SOURCE_LINES, placeholder=" …", break_on_hyphens=False) or [""]
        if note and len(parts[-1]) + len(note) + 3 > room:
            parts.append("")
    beginning = Text(where, style=style or "cyan")
    if len(where) > indent:
        yield beginning
        beginning = Text(" " * indent)
    for number, part in enumerate(parts):
        ending = f"{'   ' if part else ''}{note}" if note and number == len(parts) - 1 else ""
        yield Text.assemble(beginning if number == 0 else " " * indent, (part, style), (ending, "dim"))


def _state_lines(finding: Finding) -> Iterator[Text]:
    """Why the name is missing: where it would be bound, and how far the module has come."""
    error, bound, reached = finding.error, finding.bound_at, finding.reached
    if error is not None:
        stands = f"{_short(error.module)} has only reached line {reached.line}" if reached is not None else ""
        if bound is not None:
            yield _plain(f"     {error.name} is bound at {place(bound)}{f', but {stands}' if stands else ''}", "bold")
        elif stands:
            yield _plain(f"     {stands}", "bold")
    if finding.handler is not None:
        yield _plain(f"     hidden by the handler at {place(finding.handler)}", "bold")


def _entries_in_words(entries: Sequence[str], report: Report) -> str:
    """``every import of vllm (1,967 modules)``, or the entries, modules below a package taken together."""
    roots = _roots(entries)
    counts = Counter(roots.values())
    named = [
        f"{root} ({counts[root]:,} modules)" if counts[root] > 1 else root for root in dict.fromkeys(roots.values())
    ]
    if len(named) == 1 and counts[entries[0]] > 1:
        return f"every import of {named[0]}"
    more = f", and {len(named) - _ENTRIES_SHOWN:,} more" if len(named) > _ENTRIES_SHOWN else ""
    return f"import {', '.join(named[:_ENTRIES_SHOWN])}{more}"


def _roots(entries: Sequence[str]) -> dict[str, str]:
    """For each entry the topmost package above it that is an entry too, or itself."""
    known = set(entries)
    roots = {}
    for entry in entries:
        parts = entry.split(".")
        above = (".".join(parts[:length]) for length in range(1, len(parts) + 1))
        roots[entry] = next(name for name in above if name in known)
    return roots


def _summary_lines(report: Report, *, notes: bool) -> Iterator[Text]:
    hidden = Counter((f.rule, f.name) for f in report.findings if f.severity is Severity.NOTE and not notes)
    if hidden:
        counted = ", ".join(f"{count:,} {name} ({code})" for (code, name), count in sorted(hidden.items()))
        yield _plain(f"not shown: {counted}; --verbose shows them", "dim")
    yield from _set_apart_lines(report)
    if closed := report.project.closed_modules():
        named = ", ".join(closed[:_CLOSED_SHOWN]) + (", ..." if len(closed) > _CLOSED_SHOWN else "")
        yield _plain(f"not looked into: {_counted(len(closed), 'module')} without a source, {named}", "dim")
    major, minor = report.project.python_version
    packages = ", ".join(report.project.packages) or "the target"
    modules = _counted(len(report.project.target_modules()), "module")
    followed = f", following {', '.join(report.project.followed)}" if report.project.followed else ""
    scope = f"{modules} of {packages}{followed} (Python {major}.{minor}, {report.project.platform})"
    counts = [_counted(report.summary[severity], severity.value) for severity in Severity if report.summary[severity]]
    worst = next((severity for severity in Severity if report.summary[severity]), None)
    if worst in (None, Severity.NOTE):
        yield _plain(f"no {'new ' if report.known else ''}failing import found in {scope}", "bold green")
    else:
        yield _plain(f"{', '.join(counts)} in {scope}", _STYLES[worst] if worst is not None else "")


def _set_apart_lines(report: Report) -> Iterator[Text]:
    """What is no finding any more, because the user has said so."""
    apart = [(len(report.known), "known from the baseline"), (len(report.silenced), "silenced")]
    counted = [f"{count:,} {what}" for count, what in apart if count]
    if counted:
        yield _plain(f"not counted: {', '.join(counted)}", "dim")
    if report.gone:
        yield _plain(f"gone, and still in the baseline: {len(report.gone):,}; 'importcycle baseline --prune' removes:")
        yield from (_plain(f"   {gone.rule} {gone.path}  {gone.about}", "dim") for gone in report.gone)


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _labelled(label: str, value: str) -> Text:
    return Text.assemble((f"  {label}: ", "bold"), printable(value))


def _plain(text: str, style: str = "") -> Text:
    return Text(printable(text), style=style)


def _short(module: str) -> str:
    return module.rpartition(".")[2]


def fold_width(console: Console) -> int | None:
    """The width to fold lines to; none where they may have any length."""
    return None if console.soft_wrap else console.width
