"""The report as Markdown, short enough for a comment on a pull request.

All that comes from the target stands in code, where neither Markdown nor HTML nor a mention means anything.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

from importcycle.findings.model import Finding, Report, Severity
from importcycle.findings.wording import conditions_in_words
from importcycle.report.escaping import printable
from importcycle.report.text import finding_lines

LIMIT = 60_000
"""In characters: a comment on GitHub holds 65,536."""
_SHOWN_OPEN = 3


def render_markdown(report: Report) -> str:
    """A heading with the counts, then each finding, folded away after the first few; notes are counted."""
    told = [finding for finding in report.findings if finding.severity is not Severity.NOTE]
    parts = [f"## importcycle: {_outcome(report)}\n", f"{_scope(report)}\n"]
    length = sum(map(len, parts))
    left_out = 0
    for number, finding in enumerate(told):
        section = _section(finding, report, is_open=number < _SHOWN_OPEN)
        if left_out or length + len(section) > LIMIT:
            left_out += 1
            continue
        parts.append(section)
        length += len(section)
    notes = report.summary[Severity.NOTE]
    remarks = [_counted(left_out, "more finding") + " for which there is no room"] if left_out else []
    remarks += [f"{_counted(notes, 'note')} not shown"] if notes else []
    if remarks:
        parts.append(f"_{'; '.join(remarks)}._\n")
    return "\n".join(parts)


def _outcome(report: Report) -> str:
    graver = (Severity.ERROR, Severity.WARNING)
    counts = [_counted(report.summary[one], one.value) for one in graver if report.summary[one]]
    return ", ".join(counts) or "no failing import found"


def _scope(report: Report) -> str:
    major, minor = report.project.python_version
    packages = _code(", ".join(report.project.packages)) if report.project.packages else "the target"
    modules = _counted(len(report.project.target_modules()), "module")
    followed = f", following {_code(', '.join(report.project.followed))}" if report.project.followed else ""
    return f"{modules} of {packages}{followed} (Python {major}.{minor}, {report.project.platform})"


def _section(finding: Finding, report: Report, *, is_open: bool) -> str:
    what = f"import {finding.entry}" if finding.entry is not None else f"{finding.location.path}"
    if finding.script and finding.trace:
        what = f"python {finding.trace[0].site.path}"
    when = conditions_in_words(finding.conditions)
    title = f"<b>{finding.severity.value}</b> {finding.rule} {finding.name}: {_html_code(what)}"
    title += f" when {_html_code(when)}" if when else ""
    opening = "<details open>" if is_open else "<details>"
    # The first line of the text says what the title says.
    body = _code_block(line.plain for line in list(finding_lines(finding, report, None))[1:])
    return f"{opening}<summary>{title}</summary>\n\n{body}\n\n</details>\n"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _html_code(text: str) -> str:
    return f"<code>{html.escape(printable(text))}</code>"


def _code(text: str) -> str:
    """A code span; its fence is longer than any run of backticks in the text."""
    shown = printable(text)
    fence = "`" * (_longest_run(shown) + 1)
    return f"{fence}{shown}{fence}" if "`" not in shown else f"{fence} {shown} {fence}"


def _code_block(lines: Iterable[str]) -> str:
    text = "\n".join(lines)
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}text\n{text}\n{fence}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
