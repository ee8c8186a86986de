"""The table of facts cannot go stale."""

from __future__ import annotations

from .__main__ import DOCUMENT
from .facts import FACTS, fixtures, table


def test_every_fact_has_a_fixture_and_every_fixture_a_fact() -> None:
    facts = {fact for group in FACTS.values() for fact in group}
    assert {fixture.fact for fixture in fixtures()} == facts


def test_the_document_is_up_to_date() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == table(), "run: python -m tests.semantics"
