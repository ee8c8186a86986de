"""Nothing of the target is imported or run, and nothing is written there."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.cli.running import SCRIPT, importcycle
from tests.project.trees import plant_texts
from tests.safety.traps import TRAP, booby_trapped, listing, modules_before, sprung

BASELINE = "importcycle-baseline.json"
COMMANDS: tuple[Sequence[str], ...] = (
    ("scan",),
    ("scan", "shop", "--deferred", "--statistics", "--verbose"),
    ("scan", "shop.orders", "--format", "json"),
    ("scan", "shop/customers.py", "json.py", "click.py", "--format", "sarif"),
    ("scan", ".", "--exclude", "[a-z]*.py", "--format", "markdown"),
    ("scan", "json", "networkx", "sitecustomize", "--color", "always"),
    ("trace", "shop.orders"),
    ("trace", "click", "--format", "json"),
    ("baseline", "shop"),
    ("baseline", "shop", "--prune"),
    ("config", "shop"),
    ("clean",),
    ("scan", "shop", "--no-cache", "--jobs", "3"),
    ("rules",),
    ("rule", "IC102"),
    ("--version",),
    ("scan", "--help"),
)


def run(command: Sequence[str | Path], folder: Path, environment: Mapping[str, str] | None = None) -> None:
    """Run to the end; a traceback is not allowed, other failures are."""
    completed = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert "Traceback" not in completed.stderr
    assert completed.returncode in (0, 1), completed.stderr


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    return tmp_path / "marker"


def test_the_traps_work(tmp_path: Path, marker: Path) -> None:
    booby_trapped(tmp_path / "work", marker)
    subprocess.run([sys.executable, "-c", "import shop"], cwd=tmp_path / "work", capture_output=True, check=False)
    assert "shop" in sprung(marker)


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_the_command_in_a_trapped_folder(arguments: Sequence[str], tmp_path: Path, marker: Path) -> None:
    work = booby_trapped(tmp_path / "work", marker)
    before = listing(work, ignored=[BASELINE])
    run([SCRIPT, *arguments], work)
    assert sprung(marker) == []
    assert listing(work, ignored=[BASELINE]) == before


@pytest.mark.parametrize("arguments", [COMMANDS[0], COMMANDS[1], COMMANDS[3], COMMANDS[6]], ids=" ".join)
def test_run_as_a_module_in_a_trapped_folder(arguments: Sequence[str], tmp_path: Path, marker: Path) -> None:
    untouched = modules_before(["-m", "harmless"], tmp_path / "harmless")
    work = booby_trapped(tmp_path / "work", marker, untouched)
    run([sys.executable, "-m", "importcycle", *arguments], work)
    assert sprung(marker) == []


@pytest.mark.parametrize("arguments", [COMMANDS[0], COMMANDS[1], COMMANDS[6]], ids=" ".join)
def test_a_trapped_folder_in_the_search_path(arguments: Sequence[str], tmp_path: Path, marker: Path) -> None:
    # The script that pip makes imports re itself.
    code = "import re, sys; print(*sys.modules, sep=chr(10))"
    untouched = modules_before(["-c", code], tmp_path / "harmless")
    work = booby_trapped(tmp_path / "work", marker, {*untouched, "sitecustomize", "usercustomize"})
    run([SCRIPT, *arguments], work, {"PYTHONPATH": f".{os.pathsep}{work}"})
    assert sprung(marker) == []
    untouched = modules_before(["-m", "harmless"], tmp_path / "harmless")
    work = booby_trapped(tmp_path / "again", marker, {*untouched, "sitecustomize", "usercustomize"})
    run([sys.executable, "-m", "importcycle", *arguments], work, {"PYTHONPATH": str(work)})
    assert sprung(marker) == []


def test_as_a_hook(tmp_path: Path, marker: Path) -> None:
    hook = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"
    entry = next(line for line in hook.read_text().splitlines() if line.strip().startswith("entry:"))
    command = shlex.split(entry.partition(":")[2])
    assert command[0] == "importcycle"
    work = booby_trapped(tmp_path / "work", marker)
    subprocess.run(["git", "init", "--quiet"], cwd=work, check=True)
    run([SCRIPT, *command[1:], "--changed"], work, {"GIT_DIR": ".git", "GIT_INDEX_FILE": ".git/index"})
    assert sprung(marker) == []


def test_while_a_shell_completes(tmp_path: Path, marker: Path) -> None:
    work = booby_trapped(tmp_path / "work", marker)
    environment = {
        "_IMPORTCYCLE_COMPLETE": "bash_complete",
        "COMP_WORDS": "importcycle scan shop.",
        "COMP_CWORD": "2",
    }
    assert "shop.orders" in importcycle(folder=work, environment=environment).stdout
    assert sprung(marker) == []


def test_libraries_take_nothing_that_merely_happens_to_be_installed() -> None:
    """Whatever is asked for and is neither standard nor required has to be refused, for it could be the target."""
    program = """
import sys
from importcycle.__main__ import main
class Recorder:
    def find_spec(name, path=None, target=None):
        print(name.partition(".")[0], file=sys.stderr)
sys.meta_path.insert(0, Recorder)  # behind what main puts in front of it
sys.argv = ["importcycle", *sys.argv[1:]]
main()
"""
    required = {"importcycle", "click", "grimp", "networkx", "pathspec", "rich", "tomli", "markdown_it", "mdurl"}
    required |= {"pygments", "typing_extensions", "exceptiongroup"}
    for arguments in (["scan", "json", "--verbose", "--color", "always"], ["rule", "IC102"], ["rules"], ["--help"]):
        shown = subprocess.run(
            [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False, timeout=300
        ).stderr
        asked = {name for name in shown.split() if not name.endswith("__mypyc") and not name.startswith("_sysconfig")}
        assert "click" in asked
        assert asked <= required | sys.stdlib_module_names


def test_git_runs_no_program_that_the_repository_names(tmp_path: Path) -> None:
    attributes = "*.py filter=a diff=a\n"
    work = plant_texts(tmp_path / "work", {"shop/__init__.py": "import os\n", ".gitattributes": attributes})
    ran = tmp_path / "ran"

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=work, check=True, capture_output=True)

    git("init", "--quiet")
    git("add", ".")
    git("-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "--quiet", "-m", "first")
    program = f"touch '{ran}'; cat"
    settings = ("filter.a.clean", "filter.a.process", "filter.b c.clean", "diff.a.command", "diff.a.textconv")
    for setting in (*settings, "core.fsmonitor", "core.sshCommand", "core.pager", "diff.external", "core.hooksPath"):
        git("config", setting, program)
    git("config", "filter.a.required", "true")
    git("config", "remote.origin.url", f"ext::sh -c '{program}'")
    git("config", "remote.origin.promisor", "true")
    git("config", "protocol.ext.allow", "always")
    (work / "shop/__init__.py").write_text("import sys\nfrom shop import gone\n")
    for option in (["--changed"], ["--diff", "HEAD"]):
        completed = importcycle("scan", "shop", *option, folder=work)
        assert completed.returncode in (0, 1), completed.stderr
        assert not ran.exists()


class TestInterpreterOfTheConfiguration:
    """A configuration file comes with the target: an interpreter that it names beside itself is no interpreter yet."""

    def test_a_program_of_the_target_is_not_run(self, tmp_path: Path, marker: Path) -> None:
        work = plant_texts(
            tmp_path / "work",
            {
                "shop/__init__.py": "",
                "python": f"#!/bin/sh\ntouch '{marker}'\n",
                "importcycle.toml": 'python = "./python"\n',
            },
        )
        (work / "python").chmod(0o755)
        for command in (["scan"], ["trace", "shop"], ["baseline"]):
            completed = importcycle(*command, folder=work)
            assert completed.returncode == 2
            assert "name it with --python" in " ".join(completed.stderr.split())
        assert not marker.exists()
        importcycle("scan", "--python", "./python", folder=work)
        assert marker.exists()  # that was the user's own wish

    def test_a_virtual_environment_counts_but_nothing_in_it_is_run(self, tmp_path: Path, marker: Path) -> None:
        work = plant_texts(tmp_path / "work", {"shop/__init__.py": "", "importcycle.toml": 'python = ".venv"\n'})
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(work / ".venv")], check=True)
        site_packages = next((work / ".venv").glob("lib/python*/site-packages"))
        plant_texts(site_packages, {"installed/__init__.py": "", "trap.pth": "import trap\n"})
        plant_texts(site_packages, {"trap.py": TRAP.format(marker=str(marker))})
        assert importcycle("scan", "installed", folder=work).returncode == 0
        # A virtual environment may also say that its standard library lies in the target.
        configuration = work / ".venv/pyvenv.cfg"
        trap = TRAP.format(marker=str(marker))
        version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
        plant_texts(work / "evil", {f"lib/{version}/{name}.py": trap for name in ("os", "site", "encodings", "json")})
        lines = [line for line in configuration.read_text().splitlines() if not line.startswith("home")]
        configuration.write_text("\n".join([f"home = {work / 'evil/bin'}", *lines]))
        importcycle("scan", "installed", folder=work)
        assert sprung(marker) == []

    def test_an_own_program_under_the_name_of_a_link(self, tmp_path: Path) -> None:
        work = plant_texts(tmp_path / "work", {"shop/__init__.py": "", "importcycle.toml": 'python = "./python"\n'})
        (work / "python").symlink_to("/bin/sh")
        assert importcycle("scan", folder=work).returncode == 2
