"""docs/rules.md is made from the rules: ``python -m tests.report.test_documentation`` writes it anew."""

from __future__ import annotations

from pathlib import Path

from importcycle.findings import ALL_RULES
from importcycle.report.explanation import rules_document

DOCUMENT = Path(__file__).parents[2] / "docs" / "rules.md"


def test_the_document_says_what_the_rules_say() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == rules_document(ALL_RULES)


if __name__ == "__main__":
    DOCUMENT.write_text(rules_document(ALL_RULES), encoding="utf-8")
