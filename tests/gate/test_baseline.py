"""Known findings, through the installed console script: nothing may get worse, and nothing else matters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import importcycle, write
from tests.gate.projects import CONDITIONAL, CRASH, SURVIVES, project

FILE = "importcycle-baseline.json"
HIDDEN = """\
try:
    from shop.customers import Customer
except ImportError:
    pass


class Order: ...
"""
REFORMATTED = """\
def note(text: str) -> None:
    from shop.orders import (
        Order,
    )

    print(text, Order)
"""


def with_baseline(folder: Path, files: dict[str, str], settings: str = "") -> Path:
    """A project whose present findings are known."""
    completed = importcycle("baseline", folder=project(folder, settings, files))
    assert completed.returncode == 0, completed.stderr
    return folder


def scan(folder: Path, *arguments: str) -> tuple[int, str]:
    completed = importcycle("scan", *arguments, folder=folder)
    assert completed.stderr == ""
    return completed.returncode, completed.stdout


def known(folder: Path) -> list[dict[str, Any]]:
    document = json.loads((folder / FILE).read_text(encoding="utf-8"))
    assert document["importcycle_baseline"] == 1
    items: list[dict[str, Any]] = document["findings"]
    return items


def test_known_findings_are_counted_and_do_not_fail(tmp_path: Path) -> None:
    folder = with_baseline(tmp_path, CRASH)
    status, shown = scan(folder)
    assert status == 0
    assert "not counted: 2 known from the baseline" in shown
    assert "no new failing import found" in shown
    assert scan(folder, "--no-baseline")[0] == 1


def test_the_file_has_no_line_numbers(tmp_path: Path) -> None:
    folder = with_baseline(tmp_path, CRASH)
    assert [item["path"] for item in known(folder)] == ["shop/customers.py", "shop/orders.py"]
    assert known(folder)[0]["entries"] == ["shop.orders"]
    before = (folder / FILE).read_bytes()
    write(folder, {name: f"# moved\n\n\n{text}" for name, text in CRASH.items()})
    importcycle("baseline", folder=folder)
    assert (folder / FILE).read_bytes() == before


@pytest.mark.parametrize(
    "changes",
    [
        {"shop/orders.py": f"'''Moved.'''\n\n\n\n{CONDITIONAL['shop/orders.py']}"},
        {
            "shop/orders.py": CONDITIONAL["shop/orders.py"]
            .replace("'", '"')
            .replace('("hello")', '(\n        "hello",\n    )')
        },
        {"shop/log.py": REFORMATTED},
        {"shop/other.py": "import json\nimport shop.log\n"},
        {"shop/other.py": "from shop import orders\n"},
        {"shop/other/__init__.py": "from shop import orders\n"},
        {"pyproject.toml": "[tool.importcycle]\nfail-on = 'warning'\n"},
    ],
)
def test_what_changes_nothing_about_the_crash_is_no_matter(changes: dict[str, str], tmp_path: Path) -> None:
    folder = with_baseline(tmp_path, CONDITIONAL)
    assert scan(write(folder, changes))[0] == 0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(SURVIVES, CRASH, id="a harmless cycle that grows into a crash"),
        pytest.param(
            {
                **SURVIVES,
                "shop/orders.py": HIDDEN,
                "shop/customers.py": CRASH["shop/customers.py"],
            },
            CRASH,
            id="a hidden failure that is hidden no more",
        ),
        pytest.param(
            CONDITIONAL,
            {
                **CONDITIONAL,
                "shop/orders.py": CONDITIONAL["shop/orders.py"].replace("if os.environ.get('DEBUG'):", "if True:"),
            },
            id="a condition less",
        ),
        pytest.param(
            CONDITIONAL,
            {**CONDITIONAL, "shop/orders.py": CONDITIONAL["shop/orders.py"].replace("DEBUG", "HOME")},
            id="another condition",
        ),
        pytest.param(
            CONDITIONAL,
            {**CONDITIONAL, "shop/__init__.py": "import shop.orders\n"},
            id="every import of the package fails now",
        ),
        pytest.param(
            CONDITIONAL,
            {
                **CONDITIONAL,
                "shop/log.py": CONDITIONAL["shop/log.py"].replace("Order", "Bill"),
                "shop/orders.py": CONDITIONAL["shop/orders.py"] + "class Bill: ...\n",
            },
            id="another name",
        ),
    ],
)
def test_what_is_worse_is_new(before: dict[str, str], after: dict[str, str], tmp_path: Path) -> None:
    folder = with_baseline(tmp_path, before)
    assert scan(folder)[0] == 0
    assert scan(write(folder, after))[0] == 1


def test_a_crash_that_needs_one_condition_more_is_no_worse(tmp_path: Path) -> None:
    folder = with_baseline(tmp_path, CONDITIONAL)
    text = CONDITIONAL["shop/orders.py"].replace("get('DEBUG'):", "get('DEBUG') and os.environ.get('LOUD'):")
    write(folder, {"shop/orders.py": text})
    assert scan(folder)[0] == 0


def test_a_cycle_may_shrink_and_not_grow(tmp_path: Path) -> None:
    ring = {
        "shop/__init__.py": "",
        "shop/first.py": "import shop.second\n",
        "shop/second.py": "import shop.third\n",
        "shop/third.py": "import shop.first\nimport shop.second\n",
    }
    folder = with_baseline(tmp_path, ring, 'fail-on = "note"')
    assert scan(folder)[0] == 0
    write(folder, {"shop/third.py": "import shop.second\n"})
    assert scan(folder)[0] == 0
    write(
        folder,
        {"shop/third.py": ring["shop/third.py"] + "import shop.fourth\n", "shop/fourth.py": "import shop.third\n"},
    )
    assert scan(folder)[0] == 1


def test_what_is_gone_is_listed_and_pruned(tmp_path: Path) -> None:
    folder = with_baseline(tmp_path, CRASH)
    write(folder, {"shop/orders.py": "class Order: ...\n"})
    status, shown = scan(folder)
    assert status == 0
    assert "gone, and still in the baseline: 2; 'importcycle baseline --prune' removes:" in shown
    assert "IC101 shop/customers.py  ImportError: cannot import name 'Order'" in shown
    write(
        folder, {"shop/new.py": "from shop.newer import b\na = 1\n", "shop/newer.py": "from shop.new import a\nb = 1\n"}
    )
    pruned = importcycle("baseline", "--prune", folder=folder)
    assert "0 known findings (0 new, 2 removed)" in pruned.stdout
    assert known(folder) == []
    status, shown = scan(folder)
    assert status == 1
    assert "gone" not in shown


def test_pruning_takes_note_of_what_has_become_better(tmp_path: Path) -> None:
    folder = with_baseline(tmp_path, {**CONDITIONAL, "shop/__init__.py": "import shop.orders\n"})
    write(folder, {"shop/__init__.py": ""})
    importcycle("baseline", "--prune", folder=folder)
    assert [item["entries"] for item in known(folder)] == [["shop.orders"]]
    write(folder, {"shop/__init__.py": "import shop.orders\n"})
    assert scan(folder)[0] == 1


def test_what_a_scan_does_not_cover_stays_in_the_file(tmp_path: Path) -> None:
    other = {name.replace("shop", "till"): text.replace("shop", "till") for name, text in CRASH.items()}
    folder = with_baseline(tmp_path, {**CRASH, **other})
    assert len(known(folder)) == 4
    assert "gone" not in scan(folder, "shop")[1]
    assert "gone" not in scan(folder, "--entry", "shop.orders")[1]
    assert "gone" not in scan(folder, "--select", "IC2")[1]
    importcycle("baseline", "shop", "--prune", folder=folder)
    importcycle("baseline", "till", folder=folder)
    importcycle("baseline", "--entry", "shop.orders", "--select", "IC1", folder=folder)
    assert len(known(folder)) == 4


def test_silenced_findings_are_not_written(tmp_path: Path) -> None:
    files = {
        **CRASH,
        "shop/orders.py": CRASH["shop/orders.py"].replace("Customer\n", "Customer  # importcycle: ignore\n"),
    }
    assert known(with_baseline(tmp_path, files)) == []


def test_the_configured_file(tmp_path: Path) -> None:
    settings = 'baseline = "known/cycles.json"'
    folder = project(tmp_path, settings, {**CRASH, "known/about.txt": ""})
    completed = importcycle("scan", folder=folder)
    assert completed.returncode == 2
    assert "'importcycle baseline' writes it" in " ".join(completed.stderr.split())
    assert importcycle("baseline", folder=folder / "known").returncode == 0
    assert scan(folder)[0] == 0
    assert scan(folder, "--baseline", "known/cycles.json")[0] == 0
    assert importcycle("scan", "--baseline", "nowhere.json", folder=folder).returncode == 2
    project(tmp_path, "baseline = false", {})
    assert scan(folder)[0] == 1


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"importcycle_baseline": 1, "findings": [1]}', '{"importcycle_baseline": 9}']
)
def test_a_file_that_is_no_baseline_is_an_error(text: str, tmp_path: Path) -> None:
    folder = project(tmp_path, "", {**CRASH, FILE: text})
    completed = importcycle("scan", folder=folder)
    assert completed.returncode == 2
    assert FILE in "".join(completed.stderr.split())
    assert "Traceback" not in completed.stderr


def test_two_conditions_of_one_crash_are_told_apart(tmp_path: Path) -> None:
    text = CONDITIONAL["shop/orders.py"]
    folder = with_baseline(tmp_path, CONDITIONAL)
    write(folder, {"shop/orders.py": text.replace("get('DEBUG'):", "get('DEBUG') or os.environ.get('LOUD'):")})
    completed = importcycle("scan", "--format", "json", folder=folder)
    assert completed.returncode == 1
    (finding,) = json.loads(completed.stdout)["findings"]
    assert any("LOUD" in condition["test"] for condition in finding["conditions"])
