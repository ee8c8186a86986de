"""Scans of small projects, through the installed console script."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from importcycle import Severity, TargetError, scan
from importcycle.cli import run
from tests.cli.running import SCRIPT, importcycle, scan_json, write

CRASH = {
    "shop/__init__.py": "",
    "shop/orders.py": "from shop.customers import Customer\n\n\nclass Order: ...\n",
    "shop/customers.py": "from shop.orders import Order\n\n\nclass Customer: ...\n",
}
CLEAN = {"shop/__init__.py": "", "shop/orders.py": "class Order: ...\n"}
SURVIVES = {
    "shop/__init__.py": "",
    "shop/orders.py": "import shop.customers\n\n\nclass Order: ...\n",
    "shop/customers.py": "import shop.orders\n\n\nclass Customer: ...\n",
}


@pytest.fixture
def crash(tmp_path: Path) -> Path:
    return write(tmp_path, CRASH)


def test_a_crash_is_found_and_told(crash: Path) -> None:
    completed = importcycle("scan", "shop", folder=crash)
    assert completed.returncode == 1
    assert "IC101 import-crash   import shop.orders" in completed.stdout
    assert "cannot import name 'Order' from partially initialized module 'shop.orders'" in completed.stdout
    assert " x shop/customers.py:1" in completed.stdout
    assert "Order is bound at shop/orders.py:4, but orders has only reached line 1" in completed.stdout
    assert completed.stderr == ""


def test_a_clean_project_has_status_0(tmp_path: Path) -> None:
    completed = importcycle("scan", "shop", folder=write(tmp_path, CLEAN))
    assert completed.returncode == 0
    assert "no failing import found in 2 modules of shop" in completed.stdout


def test_the_json_report_keeps_to_the_schema(crash: Path) -> None:
    schema = json.loads(resources.files("importcycle.report").joinpath("schema.json").read_text(encoding="utf-8"))
    document = scan_json("shop", "--deferred", folder=crash)
    jsonschema.validate(document, schema)
    crashes = [finding for finding in document["findings"] if finding["rule"] == "IC101"]
    assert sorted(finding["entries"] for finding in crashes) == [["shop.customers"], ["shop.orders"]]


@pytest.mark.parametrize("layout", ["", "src/"])
def test_without_a_target_the_packages_of_the_project_are_scanned(layout: str, tmp_path: Path) -> None:
    files = {f"{layout}{name}": text for name, text in CRASH.items()}
    write(tmp_path, {**files, "tests/__init__.py": "", "setup.py": "raise SystemExit\n"})
    assert scan_json(folder=tmp_path)["target"]["packages"] == ["shop"]


def test_without_a_target_in_an_empty_folder_there_is_nothing_to_do(tmp_path: Path) -> None:
    completed = importcycle("scan", folder=tmp_path)
    assert completed.returncode == 2
    assert "holds no Python module" in completed.stderr


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ([], 1),
        (["--exit-zero"], 0),
        (["--fail-on", "never"], 0),
        (["--fail-on", "note"], 1),
        (["--select", "IC2,IC9"], 0),
        (["--ignore", "IC101"], 0),
        (["--ignore", "import-crash,IC102"], 0),
    ],
)
def test_the_exit_status_heeds_the_options(arguments: list[str], status: int, crash: Path) -> None:
    assert importcycle("scan", "shop", *arguments, folder=crash).returncode == status


def test_a_note_fails_only_when_asked_to(tmp_path: Path) -> None:
    write(tmp_path, SURVIVES)
    assert importcycle("scan", "shop", "--fail-on", "warning", folder=tmp_path).returncode == 0
    completed = importcycle("scan", "shop", "--fail-on", "note", "--verbose", folder=tmp_path)
    assert completed.returncode == 1
    assert "IC202 eager-cycle" in completed.stdout
    assert "2 modules import one another at module level" in completed.stdout


def test_only_the_entries_named_are_imported_first(crash: Path) -> None:
    document = scan_json("shop", "--entry", "shop.orders", folder=crash)
    assert [finding["entry"] for finding in document["findings"] if finding["error"]] == ["shop.orders"]


def test_an_unknown_entry_is_answered_with_the_nearest(crash: Path) -> None:
    completed = importcycle("scan", "shop", "--entry", "shop.order", folder=crash)
    assert completed.returncode == 2
    assert "did you mean shop.orders?" in completed.stderr


def test_an_unknown_target_has_status_2(crash: Path) -> None:
    completed = importcycle("scan", "shopp", folder=crash)
    assert completed.returncode == 2
    assert "shopp" in completed.stderr
    assert "Traceback" not in completed.stderr


def test_statistics_and_quiet(crash: Path) -> None:
    completed = importcycle("scan", "shop", "--quiet", "--statistics", "--select", "IC101", folder=crash)
    assert "     2  IC101  import-crash\n" in completed.stdout
    assert " modules of shop" not in completed.stdout


@pytest.mark.parametrize(
    ("arguments", "environment", "coloured"),
    [
        ([], {}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colours(arguments: list[str], environment: dict[str, str], coloured: bool, crash: Path) -> None:
    environment = {"TERM": "xterm", "NO_COLOR": "", "FORCE_COLOR": "", **environment}
    completed = importcycle("scan", "shop", *arguments, folder=crash, environment=environment)
    assert ("\x1b[" in completed.stdout) is coloured


def test_a_trace_tells_what_is_imported(crash: Path) -> None:
    completed = importcycle("trace", "shop.orders", "--format", "json", folder=crash)
    assert completed.returncode == 0, completed.stderr
    document: dict[str, Any] = json.loads(completed.stdout)
    assert document["entry"] == "shop.orders"
    assert {event["target"] for event in document["events"] if event["initialises"]} >= {"shop.customers"}
    assert "shop/orders.py:1  imports shop.customers" in importcycle("trace", "shop.orders", folder=crash).stdout


def test_a_closed_pipe_is_no_error(crash: Path) -> None:
    process = subprocess.Popen(
        [SCRIPT, "scan", "shop"], cwd=crash, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(timeout=60) == 1


def test_a_terminal_sees_progress_and_a_pipe_does_not(crash: Path) -> None:
    parent, child = pty.openpty()
    with subprocess.Popen([SCRIPT, "scan", "shop"], cwd=crash, stdout=subprocess.DEVNULL, stderr=child) as process:
        process.wait(timeout=60)
    os.close(child)
    seen = os.read(parent, 10_000).decode()
    os.close(parent)
    assert "simulating imports" in seen
    assert importcycle("scan", "shop", folder=crash).stderr == ""


def _heed_interrupts() -> None:
    """What is started in the background may have been told to ignore them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_an_interrupt_has_status_130(tmp_path: Path) -> None:
    package = {f"many/part{number}.py": "import many\n" * 200 for number in range(400)}
    write(tmp_path, {"many/__init__.py": "", **package})
    command = [SCRIPT, "scan", "many"]
    for seconds in (0.4, 1.5, 5, 15):  # on a busy machine Python itself may not have started yet
        process = subprocess.Popen(
            command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=_heed_interrupts
        )
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
        if process.returncode == 130:
            break
    assert process.returncode == 130
    assert b"Traceback" not in errors


def test_an_internal_error_is_told_in_a_paragraph(
    crash: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def break_down(*_: object, **__: object) -> None:
        raise ValueError("broken down")

    monkeypatch.chdir(crash)
    monkeypatch.setattr("importcycle.scanning.analyse", break_down)
    assert run(["scan", "shop"]) == 3
    told = capsys.readouterr().err
    assert "internal error: ValueError: broken down" in told
    assert "Traceback" not in told
    assert run(["scan", "shop", "--debug"]) == 3
    assert "Traceback" in capsys.readouterr().err


def test_the_python_function_gives_the_same(crash: Path) -> None:
    report = scan("shop", working_directory=crash, python_version="3.12")
    assert report.summary[Severity.ERROR] == 2
    assert report.project.python_version == (3, 12)
    steps: list[tuple[int, int]] = []
    count: Callable[[int, int], None] = lambda done, total: steps.append((done, total))  # noqa: E731
    scan("shop", working_directory=crash, progress=count)
    assert steps
    assert steps[-1][0] == steps[-1][1]
    with pytest.raises(TargetError):
        scan("no_such_package_anywhere", working_directory=crash)


def test_nothing_of_the_target_runs(tmp_path: Path) -> None:
    trap = "open('touched', 'w').close()\n"
    files = {name: trap + text for name, text in CRASH.items()}
    write(tmp_path, {**files, "conftest.py": trap, "setup.py": trap, "click.py": trap, "json.py": trap})
    for command in (["scan"], ["scan", "shop"], ["scan", "."], ["trace", "shop.orders"]):
        importcycle(*command, folder=tmp_path)
        subprocess.run([sys.executable, "-m", "importcycle", *command], cwd=tmp_path, capture_output=True, check=False)
    assert not list(tmp_path.rglob("touched"))
