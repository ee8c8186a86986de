"""The replica of vLLM's structure: CPython and the finding agree frame by frame."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import scan_json

REPLICA = Path(__file__).parents[1] / "fixtures" / "vllm_replica"
PACKAGE = "minillm"
# Makes the platform check answer what it is told, imports the entry, and tells how that ended.
IMPORT_AND_TELL = """
import importlib, json, platform, sys, traceback
folder, kernel, entry = sys.argv[1:]
platform.uname = lambda: ("Linux", "host", kernel, "", "x86_64")
sys.path.append(folder)
outcome = {"error": None, "frames": []}
try:
    importlib.import_module(entry)
except Exception as error:
    frames = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    frames = [frame for frame in frames if frame[0].startswith(folder)]
    outcome = {"error": [type(error).__name__, error.name, str(error)], "frames": frames}
print(json.dumps(outcome))
"""


def cpython(form: str, entry: str, *, wsl: bool) -> dict[str, Any]:
    """How the import of the entry ends in a fresh interpreter, with the platform check forced."""
    kernel = "5.15-microsoft-standard" if wsl else "6.1-generic"
    folder = REPLICA / form
    completed = subprocess.run(
        [sys.executable, "-I", "-B", "-c", IMPORT_AND_TELL, str(folder), kernel, entry],
        capture_output=True,
        text=True,
        check=True,
    )
    outcome: dict[str, Any] = json.loads(completed.stdout)
    outcome["frames"] = [[Path(name).relative_to(folder).as_posix(), line] for name, line in outcome["frames"]]
    return outcome


def crashes(form: str) -> list[dict[str, Any]]:
    """The crash findings of a form of the replica."""
    document = scan_json(PACKAGE, folder=REPLICA / form)
    return [finding for finding in document["findings"] if finding["rule"] in ("IC101", "IC102", "IC105")]


@pytest.fixture(scope="module")
def crash() -> dict[str, Any]:
    (finding,) = crashes("broken")
    return finding


def test_the_crash_is_conditional_on_the_platform_check(crash: dict[str, Any]) -> None:
    assert crash["rule"] == "IC102"
    assert [(condition["test"], condition["value"]) for condition in crash["conditions"]] == [("in_wsl()", True)]
    assert cpython("broken", PACKAGE, wsl=False)["error"] is None


def test_the_trace_is_the_traceback(crash: dict[str, Any]) -> None:
    outcome = cpython("broken", PACKAGE, wsl=True)
    error_type, module, text = outcome["error"]
    assert [[step["path"], step["line"]] for step in crash["trace"]] == outcome["frames"]
    assert (crash["error"]["type"], crash["error"]["module"]) == (error_type, module)
    assert text.startswith(crash["error"]["text"])


def test_the_statement_at_import_and_the_deferred_import_are_named(crash: dict[str, Any]) -> None:
    kinds = {step["text"].strip(): step["kind"] for step in crash["trace"]}
    assert kinds["PIN_MEMORY = is_pin_memory_available()"] == "call"
    assert kinds["from minillm.distributed.parallel_state import is_local_first_rank"] == "deferred-import"


def test_the_name_is_said_to_be_bound_where_it_is(crash: dict[str, Any]) -> None:
    lines = (REPLICA / "broken" / crash["bound_at"]["path"]).read_text(encoding="utf-8").splitlines()
    assert lines[crash["bound_at"]["line"] - 1].startswith(f"def {crash['error']['name']}(")


def test_every_module_fails_as_the_package_does(crash: dict[str, Any]) -> None:
    files = sorted((REPLICA / "broken").rglob("*.py"))
    names = {".".join(path.relative_to(REPLICA / "broken").with_suffix("").parts) for path in files}
    modules = sorted(name.removesuffix(".__init__") for name in names)
    assert crash["entries"] == modules
    for module in modules:
        assert cpython("broken", module, wsl=True)["error"] == cpython("broken", PACKAGE, wsl=True)["error"]


def test_the_fixed_form_has_no_such_finding() -> None:
    assert crashes("fixed") == []
    for wsl in (False, True):
        assert cpython("fixed", PACKAGE, wsl=wsl)["error"] is None
