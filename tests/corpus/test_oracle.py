"""The oracle of the corpus, asked about packages small enough to know the answers."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.judge.interpreters import Interpreter, find_interpreters

ORACLE = Path(__file__).with_name("oracle.py")
OLDEST_ASKED = (3, 12)


@pytest.fixture(scope="module")
def interpreter() -> Interpreter:
    """A CPython that the oracle can be run by."""
    newest = find_interpreters()[-1]
    if newest.version < OLDEST_ASKED:
        pytest.skip("no CPython 3.12 or later on this machine")
    return newest


def ask(interpreter: Interpreter, folder: Path, files: Mapping[str, str], imports: str = "package") -> dict[str, Any]:
    """Write the files and give the truth table of the package."""
    for name, text in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    output = folder / "truth.json"
    command = [str(interpreter.executable), str(ORACLE), imports, str(output), "--jobs", "2"]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    subprocess.run(command, env=environment, check=True, timeout=120)
    table: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))
    return table


def test_a_cycle_fails_from_one_side_only(interpreter: Interpreter, tmp_path: Path) -> None:
    table = ask(
        interpreter,
        tmp_path,
        {
            "package/__init__.py": "",
            "package/first.py": "import package.second\nname = 1\n",
            "package/second.py": "\nfrom package.first import name\n",
        },
    )
    assert table["modules"] == {
        "package": "ok",
        "package.first": {"cycle": ["ImportError", "package.first", "name", "package.second", 2]},
        "package.second": "ok",
    }


def test_attributes_and_globals_of_a_half_loaded_module(interpreter: Interpreter, tmp_path: Path) -> None:
    table = ask(
        interpreter,
        tmp_path,
        {
            "package/__init__.py": "",
            "package/values.py": "import package.reader\nvalue = 1\n",
            "package/reader.py": "import package.values\nread = package.values.value\n",
            "package/helper.py": "def help_out():\n    return late\nimport package.caller\nlate = 1\n",
            "package/caller.py": "from package.helper import help_out\nhelp_out()\n",
        },
    )
    modules = table["modules"]
    assert modules["package.values"]["cycle"][0] == "AttributeError"
    assert modules["package.values"]["cycle"][1:3] in (["package.values", "value"], ["package", "values"])
    assert modules["package.helper"] == {"cycle": ["NameError", "package.helper", "late", "package.helper", 2]}
    assert modules["package.caller"] == "ok"


def test_other_failures_are_not_blamed_on_cycles(interpreter: Interpreter, tmp_path: Path) -> None:
    table = ask(
        interpreter,
        tmp_path,
        {
            "package/__init__.py": "",
            "package/needy.py": "import a_package_that_nobody_has\n",
            "package/absent.py": "import package.asking\n",
            "package/asking.py": "from package.absent import never_bound\n",
            "package/optional.py": "try:\n    from package.absent import never_bound\nexcept ImportError:\n    pass\n",
            "package/tests/test_it.py": "raise RuntimeError\n",
            "package/__main__.py": "raise RuntimeError\n",
        },
    )
    assert table["modules"] == {
        "package": "ok",
        "package.absent": {"other": "ImportError"},
        "package.asking": {"other": "ImportError"},
        "package.needy": {"other": "ModuleNotFoundError"},
        "package.optional": "ok",
    }


def test_deferred_imports_that_initialisation_runs(interpreter: Interpreter, tmp_path: Path) -> None:
    table = ask(
        interpreter,
        tmp_path,
        {
            "package/__init__.py": "",
            "package/tools.py": (
                "import importlib\n\n"
                "def run():\n    from package import plain\n    importlib.import_module('.named', __package__)\n\n"
                "def idle():\n    import package.unused\n"
            ),
            "package/plain.py": "",
            "package/named.py": "",
            "package/unused.py": "",
            "package/user.py": "from package.tools import run\nrun()\n",
        },
    )
    sites = [(site["importer"], site["function"], site["line"], site["target"]) for site in table["deferred"]]
    assert sites == [("package.tools", "run", 4, "package"), ("package.tools", "run", 5, "package.named")]
    assert {tuple(site["statement"]) for site in table["deferred"]} == {("package.user", 2)}
    assert [site["kind"] for site in table["deferred"]] == ["statement", "import_module"]


def test_children_that_die_or_hang_are_told(interpreter: Interpreter, tmp_path: Path) -> None:
    table = ask(
        interpreter,
        tmp_path,
        {
            "package/__init__.py": "",
            "package/dies.py": "import os\nos._exit(3)\n",
            "package/leaves.py": "raise SystemExit(0)\n",
        },
    )
    assert table["modules"]["package.dies"] == {"other": "timeout or crash"}
    assert table["modules"]["package.leaves"] == {"other": "SystemExit"}


def test_no_import_sees_what_another_one_would_leave(interpreter: Interpreter, tmp_path: Path) -> None:
    caching = (
        "from pathlib import Path\n\n"
        "kept = Path(__file__).with_name('kept.txt')\n"
        "def run():\n"
        "    if kept.exists():\n"
        "        return\n"
        "    from package import found\n"
        "    try:\n"
        "        kept.write_text('found')\n"
        "    except OSError:\n"
        "        pass\n"
        "run()\n"
    )
    files = {"package/__init__.py": "", "package/found.py": "", "package/caching.py": caching}
    for _ in range(2):
        table = ask(interpreter, tmp_path, files)
        assert [site["line"] for site in table["deferred"]] == [7]
    assert not tmp_path.joinpath("package", "kept.txt").exists()
