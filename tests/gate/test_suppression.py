"""Comments that silence findings, through the installed console script."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from importcycle.findings.suppression import read_suppressions
from tests.cli.running import importcycle, scan_json, write
from tests.gate.projects import CONDITIONAL, CRASH


def found(folder: Path, *arguments: str) -> list[tuple[str, str, int]]:
    document: dict[str, Any] = scan_json("shop", *arguments, folder=folder)
    places = [
        (finding["rule"], finding["location"]["path"], finding["location"]["line"]) for finding in document["findings"]
    ]
    return sorted(places)


def marked(files: dict[str, str], path: str, line: str, comment: str) -> dict[str, str]:
    """The files, with a comment behind a line."""
    assert line in files[path]
    return {**files, path: files[path].replace(line, f"{line}  {comment}")}


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("shop/orders.py", "from shop import log"),
        ("shop/orders.py", "    log.note('hello')"),
        ("shop/log.py", "    from shop.orders import Order"),
    ],
)
def test_a_comment_on_any_step_of_the_trace_silences(path: str, line: str, tmp_path: Path) -> None:
    is_on_trace = line != "from shop import log"
    folder = write(tmp_path, marked(CONDITIONAL, path, line, "# importcycle: ignore[IC102] -- never in production"))
    assert (found(folder) == []) is is_on_trace


@pytest.mark.parametrize(
    ("comment", "silences"),
    [
        ("# importcycle: ignore[IC101]", True),
        ("# importcycle: ignore[IC1]", True),
        ("# importcycle: ignore[ic101]", True),
        ("# importcycle: ignore[import-crash]", True),
        ("# importcycle: ignore[IC202, IC101] -- both", True),
        ("# importcycle:ignore", True),
        ("# noqa: E402 # importcycle: ignore[IC101]", True),
        ("# importcycle: ignore[IC101]  # noqa: E402", True),
        ("# importcycle: ignore[IC102]", False),
        ("# importcycle: ignore[IC999]", False),
        ("# importcycle: ignore[]", False),
        ("# importcycle: ignored[IC101]", False),
        ("# importcycle ignore[IC101]", False),
        ("; '# importcycle: ignore[IC101]'", False),
    ],
)
def test_how_comments_are_written(comment: str, silences: bool, tmp_path: Path) -> None:
    folder = write(tmp_path, marked(CRASH, "shop/customers.py", "from shop.orders import Order", comment))
    left = [] if silences else [("IC101", "shop/customers.py", 1), ("IC101", "shop/orders.py", 1)]
    assert found(folder, "--select", "IC1") == left


def test_any_line_of_the_statement_will_do(tmp_path: Path) -> None:
    statement = "from shop.orders import (\n    Order,\n)"
    files = {**CRASH, "shop/customers.py": f"{statement}  # importcycle: ignore[IC101]\n\n\nclass Customer: ...\n"}
    assert found(write(tmp_path, files)) == []
    below = {**CRASH, "shop/customers.py": f"{statement}\n# importcycle: ignore[IC101]\n\n\nclass Customer: ...\n"}
    assert len(found(write(tmp_path, below))) == 2


def test_silenced_findings_are_counted_and_do_not_fail(tmp_path: Path) -> None:
    folder = write(
        tmp_path, marked(CRASH, "shop/orders.py", "import Customer", "# importcycle: ignore[IC101] -- known")
    )
    completed = importcycle("scan", "shop", folder=folder)
    assert completed.returncode == 0
    assert "not counted: 2 silenced" in completed.stdout


@pytest.mark.parametrize(
    ("comment", "complaint"),
    [
        ("# importcycle: ignore[IC101]", ""),
        ("# importcycle: ignore[IC101, IC102]", "silences nothing of IC102"),
        ("# importcycle: ignore[IC103]", "silences nothing of IC103"),
        ("# importcycle: ignore[IC109]", "names an unknown rule: no rule 'IC109'; did you mean "),
        ("# importcycle: ignroe[IC101]", "is not understood"),
        ("# importcycle: ignore[]", "names no rule"),
    ],
)
def test_unused_comments_are_reported_when_asked_for(comment: str, complaint: str, tmp_path: Path) -> None:
    folder = write(tmp_path, marked(CRASH, "shop/orders.py", "import Customer", comment))
    assert "IC904" not in importcycle("scan", "shop", folder=folder).stdout
    shown = importcycle("scan", "shop", "--warn-unused-ignores", folder=folder).stdout
    assert ("IC904 unused-ignore   shop/orders.py:1" in shown) is bool(complaint)
    assert complaint in shown


def test_a_comment_is_of_use_whichever_rules_are_selected(tmp_path: Path) -> None:
    folder = write(tmp_path, marked(CRASH, "shop/orders.py", "import Customer", "# importcycle: ignore[IC101]"))
    assert found(folder, "--select", "IC2", "--warn-unused-ignores") == []
    write(folder, {"shop/spare.py": "import json  # importcycle: ignore -- why?\n"})
    assert found(folder, "--select", "IC2", "--warn-unused-ignores") == [("IC904", "shop/spare.py", 1)]
    assert found(folder, "--select", "IC2", "--warn-unused-ignores", "--ignore", "IC904") == []
    assert found(folder, "--select", "IC904") == [("IC904", "shop/spare.py", 1)]


def test_comments_are_found_in_any_text() -> None:
    broken = "x = 1  # importcycle: ignore[IC101]\nif (\n"
    assert [comment.line for comment in read_suppressions("a.py", broken)] == [1]
    strings = "x = '''\n# importcycle: ignore\n'''\ny = f'{x}# importcycle: ignore'\n"
    assert list(read_suppressions("a.py", strings)) == []
    alone = "# importcycle: ignore\r\n\r\nx = [  # importcycle: ignore\r\n    1,\r\n]\r\n"
    assert [comment.lines for comment in read_suppressions("a.py", alone)] == [range(1, 2), range(3, 6)]
