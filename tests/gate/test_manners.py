"""How the command line behaves at a terminal: hints, completion, widths."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.running import SCRIPT, importcycle, write
from tests.gate.projects import CRASH


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (["scan", "shopp"], "did you mean shop?"),
        (["scan", "shop.ordres"], "did you mean shop.orders?"),
        (["trace", "shop.ordres"], "did you mean shop.orders?"),
        (["scan", "--entry", "shop.ordres"], "did you mean shop.orders?"),
        (["scan", "--select", "IC1O1"], "did you mean IC101?"),
        (["scan", "--ignore", "import-crush"], "did you mean import-crash?"),
        (["rule", "eager-cycles"], "did you mean eager-cycle?"),
        (["baselin"], "did you mean 'baseline'?"),
        (["scan", "--fail-onn", "error"], "--fail-on"),
        (["scan", "--fail-on", "eror"], "'error', 'warning', 'note', 'never'"),
    ],
)
def test_mistakes_are_answered_with_the_nearest(arguments: list[str], answer: str, tmp_path: Path) -> None:
    completed = importcycle(*arguments, folder=write(tmp_path, CRASH))
    assert completed.returncode == 2
    assert answer in " ".join(completed.stderr.split())


def completions(words: str, folder: Path) -> list[str]:
    """What bash is offered for the last of the words."""
    environment = {
        "_IMPORTCYCLE_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    lines = importcycle(folder=folder, environment=environment).stdout.split()
    return [line.partition(",")[2] for line in lines]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("importcycle ba", ["baseline"]),
        ("importcycle scan --fail", ["--fail-on"]),
        ("importcycle scan --fail-on w", ["warning"]),
        ("importcycle rule IC20", ["IC201", "IC202"]),
        ("importcycle rule eager", ["eager-cycle"]),
        ("importcycle scan --select IC101,IC20", ["IC101,IC201", "IC101,IC202"]),
        ("importcycle scan sh", ["shop"]),
        ("importcycle scan shop.", ["shop.customers", "shop.orders"]),
        ("importcycle trace shop.o", ["shop.orders"]),
        ("importcycle trace nowhere.", []),
    ],
)
def test_a_shell_completes(words: str, offered: list[str], tmp_path: Path) -> None:
    assert completions(words, write(tmp_path, CRASH)) == offered
    assert completions(words, write(tmp_path / "src", CRASH).parent) == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_of_each_shell_is_printed(shell: str) -> None:
    printed = importcycle(environment={"_IMPORTCYCLE_COMPLETE": f"{shell}_source"}).stdout
    assert "_IMPORTCYCLE_COMPLETE" in printed


def test_bash_takes_the_completion(tmp_path: Path) -> None:
    script = 'eval "$(_IMPORTCYCLE_COMPLETE=bash_source importcycle)" && complete -p importcycle'
    path = os.pathsep.join([str(SCRIPT.parent), os.environ["PATH"]])
    completed = subprocess.run(
        ["bash", "--norc", "-c", script], env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert "importcycle" in completed.stdout, completed.stderr


def at_terminal(arguments: list[str], folder: Path, columns: int) -> list[str]:
    """The lines that a terminal of this width shows."""
    parent, child = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm", "NO_COLOR": "1"}
    shown = b""
    with subprocess.Popen([SCRIPT, *arguments], cwd=folder, stdout=child, stderr=child, env=environment) as process:
        os.close(child)
        while True:
            try:
                part = os.read(parent, 65_536)
            except OSError:  # the other side has been closed
                break
            if not part:
                break
            shown += part
        process.wait(timeout=60)
    os.close(parent)
    return re.sub(r"\x1b\[[\d;]*m", "", shown.decode()).replace("\r\n", "\n").splitlines()


@pytest.mark.parametrize("columns", [60, 100])
@pytest.mark.parametrize(
    "arguments", [["scan", "--quiet"], ["rules"], ["rule", "IC102"], ["--help"], ["scan", "--help"]]
)
def test_lines_fit_the_terminal(arguments: list[str], columns: int, tmp_path: Path) -> None:
    lines = at_terminal(arguments, write(tmp_path, CRASH), columns)
    assert len(lines) > 5
    examples = 100 if "--help" in arguments else 0  # those are shown as they are typed
    assert max(len(line) for line in lines) <= max(columns, examples)


def test_lines_have_any_length_elsewhere(tmp_path: Path) -> None:
    shown = importcycle("rules", environment={"COLUMNS": "40"}).stdout
    assert all(line.startswith("IC") for line in shown.splitlines())
