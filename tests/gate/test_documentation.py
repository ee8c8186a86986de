"""What the documentation says about settings and about adoption is true."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

from importcycle.configuration import KEYS
from tests.cli.running import importcycle, write
from tests.gate.projects import CRASH, SURVIVES

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONFIGURATION = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")


def adoption() -> str:
    """The README's section for old code bases."""
    return README.partition("## An old code base, in five minutes\n")[2].partition("\n## ")[0]


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def commands(block: str) -> list[list[str]]:
    return [shlex.split(line.removeprefix("$ "), comments=True) for line in block.splitlines()]


def old_code_base(folder: Path) -> Path:
    """A repository with forty packages, half of which crash."""
    for number in range(40):
        name = f"shop{number}"
        files = CRASH if number % 2 else SURVIVES
        write(folder, {path.replace("shop", name): text.replace("shop", name) for path, text in files.items()})
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    return folder


def test_an_old_code_base_adopts_it_as_written(tmp_path: Path) -> None:
    folder = old_code_base(tmp_path)
    first, last = blocks(adoption(), "console")
    statuses = []
    for command in commands(first):
        if command[0] == "importcycle":
            statuses.append(importcycle(*command[1:], folder=folder).returncode)
        else:
            subprocess.run(command, cwd=folder, check=True)
    assert statuses == [1, 0, 0]
    write(folder, {"pyproject.toml": blocks(adoption(), "toml")[0], "test_imports.py": blocks(adoption(), "python")[0]})
    assert importcycle("scan", folder=folder).returncode == 0

    # A harmless cycle grows into a crash.
    write(folder, {"shop2/orders.py": CRASH["shop/orders.py"].replace("shop", "shop2")})
    write(folder, {"shop2/customers.py": CRASH["shop/customers.py"].replace("shop", "shop2")})
    grown = importcycle("scan", folder=folder)
    assert grown.returncode == 1
    assert "2 errors in" in grown.stdout

    # A crash is fixed, and comes back.
    write(folder, {"shop2/orders.py": "class Order: ...\n", "shop3/orders.py": "class Order: ...\n"})
    assert importcycle("scan", folder=folder).returncode == 0
    for command in commands(last):
        assert importcycle(*command[1:], folder=folder).returncode == 0
    write(folder, {"shop3/orders.py": CRASH["shop/orders.py"].replace("shop", "shop3")})
    assert importcycle("scan", folder=folder).returncode == 1


def test_each_key_is_documented() -> None:
    for key in KEYS:
        assert re.search(rf"^\| `{key.name}` \| \w+ \| {re.escape(key.meaning)} \|$", CONFIGURATION, re.MULTILINE)


def test_the_settings_shown_are_valid(tmp_path: Path) -> None:
    for block in [*blocks(CONFIGURATION, "toml"), *blocks(adoption(), "toml")]:
        completed = importcycle("config", folder=write(tmp_path, {"pyproject.toml": block}))
        assert completed.returncode == 0, completed.stderr
