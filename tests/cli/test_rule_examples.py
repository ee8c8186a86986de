"""The examples that explain the rules are true: each is scanned, and the rule finds what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from importcycle.findings import ALL_RULES, Rule
from tests.cli.running import scan_json, write

_HEADING = re.compile(r"^# ([\w/]+\.py)$", re.MULTILINE)


def files_of(example: str) -> dict[str, str]:
    """The files that an example consists of, each below a comment that names it."""
    parts = _HEADING.split(example)[1:]
    files = dict(zip(parts[::2], parts[1::2], strict=True))
    packages = {str(parent / "__init__.py") for name in files for parent in Path(name).parents if parent.name}
    return {**dict.fromkeys(packages, ""), **files}


# IC903 is left out: what its example says is that a scan takes long before it gives up.
EXAMPLES = [rule for rule in ALL_RULES if rule.code != "IC903"]


@pytest.mark.parametrize("rule", EXAMPLES, ids=lambda rule: rule.code)
def test_the_example_is_found_by_its_rule(rule: Rule, tmp_path: Path) -> None:
    document = scan_json(".", "--select", rule.code, folder=write(tmp_path, files_of(rule.example)))
    assert {finding["rule"] for finding in document["findings"]} == {rule.code}
