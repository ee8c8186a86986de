"""What the README shows is what the commands print."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.running import importcycle

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_finding_shown_is_what_a_scan_prints() -> None:
    block = re.search(r"^\$ importcycle scan minillm\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert block is not None
    folder = ROOT / "fixtures" / "vllm_replica" / "broken"
    completed = importcycle("scan", "minillm", "--python-version", "3.11", "--platform", "linux", folder=folder)
    assert block[1] == completed.stdout


@pytest.mark.parametrize("line", re.findall(r"^\$ importcycle (\w+ .*?)\s*(?:#.*)?$", README, re.MULTILINE))
def test_the_options_shown_exist(line: str) -> None:
    command, *arguments = shlex.split(line)
    options = {argument for argument in arguments if argument.startswith("-")}
    assert options <= set(re.findall(r"--[\w-]+", importcycle(command, "--help").stdout))
