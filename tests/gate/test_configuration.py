"""Settings: the command line over a file over defaults, through the installed console script."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import importcycle as package
from importcycle.configuration import KEYS
from tests.cli.running import importcycle, scan_json, write
from tests.gate.projects import CONDITIONAL, CRASH, SURVIVES, project

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def rules_of(document: dict[str, Any]) -> set[str]:
    return {finding["rule"] for finding in document["findings"]}


def test_targets_of_the_file_are_scanned_from_its_folder(tmp_path: Path) -> None:
    folder = project(tmp_path, 'targets = ["shop"]', {**CRASH, "other/__init__.py": "", "docs/deep/note.txt": ""})
    assert scan_json(folder=folder)["target"]["packages"] == ["shop"]
    assert scan_json(folder=folder / "docs" / "deep")["target"]["packages"] == ["shop"]
    assert scan_json("other", folder=folder)["target"]["packages"] == ["other"]


def test_below_the_repository_of_the_file_it_does_not_count(tmp_path: Path) -> None:
    folder = project(tmp_path, 'fail-on = "never"', {f"inner/{name}": text for name, text in CRASH.items()})
    assert importcycle("scan", "shop", folder=folder / "inner").returncode == 0
    (folder / "inner" / ".git").mkdir()
    assert importcycle("scan", "shop", folder=folder / "inner").returncode == 1


@pytest.mark.parametrize(
    ("settings", "arguments", "status"),
    [
        ("", [], 1),
        ('fail-on = "never"', [], 0),
        ('fail-on = "never"', ["--fail-on", "error"], 1),
        ('fail-on = "never"', ["--isolated"], 1),
        ('ignore = ["IC1"]', [], 0),
        ('ignore = ["IC1"]', ["--ignore", "IC2"], 1),
        ('select = ["IC2", "unparsable-file"]', [], 0),
        ('[tool.importcycle.per-path-ignores]\n"shop/customers.py" = ["IC101"]\n"shop/orders.py" = ["IC1"]', [], 0),
        ('[tool.importcycle.per-path-ignores]\n"customers.*" = ["IC102"]', [], 1),
        ('[tool.importcycle.severity]\nimport-crash = "warning"', [], 0),
        ('[tool.importcycle.severity]\nIC1 = "note"\nIC101 = "error"', [], 1),
        ('[tool.importcycle.severity]\nIC1 = "off"', [], 0),
        ('exclude = ["customers.py"]', [], 0),
        ('exclude = ["elsewhere/"]', [], 1),
        ('entries = ["shop"]', [], 0),
        ('entries = ["shop"]', ["--entry", "shop.orders"], 1),
    ],
)
def test_what_fails(settings: str, arguments: list[str], status: int, tmp_path: Path) -> None:
    completed = importcycle("scan", *arguments, folder=project(tmp_path, settings, CRASH))
    assert (completed.returncode, completed.stderr) == (status, ""), completed.stdout


def test_a_severity_turns_a_rule_on(tmp_path: Path) -> None:
    deferred = {
        "shop/__init__.py": "",
        "shop/orders.py": "from shop.customers import name\n",
        "shop/customers.py": "def name():\n    from shop import orders\n",
    }
    assert rules_of(scan_json(folder=project(tmp_path, "", deferred))) == set()
    folder = project(tmp_path, '[tool.importcycle.severity]\nIC301 = "error"', deferred)
    assert [(f["rule"], f["severity"]) for f in scan_json(folder=folder)["findings"]] == [("IC301", "error")]
    assert scan_json("--ignore", "IC301", folder=folder)["findings"] == []


def test_patterns_fit_paths_in_reports_and_paths_from_the_project(tmp_path: Path) -> None:
    files = {f"src/{name}": text for name, text in CRASH.items()}
    for pattern in ("src/shop/", "shop/*.py", "/src/**/orders.py", "/shop/orders.py"):
        report = scan_json(folder=project(tmp_path, f'exclude = ["{pattern}", "!__init__.py"]', files))
        assert rules_of(report) == set(), pattern


def test_what_is_excluded_can_still_be_imported(tmp_path: Path) -> None:
    files = {**CRASH, "shop/__init__.py": "from shop.old import whatever\nfrom shop import old\n", "shop/old.py": "x ="}
    assert rules_of(scan_json(folder=project(tmp_path, "", files))) & {"IC901"}
    folder = project(tmp_path, 'exclude = ["shop/old.py"]', files)
    assert {finding["error"]["name"] for finding in scan_json(folder=folder)["findings"]} == {"Order", "Customer"}


def test_all_excluded_is_an_error(tmp_path: Path) -> None:
    completed = importcycle("scan", folder=project(tmp_path, 'exclude = ["*.py"]', CRASH))
    assert completed.returncode == 2
    assert "all modules of shop are excluded" in completed.stderr


@pytest.mark.parametrize("root", ["lib/python", "."])
def test_source_roots(root: str, tmp_path: Path) -> None:
    files = {f"{root}/{name}": text for name, text in CRASH.items()}
    folder = project(tmp_path, f'source-roots = ["{root}"]', files)
    assert scan_json(folder=folder)["target"]["packages"] == ["shop"]
    assert scan_json("shop", folder=folder)["findings"]
    assert importcycle("trace", "shop.orders", folder=folder).returncode == 0


def test_a_known_condition_rules_a_crash_out(tmp_path: Path) -> None:
    assert rules_of(scan_json(folder=project(tmp_path, "", CONDITIONAL))) == {"IC102"}
    folder = project(tmp_path, "assume = { 'os.environ.get( \"DEBUG\" )' = false }", CONDITIONAL)
    assert rules_of(scan_json(folder=folder)) == set()
    assert rules_of(scan_json("--assume", "os.environ.get('DEBUG')=true", folder=folder)) == {"IC101"}


def test_python_version_platform_and_format(tmp_path: Path) -> None:
    folder = project(tmp_path, 'python-version = "3.12"\nplatform = "win32"\nformat = "json"', CRASH)
    completed = importcycle("scan", folder=folder)
    assert '"python_version": "3.12"' in completed.stdout
    assert (
        "(Python 3.10, win32)"
        in importcycle("scan", "--format", "text", "--python-version", "3.10", folder=folder).stdout
    )


def test_the_own_file_comes_before_pyproject(tmp_path: Path) -> None:
    folder = project(tmp_path, 'fail-on = "never"', CRASH)
    write(folder, {"importcycle.toml": 'fail-on = "error"\n', "third.toml": "select = ['IC2']\n"})
    assert importcycle("scan", folder=folder).returncode == 1
    assert importcycle("scan", "--config", "pyproject.toml", folder=folder).returncode == 0
    assert importcycle("scan", "--config", "third.toml", folder=folder).returncode == 0


@pytest.mark.parametrize(
    ("settings", "answer"),
    [
        ("tragets = []", "unknown key 'tragets'; did you mean 'targets'?"),
        ("fail_on = 'error'", "unknown key 'fail_on'; did you mean 'fail-on'?"),
        ("targets = 'shop'", "'targets' must be a list of strings, not a string"),
        ("targets = [1]", "'targets' must be a string, not a number"),
        ("fail-on = 'eror'", "'fail-on' must be one of error, warning, note, never, not 'eror'; did you mean 'error'?"),
        ("fail-on = 1", "'fail-on' must be a string, not a number"),
        ("select = ['IC1O1']", "'select' holds an unknown rule: no rule 'IC1O1'; did you mean IC101?"),
        ("severity = { IC101 = 'bad' }", "'severity.IC101' must be one of error, warning, note, off"),
        ("severity = 'error'", "'severity' must be a table, not a string"),
        ("per-path-ignores = { 'a.py' = ['IC7'] }", "'per-path-ignores.a.py' holds an unknown rule"),
        ("assume = { 'in_wsl()' = 'no' }", "'assume.in_wsl()' must be true or false, not a string"),
        ("python-version = 3.12", "'python-version' must be a string: write \"3.12\" in quotes"),
        ("python-version = '2.7'", "'2.7' is no version of Python 3"),
        ("warn-unused-ignores = 'yes'", "'warn-unused-ignores' must be true or false, not a string"),
        ("format = 'jsn'", "'format' must be one of"),
        ("format =", "this is no valid TOML"),
    ],
)
def test_mistakes_name_key_and_file(settings: str, answer: str, tmp_path: Path) -> None:
    completed = importcycle("scan", folder=project(tmp_path, settings, CRASH))
    assert completed.returncode == 2
    told = " ".join(completed.stderr.split())
    assert answer in told
    assert str(tmp_path / "pyproject.toml") in told
    assert "Traceback" not in told


def test_mistakes_on_the_command_line(tmp_path: Path) -> None:
    folder = project(tmp_path, "", CRASH)
    assert (
        "command line: 'select' holds an unknown rule" in importcycle("scan", "--select", "IC7", folder=folder).stderr
    )
    assert "TEST=true or TEST=false" in importcycle("scan", "--assume", "in_wsl()", folder=folder).stderr
    assert "there is no table [tool.importcycle]" in importcycle(
        "scan", "--config", "pyproject.toml", folder=write(tmp_path, {"pyproject.toml": "[project]\n"})
    ).stderr.replace("\n", " ")


def test_a_foreign_broken_file_is_none_of_its_business(tmp_path: Path) -> None:
    write(tmp_path, {**SURVIVES, "pyproject.toml": "[[[ broken"})
    assert importcycle("scan", folder=tmp_path).returncode == 0


def test_config_shows_settings_and_origins_as_toml(tmp_path: Path) -> None:
    folder = project(tmp_path, "fail-on = 'note'\nassume = { 'f(\"x\")' = true }\nformat = 'json'", CRASH)
    shown = importcycle("config", "--fail-on", "warning", folder=folder).stdout
    lines = {line.partition(" = ")[0]: line for line in shown.splitlines()}
    assert lines["fail-on"].endswith("# command line")
    assert lines["assume"].endswith(f"# {folder / 'pyproject.toml'}")
    assert lines["select"].endswith("# default")
    document = tomllib.loads(shown)
    assert document["fail-on"] == "warning"
    assert document["assume"] == {'f("x")': True}
    assert all(f"{key.name} " in shown for key in KEYS)
    write(tmp_path, {"shown.toml": shown})
    again = importcycle("config", "--config", "shown.toml", folder=folder)
    assert tomllib.loads(again.stdout) == document


def test_the_python_function_heeds_the_file_too(tmp_path: Path) -> None:
    folder = project(tmp_path, "fail-on = 'never'\nselect = ['IC1']", CRASH)
    assert not package.scan(working_directory=folder).failed
    assert package.scan(working_directory=folder, configuration=False).failed
    assert package.scan(working_directory=folder, fail_on="error").failed
    assert not package.scan(working_directory=folder, severity={"IC101": "off"}, fail_on="error").failed
    with pytest.raises(package.ConfigurationError, match="argument: 'select' holds an unknown rule"):
        package.scan(working_directory=folder, select=["IC77"])
