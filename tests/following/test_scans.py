"""Scans that follow packages of others: where these are found, what is reported of them, and under which paths."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

import importcycle as package
from importcycle.findings import Finding, Report
from importcycle.project import TargetError, discover
from tests.cli.running import importcycle, write
from tests.following.programs import ENTRY_POINTS, INNER, LATE, LOADER, MUTUAL, SURVIVING, SWALLOWED, Files
from tests.gate.projects import CRASH

HARMLESS_CYCLE = {
    "plugkit/__init__.py": "from plugkit import bridge\n",
    "plugkit/bridge.py": "import plugkit.other\n\n\ndef connect():\n    import shop\n",
    "plugkit/other.py": "import plugkit.bridge\n",
    "shop/__init__.py": "import plugkit\n",
}


def installed(folder: Path, files: Files) -> Path:
    """A repository with the target in ``src``, and beside it a folder of installed packages."""
    own = {f"project/src/{path}": text for path, text in files.items() if path.startswith("shop/")}
    others = {f"packages/{path}": text for path, text in files.items() if not path.startswith("shop/")}
    write(folder, {"project/.git/HEAD": "", **own, **others})
    return folder / "project"


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return importcycle(*arguments, folder=folder, environment={"PYTHONPATH": str(folder.parent / "packages")})


def document(folder: Path, *arguments: str) -> dict[str, Any]:
    completed = run(folder, "scan", "--format", "json", *arguments)
    assert completed.returncode in (0, 1), completed.stderr
    found: dict[str, Any] = json.loads(completed.stdout)
    return found


def scan(folder: Path, files: Files, **options: Any) -> Report:
    options = {"follow": ["plugkit"], **options}
    return package.scan("shop", working_directory=write(folder, files), configuration=False, **options)


def rules(report: Report) -> list[str]:
    return [finding.rule for finding in report.findings]


def only(report: Report) -> Finding:
    (finding,) = report.findings
    return finding


class TestWhatIsReported:
    def test_entries_and_the_number_of_modules_are_those_of_the_target(self, tmp_path: Path) -> None:
        found = document(installed(tmp_path, LOADER), "--follow", "plugkit")
        assert found["target"]["packages"] == ["shop"]
        assert found["target"]["modules"] == 2
        assert [finding["entries"] for finding in found["findings"]] == [["shop", "shop.orders"]]

    def test_the_summary_names_what_was_followed(self, tmp_path: Path) -> None:
        folder = installed(tmp_path, LATE)
        for output in ("text", "markdown"):
            printed = run(folder, "scan", "--follow", "plugkit", "--format", output).stdout.replace("`", "")
            assert "2 modules of shop, following plugkit (" in printed

    def test_a_cycle_of_the_package_that_makes_an_import_of_the_target_fail(self, tmp_path: Path) -> None:
        finding = only(scan(tmp_path, INNER))
        assert (finding.rule, finding.entries) == ("IC101", ("shop.customers",))
        assert finding.location.module == "plugkit.second"
        assert finding.fix.startswith("the cycle is plugkit's own: import another of its modules before")

    def test_what_is_known_of_a_package_gives_way_to_its_own_code(self, tmp_path: Path) -> None:
        files = {
            "shop/__init__.py": "",
            "shop/tests.py": "import hypothesis\n",
            "shop/plugin.py": "from hypothesis import given\n",
            "shop-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: shop\nVersion: 1.0\n",
            "shop-1.0.dist-info/entry_points.txt": "[hypothesis]\nshop = shop.plugin\n",
            "hypothesis/__init__.py": "import hypothesis._native.fast\n\ngiven = 1\n",
            "hypothesis/_native.abi3.so": "",
        }
        assert rules(scan(tmp_path, files, follow=["hypothesis"])) == []

    def test_advice_is_about_the_target(self, tmp_path: Path) -> None:
        assert only(scan(tmp_path, ENTRY_POINTS)).fix.startswith(
            "move the statement at shop/__init__.py:1 below line 3"
        )

    def test_what_the_package_survives_by_itself_is_not_reported(self, tmp_path: Path) -> None:
        assert rules(scan(tmp_path, SURVIVING, select=["ALL"])) == []
        assert "IC103" in rules(package.scan("plugkit", working_directory=tmp_path, configuration=False))

    def test_a_failure_of_the_target_that_the_package_hides(self, tmp_path: Path) -> None:
        finding = only(scan(tmp_path, SWALLOWED))
        assert finding.rule == "IC103"
        assert finding.handler is not None
        assert finding.handler.module == "plugkit"

    def test_a_cycle_is_shown_by_a_walk_through_the_target(self, tmp_path: Path) -> None:
        report = scan(tmp_path, HARMLESS_CYCLE, select=["IC2", "IC3"])
        assert [(each.rule, each.cycle) for each in report.findings] == [
            ("IC301", ("plugkit", "plugkit.bridge", "plugkit.other", "shop"))
        ]
        assert "shop" in {step.site.module for step in only(report).trace}

    def test_deferred_imports_are_those_of_the_target_and_back_to_it(self, tmp_path: Path) -> None:
        files = {
            **LATE,
            "plugkit/__init__.py": (
                "import importlib\n\n\ndef load(name):\n    import plugkit.other\n"
                "    return importlib.import_module(name)\n"
            ),
            "plugkit/other.py": "",
        }
        assert [each.target for each in scan(tmp_path, files).deferred] == ["shop.orders"]

    def test_comments_in_the_package_are_not_held_to_be_of_use(self, tmp_path: Path) -> None:
        files = {**LATE, "plugkit/__init__.py": f"{LATE['plugkit/__init__.py']}x = 1  # importcycle: ignore\n"}
        assert "IC904" not in rules(scan(tmp_path, files, warn_unused_ignores=True))


class TestWhereItIsFound:
    def test_beside_the_target_in_src_or_installed(self, tmp_path: Path) -> None:
        for place in ("", "src/"):
            folder = write(
                tmp_path / f"in{place.strip('/')}", {f"{place}{path}": text for path, text in MUTUAL.items()}
            )
            report = package.scan("shop", working_directory=folder, configuration=False, follow=["plugkit"])
            assert rules(report) == ["IC101"]
        assert len(document(installed(tmp_path, MUTUAL), "--follow", "plugkit")["findings"]) == 1

    def test_in_the_environment_of_another_interpreter(self, tmp_path: Path) -> None:
        folder = write(tmp_path, {path: text for path, text in LOADER.items() if path.startswith("shop/")})
        with pytest.raises(TargetError, match=r"no package 'nowhere_to_be_found' to follow in .*site-packages"):
            discover(["shop"], working_directory=folder, follow=["nowhere_to_be_found"])
        subprocess.run(["python3", "-m", "venv", "--without-pip", tmp_path / "env"], check=True)
        site_packages = next((tmp_path / "env").glob("[Ll]ib*/**/site-packages"))
        write(site_packages, {path: text for path, text in LOADER.items() if path.startswith("plugkit/")})
        options: dict[str, Any] = {"working_directory": folder, "configuration": False, "python": tmp_path / "env"}
        assert rules(package.scan("shop", follow=["plugkit"], **options)) == ["IC101"]

    def test_a_module_stands_for_its_package(self, tmp_path: Path) -> None:
        report = scan(tmp_path, LOADER, follow=["plugkit.loading"])
        assert (rules(report), report.project.followed) == (["IC101"], ("plugkit",))

    def test_a_part_of_a_namespace_and_a_single_file(self, tmp_path: Path) -> None:
        files = {
            "shop/__init__.py": "from wide.kit import load\nfrom single import call\ncall(load, 'shop.orders')\nA = 1",
            "shop/orders.py": "from shop import A\n",
            "wide/kit/__init__.py": LATE["plugkit/__init__.py"],
            "wide/other/__init__.py": "",
            "single.py": "#!/usr/bin/env python\ndef call(function, value):\n    return function(value)\n",
        }
        report = scan(tmp_path, files, follow=["wide.kit", "single"])
        assert (rules(report), report.project.followed) == (["IC101"], ("single", "wide.kit"))
        assert "wide.other" not in report.project.modules
        assert rules(scan(tmp_path, files, follow=["wide.kit"])) == []

    def test_a_package_that_is_a_target_is_one(self, tmp_path: Path) -> None:
        report = scan(tmp_path, LOADER, follow=["shop", "plugkit"])
        assert report.project.followed == ("plugkit",)
        assert only(report).entries == ("shop", "shop.orders")

    @pytest.mark.parametrize(
        ("name", "said"),
        [
            ("plugkits", r"no package 'plugkits' to follow in .*; did you mean plugkit\?"),
            ("plugkit.nothing", "no package 'plugkit.nothing' to follow in .*: give the name by which it is imported"),
            ("./plugkit", "cannot follow './plugkit': give the name by which the package is imported"),
        ],
    )
    def test_what_is_not_found_is_said(self, name: str, said: str, tmp_path: Path) -> None:
        with pytest.raises(TargetError, match=said):
            scan(tmp_path, LOADER, follow=[name])

    def test_entries_cannot_be_followed_modules_but_traces_can(self, tmp_path: Path) -> None:
        with pytest.raises(TargetError, match=r"plugkit\.loading is of a followed package"):
            scan(tmp_path, LOADER, entries=["plugkit.loading"])
        completed = importcycle("trace", "plugkit.loading", "shop", "--follow", "plugkit", folder=tmp_path)
        assert (completed.returncode, completed.stderr) == (0, "")


class TestPaths:
    def test_they_start_from_the_folder_that_holds_the_package(self, tmp_path: Path) -> None:
        (finding,) = document(installed(tmp_path, LOADER), "--follow", "plugkit")["findings"]
        assert [step["path"] for step in finding["trace"]] == [
            "shop/__init__.py",
            "plugkit/loading.py",
            "shop/orders.py",
        ]

    def test_a_package_beside_the_target_has_paths_as_this(self, tmp_path: Path) -> None:
        files = {f"{'lib' if path.startswith('plug') else 'app'}/{path}": text for path, text in LOADER.items()}
        files["lib/tool/__init__.py"] = ""
        options: dict[str, Any] = {"working_directory": write(tmp_path, files), "configuration": False}
        report = package.scan("app/shop", "lib/tool", follow=["plugkit"], source_roots=["lib"], **options)
        assert [step.site.path for step in only(report).trace] == [
            "app/shop/__init__.py",
            "lib/plugkit/loading.py",
            "app/shop/orders.py",
        ]

    def test_formats_for_other_tools_name_the_true_file(self, tmp_path: Path) -> None:
        folder = installed(tmp_path, MUTUAL)
        printed = run(folder, "scan", "--follow", "plugkit", "--format", "sarif").stdout
        (result,) = json.loads(printed)["runs"][0]["results"]
        location = result["locations"][0]["physicalLocation"]["artifactLocation"]
        file = tmp_path / "packages" / "plugkit" / "integrations" / "shop_orders.py"
        assert location == {"uri": file.as_uri()}

    def test_two_files_are_never_shown_by_one_path(self, tmp_path: Path) -> None:
        files = {
            "project/shop/__init__.py": "import tool\n",
            "project/tool/helper.py": "",
            "project/tool/extra/__init__.py": "",
            "packages/tool/__init__.py": "import tool.helper\n",
            "packages/tool/helper.py": "",
        }
        write(tmp_path, files)
        options: dict[str, Any] = {"working_directory": tmp_path / "project", "configuration": False}
        known = package.scan("shop", "tool/extra", follow=["tool"], source_roots=[tmp_path / "packages"], **options)
        shown = {module.display_path: module.path for module in known.project.modules.values()}
        assert len(shown) == len(known.project.modules)
        assert all(known.project.file_of(path) == file for path, file in shown.items())


class TestGates:
    def test_the_configuration(self, tmp_path: Path) -> None:
        folder = installed(tmp_path, LOADER)
        write(folder, {"importcycle.toml": 'follow = ["plugkit"]\n'})
        assert run(folder, "scan").returncode == 1
        assert run(folder, "scan", "--isolated").returncode == 0
        assert 'follow = ["plugkit"]' in run(folder, "config").stdout
        assert run(folder, "trace", "shop.orders").stdout.count("plugkit/loading.py:5") == 1

    def test_a_baseline_knows_what_was_found_in_the_package(self, tmp_path: Path) -> None:
        folder = installed(tmp_path, MUTUAL)
        assert run(folder, "baseline", "--follow", "plugkit").returncode == 0
        followed = run(folder, "scan", "--follow", "plugkit")
        assert (followed.returncode, "1 known from the baseline" in followed.stdout) == (0, True)
        assert str(tmp_path) not in (folder / "importcycle-baseline.json").read_text()
        # A scan that does not look there, or that is of another target, does not miss it.
        write(folder, {"src/other/__init__.py": "import plugkit\n"})
        for arguments in (["shop"], ["other"], ["other", "--follow", "plugkit"]):
            assert "gone" not in run(folder, "scan", *arguments).stdout
        write(folder, {"src/shop/orders.py": ""})
        assert "gone, and still in the baseline: 1" in run(folder, "scan", "shop", "--follow", "plugkit").stdout

    def test_a_comment_in_the_target_silences(self, tmp_path: Path) -> None:
        silenced = MUTUAL["shop/orders.py"].replace("Plugin\n", "Plugin  # importcycle: ignore[IC101]\n", 1)
        assert (
            run(installed(tmp_path, {**MUTUAL, "shop/orders.py": silenced}), "scan", "--follow", "plugkit").returncode
            == 0
        )

    @pytest.mark.parametrize("pattern", ["plugkit/", "plugkit/integrations/*.py", "shop_orders.py"])
    def test_what_is_excluded_is_opaque(self, pattern: str, tmp_path: Path) -> None:
        found = document(installed(tmp_path, MUTUAL), "--follow", "plugkit", "--exclude", pattern)
        assert found["findings"] == []

    def test_changes_of_either_touch_a_finding(self, tmp_path: Path) -> None:
        folder = tmp_path / "project"
        write(
            folder,
            {f"src/{path}" if path.startswith("shop") else f"vendored/{path}": text for path, text in MUTUAL.items()},
        )
        git = ["git", "-c", "user.name=n", "-c", "user.email=e"]
        for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
            subprocess.run([*git, *command], cwd=folder, check=True)
        arguments = (
            "scan",
            "shop",
            "--follow",
            "plugkit",
            "--source-root",
            "vendored",
            "--source-root",
            "src",
            "--changed",
        )
        assert importcycle(*arguments, folder=folder).returncode == 0
        path = "vendored/plugkit/integrations/shop_orders.py"
        write(folder, {path: f"{MUTUAL['plugkit/integrations/shop_orders.py'].rstrip()}  # changed\n"})
        assert importcycle(*arguments, folder=folder).returncode == 1

    def test_what_is_kept_of_an_earlier_scan_heeds_the_packages_and_their_metadata(self, tmp_path: Path) -> None:
        options: dict[str, Any] = {"cache_dir": tmp_path / "kept"}
        root = tmp_path / "root"
        assert rules(scan(root, ENTRY_POINTS, **options)) == ["IC101"]
        assert rules(scan(root, ENTRY_POINTS, follow=[], **options)) == []
        declared = {"shop-1.0.dist-info/entry_points.txt": "[plugkit.plugins]\n"}
        assert rules(scan(root, {**ENTRY_POINTS, **declared}, **options)) == []
        assert rules(scan(root, ENTRY_POINTS, **options)) == ["IC101"]
        assert rules(scan(root, {**ENTRY_POINTS, "plugkit/__init__.py": ""}, **options)) == []


class TestPartsOfAPackage:
    """What a part imports from the rest of its package is looked into without being named."""

    @pytest.mark.parametrize("target", ["shop.orders", "shop/orders.py"])
    def test_a_failure_by_way_of_the_rest(self, target: str, tmp_path: Path) -> None:
        write(tmp_path, CRASH)
        report = package.scan(target, working_directory=tmp_path, configuration=False)
        finding = only(report)
        assert (finding.rule, finding.entries) == ("IC101", ("shop.orders",))
        assert finding.location.module == "shop.customers"
        assert (report.project.packages, report.project.followed) == (("shop.orders",), ())

    def test_a_script_and_the_files_beside_it(self, tmp_path: Path) -> None:
        files = {"work/run.py": "from helper import H\nR = 1\n", "work/helper.py": "from run import R\nH = 1\n"}
        options: dict[str, Any] = {"working_directory": write(tmp_path, files), "configuration": False}
        assert only(package.scan("work/run.py", **options)).entries == ("run",)

    def test_a_baseline_of_the_whole_does_not_miss_what_a_part_cannot_find(self, tmp_path: Path) -> None:
        folder = write(tmp_path, {**CRASH, ".git/HEAD": ""})
        assert importcycle("baseline", folder=folder).returncode == 0
        for target in ("shop.orders", "shop/customers.py"):
            completed = importcycle("scan", target, folder=folder)
            assert (completed.returncode, "gone" in completed.stdout) == (0, False)
        write(folder, {"shop/customers.py": ""})
        completed = importcycle("scan", "shop.orders", folder=folder)
        assert "gone, and still in the baseline: 1;" in completed.stdout
