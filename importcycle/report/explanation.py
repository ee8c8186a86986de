"""Rules explained, for a terminal and for the documentation: one text for both."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from importcycle.findings.model import Rule


def explain_rule(rule: Rule) -> str:
    """The explanation of a rule as plain text."""
    parts = [
        f"{rule.code} {rule.name}   ({default_severity(rule)})",
        f"  {rule.meaning}",
        "",
        "Example",
        _indented(rule.example),
        "",
        "Why it is a problem",
        _indented(rule.why),
        "",
        "How to fix it",
        _indented(rule.fix),
        "",
        "When to suppress it",
        _indented(rule.suppress),
    ]
    return "\n".join(parts)


def list_rules(rules: Iterable[Rule]) -> str:
    """One line for each rule: code, name, default severity, meaning."""
    rows = [(rule.code, rule.name, default_severity(rule), rule.meaning) for rule in rules]
    name_width = max(len(name) for _, name, _, _ in rows)
    return "\n".join(
        f"{code}  {name:<{name_width}}  {severity:<7}  {meaning}" for code, name, severity, meaning in rows
    )


def folded(text: str, width: int) -> str:
    """The text with its long lines folded between words, and indented further than they begin."""
    lines = []
    for line in text.splitlines():
        indent = " " * min(len(line) - len(line.lstrip()) + 4, width // 2)
        lines += textwrap.wrap(line, max(width, 20), subsequent_indent=indent, break_on_hyphens=False) or [""]
    return "\n".join(lines)


def rules_document(rules: Iterable[Rule]) -> str:
    """All rules as a Markdown document."""
    chosen = list(rules)
    table = ["| code | name | default | meaning |", "| --- | --- | --- | --- |"]
    table += [
        f"| [{rule.code}](#{rule.code.lower()}-{rule.name}) | {rule.name} | {default_severity(rule)} | {rule.meaning} |"
        for rule in chosen
    ]
    return "\n".join(["# Rules", "", *table, "", *(_section(rule) for rule in chosen)])


def default_severity(rule: Rule) -> str:
    """``error``, ``warning``, ``note``, or ``off``."""
    return rule.severity.value if rule.enabled else "off"


def _section(rule: Rule) -> str:
    meaning = f"{rule.meaning[0].upper()}{rule.meaning[1:]}."
    example = f"```python\n{rule.example.rstrip()}\n```"
    parts = [f"## {rule.code} {rule.name}", meaning, example]
    parts += [f"**Why it is a problem.** {rule.why}", f"**How to fix it.** {rule.fix}"]
    return "\n\n".join([*parts, f"**When to suppress it.** {rule.suppress}"]) + "\n"


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.rstrip().splitlines())
