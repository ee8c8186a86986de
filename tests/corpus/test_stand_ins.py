"""Stand-ins for missing packages let a tree's own code run on, and forced conditions choose the world it runs in."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).with_name("stand_ins.py")

USES = """\
import contextlib
from dataclasses import dataclass
import absent_package as absent
import absent_package.parts.inner
from absent_package.parts import Base, Other, decorate, registry

@decorate
def plain():
    return 1

@decorate("name", option=absent.OPTION | None)
class Derived(Base, Other, keyword=True):
    field: absent.Type[int] = absent.default()

    def method(self):
        return self.anything + 1

first, second = absent.pair()
with absent.context() as opened:
    registry["key"] = opened
for _ in absent.items:
    raise AssertionError
try:
    plain()
except absent.SomeError:
    raise
number = 2 * absent.factor - 1
assert absent.factor > 1 and number
assert Derived.created and Derived(1, two=2).method()
assert plain() == 1
"""


def run(folder: Path, files: Mapping[str, str], entry: str, *options: str) -> dict[str, Any]:
    """Write the files and import the entry in a fresh interpreter."""
    tree = folder / "tree"
    for name, text in files.items():
        place = tree / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    command = [sys.executable, str(SCRIPT), str(tree), entry, *options]
    completed = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert completed.stdout, completed.stderr
    outcome: dict[str, Any] = json.loads(completed.stdout.splitlines()[-1])
    assert completed.returncode == (0 if outcome["ok"] else 1)
    return outcome


def test_missing_packages_can_be_used_in_any_way(tmp_path: Path) -> None:
    outcome = run(tmp_path, {"package/__init__.py": USES}, "package")
    assert outcome["ok"], outcome["error"]
    assert "absent_package" in outcome["stand_ins"]


def test_what_the_tree_itself_lacks_stays_missing(tmp_path: Path) -> None:
    files = {"package/__init__.py": "", "package/user.py": "import package._compiled\n"}
    outcome = run(tmp_path, files, "package.user")
    assert outcome["error"]["type"] == "ModuleNotFoundError"
    assert run(tmp_path, files, "package.user", "--also", "package._compiled")["ok"]


def test_packages_can_be_told_to_stay_absent(tmp_path: Path) -> None:
    files = {"package/__init__.py": "import absent_package\n"}
    assert run(tmp_path, files, "package")["ok"]
    assert not run(tmp_path, files, "package", "--absent", "absent_package")["ok"]


CYCLE = {
    "package/__init__.py": "",
    "package/platform.py": "def is_special():\n    return False\n",
    "package/first.py": (
        "from package.platform import is_special\n"
        "def start():\n"
        "    if is_special():\n"
        "        from package.second import other\n"
        "start()\n"
        "name = 1\n"
    ),
    "package/second.py": "from package.first import name\nother = name\n",
}


def test_a_forced_function_brings_the_crash_out(tmp_path: Path) -> None:
    assert run(tmp_path, CYCLE, "package.first")["ok"]
    outcome = run(tmp_path, CYCLE, "package.first", "--force", "package.platform:is_special=True")
    error = outcome["error"]
    assert (error["type"], error["module"], error["name"]) == ("ImportError", "package.first", "name")
    assert [(frame["path"], frame["line"]) for frame in error["frames"]] == [
        ("package/first.py", 5),
        ("package/first.py", 4),
        ("package/second.py", 1),
    ]


def test_a_test_forced_by_its_place_does_too(tmp_path: Path) -> None:
    outcome = run(tmp_path, CYCLE, "package.first", "--assume", "package/first.py:3:is_special( )=True")
    assert outcome["error"]["name"] == "name"
    assert outcome["not_forced"] == []
    elsewhere = run(tmp_path, CYCLE, "package.first", "--assume", "package/first.py:4:is_special()=True")
    assert elsewhere["ok"]
    assert len(elsewhere["not_forced"]) == 1


def test_functions_outside_the_tree_can_be_forced(tmp_path: Path) -> None:
    files = {"package/__init__.py": "import platform\nassert platform.system() == 'Windows'\n"}
    assert not run(tmp_path, files, "package")["ok"]
    assert run(tmp_path, files, "package", "--force", "platform:system='Windows'")["ok"]


def test_a_class_may_have_a_stand_in_and_a_protocol_among_its_bases(tmp_path: Path) -> None:
    text = (
        "from typing import Protocol\nfrom absent_package import Base\n\n"
        "class Shape(Protocol):\n    def area(self) -> int: ...\n\n"
        "class Square(Base, Shape):\n    def area(self) -> int:\n        return self.side\n\n"
        "assert Square.anything and Square().area()\n"
    )
    assert run(tmp_path, {"user.py": text}, "user")["ok"]
