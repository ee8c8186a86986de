"""Killed, interrupted, without room, without streams: no corrupt cache, no lost finding, no traceback."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from importcycle.cache import CACHE_FOLDER
from tests.cli.running import SCRIPT, importcycle, scan_json
from tests.gate.projects import CRASH
from tests.project.trees import plant_texts

KILLS = 100
MODULES = 12


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project with a crash, large enough for a scan to take its time."""
    body = "".join(f"def f{number}(x):\n    return x + {number}\n" for number in range(100))
    more = {f"shop/part{number}.py": f"from shop import part{number - 1}\n{body}" for number in range(1, MODULES)}
    return plant_texts(tmp_path / "work", {**CRASH, "shop/part0.py": body, **more})


def told(document: dict[str, Any]) -> list[tuple[str, str]]:
    """What a report says."""
    return [(finding["rule"], finding["fingerprint"]) for finding in document["findings"]]


def test_killed_at_any_moment(shop: Path) -> None:
    expected = told(scan_json("shop", "--no-cache", folder=shop))
    begun = time.monotonic()
    scan_json("shop", folder=shop)
    whole = time.monotonic() - begun
    random = Random(1)
    for number in range(KILLS):
        if number % 3 == 0:
            with (shop / f"shop/part{number % MODULES}.py").open("a") as file:
                file.write(f"x{number} = 1\n")
        command = [SCRIPT, "scan", "shop", "--quiet", "--jobs", str(1 + number % 2)]
        with subprocess.Popen(command, cwd=shop, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(random.uniform(0.2, 1.0) * whole)
            process.kill()
        if number % 25 == 24:
            assert told(scan_json("shop", folder=shop)) == expected
    assert told(scan_json("shop", folder=shop)) == expected
    assert told(scan_json("shop", folder=shop)) == expected


def test_two_runs_at_once(shop: Path) -> None:
    expected = told(scan_json("shop", "--no-cache", folder=shop))
    command = [SCRIPT, "scan", "shop", "--format", "json"]
    processes = [subprocess.Popen(command, cwd=shop, stdout=subprocess.PIPE) for _ in range(3)]
    for process in processes:
        output, _ = process.communicate(timeout=240)
        assert told(json.loads(output)) == expected
    assert told(scan_json("shop", folder=shop)) == expected


def test_the_cache_folder_is_removed_meanwhile(shop: Path) -> None:
    expected = told(scan_json("shop", folder=shop))
    command = [SCRIPT, "scan", "shop", "--format", "json"]
    for seconds in (0.1, 0.3, 0.6, 1.0, 1.5):
        with subprocess.Popen(command, cwd=shop, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            time.sleep(seconds)
            shutil.rmtree(shop / CACHE_FOLDER, ignore_errors=True)
            output, errors = process.communicate(timeout=240)
        assert errors == b""
        assert told(json.loads(output)) == expected


@pytest.mark.skipif(sys.platform != "linux", reason="needs limits of Linux")
def test_no_room_for_the_cache(shop: Path) -> None:
    expected = told(scan_json("shop", "--no-cache", folder=shop))

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    command = [SCRIPT, "scan", "shop", "--format", "json"]
    for _ in range(2):
        completed = subprocess.run(command, cwd=shop, capture_output=True, check=False, timeout=240, preexec_fn=limit)
        assert completed.stderr == b""
        assert told(json.loads(completed.stdout)) == expected
    assert told(scan_json("shop", folder=shop)) == expected


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["scan", "shop"], ["scan", "shop", "--format", "json"], ["rules"], ["config"]])
def test_no_room_for_the_output(arguments: Sequence[str], tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        completed = subprocess.run(
            [SCRIPT, *arguments],
            cwd=plant_texts(tmp_path, CRASH),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert completed.returncode == 2
    assert completed.stderr == "importcycle: cannot write the output: No space left on device\n"


@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"])
def test_closed_streams(closed: str, tmp_path: Path) -> None:
    plant_texts(tmp_path, CRASH)
    for command, status in (("scan shop", 1), ("scan nowhere", 2), ("rules", 0)):
        completed = subprocess.run(
            ["sh", "-c", f"'{SCRIPT}' {command} {closed}"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert completed.returncode == status
        assert "Traceback" not in completed.stderr
    if (tmp_path / CACHE_FOLDER).exists():  # nothing has been written into it by mistake
        assert importcycle("scan", "shop", folder=tmp_path).returncode == 1


@pytest.mark.parametrize("arguments", [["scan", "shop", "--verbose"], ["scan", "shop", "--format", "json"], ["rules"]])
def test_a_reader_that_leaves_early(arguments: Sequence[str], tmp_path: Path) -> None:
    plant_texts(tmp_path, CRASH)
    with subprocess.Popen(
        [SCRIPT, *arguments], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        errors = process.stderr.read()
    assert errors == b""
    assert process.returncode in (0, 1)


def test_interrupted_at_any_moment(shop: Path) -> None:
    expected = told(scan_json("shop", "--no-cache", folder=shop))
    command = [SCRIPT, "scan", "shop", "--jobs", "2"]
    statuses = []
    for number in range(8):
        process = subprocess.Popen(
            command,
            cwd=shop,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            start_new_session=True,
        )
        time.sleep(0.7 + number / 5)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        _, errors = process.communicate(timeout=240)
        statuses.append(process.returncode)
        assert b"Traceback" not in errors
    assert set(statuses) <= {130, 1, -signal.SIGINT}  # before Python has begun, it is the system that ends it
    assert told(scan_json("shop", folder=shop)) == expected
