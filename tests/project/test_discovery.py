"""Targets become the modules that CPython would find, and nothing of them runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from importcycle.project import ModuleKind, Project, TargetError, discover
from tests.project.trees import plant_texts


def plant(root: Path, *files: str) -> Path:
    return plant_texts(root, dict.fromkeys(files, ""))


def scan(folder: Path, *targets: str) -> Project:
    return discover(targets, working_directory=folder)


def kinds(project: Project) -> dict[str, str]:
    return {name: module.kind.value for name, module in project.modules.items()}


class TestTargets:
    def test_a_name_is_found_in_the_working_directory(self, tmp_path: Path) -> None:
        plant(tmp_path, "shop/__init__.py", "shop/orders.py", "other/__init__.py")
        project = scan(tmp_path, "shop")
        assert project.packages == ("shop",)
        assert list(project.modules) == ["shop", "shop.orders"]
        assert project.root == tmp_path
        assert project.modules["shop.orders"].display_path == "shop/orders.py"
        assert project.modules["shop"].is_package

    def test_a_name_is_found_in_src(self, tmp_path: Path) -> None:
        plant(tmp_path, "src/shop/__init__.py", "src/shop/orders.py")
        project = scan(tmp_path, "shop")
        assert project.root == tmp_path / "src"
        assert project.modules["shop.orders"].display_path == "shop/orders.py"

    def test_a_name_is_found_among_the_installed_packages(self, tmp_path: Path) -> None:
        project = scan(tmp_path, "networkx")
        assert project.root.name == "site-packages"
        assert project.modules["networkx.classes.graph"].display_path == "networkx/classes/graph.py"
        assert project.python_version == sys.version_info[:2]
        assert project.platform == sys.platform

    def test_the_working_directory_comes_before_the_installed_packages(self, tmp_path: Path) -> None:
        plant(tmp_path, "click/__init__.py", "click/own.py")
        assert list(scan(tmp_path, "click").modules) == ["click", "click.own"]

    def test_version_and_platform_can_be_given(self, tmp_path: Path) -> None:
        plant(tmp_path, "shop/__init__.py")
        project = discover(["shop"], working_directory=tmp_path, python_version=(3, 8), platform="win32")
        assert (project.python_version, project.platform) == ((3, 8), "win32")

    def test_a_package_folder_by_path(self, tmp_path: Path) -> None:
        plant(tmp_path, "deep/er/shop/__init__.py", "deep/er/shop/orders.py")
        project = scan(tmp_path, "deep/er/shop")
        assert project.root == tmp_path / "deep/er"
        assert list(project.modules) == ["shop", "shop.orders"]
        assert scan(tmp_path, str(tmp_path / "deep/er/shop") + "/").modules == project.modules

    def test_a_folder_inside_a_package_is_a_part_of_it(self, tmp_path: Path) -> None:
        plant(tmp_path, "shop/__init__.py", "shop/parts/__init__.py", "shop/parts/wheel.py", "shop/orders.py")
        project = scan(tmp_path, "shop/parts")
        assert project.packages == ("shop.parts",)
        # The package above runs before the part; its other modules can be imported, and are no part of the target.
        assert project.target_modules() == ["shop", "shop.parts", "shop.parts.wheel"]
        assert list(project.modules) == ["shop", "shop.orders", "shop.parts", "shop.parts.wheel"]
        assert project.contains("shop.parts.missing")
        assert project.contains("shop")
        assert project.is_followed("shop.orders")
        assert project.followed == ()

    def test_a_folder_that_holds_packages(self, tmp_path: Path) -> None:
        plant(tmp_path, "work/a/__init__.py", "work/b/__init__.py", "work/setup.py", "work/.git/c/__init__.py")
        project = scan(tmp_path, "work")
        assert project.packages == ("a", "b")
        assert project.root == tmp_path / "work"

    def test_a_project_folder_with_src_layout(self, tmp_path: Path) -> None:
        plant(tmp_path, "src/shop/__init__.py", "tests/__init__.py", "tests/test_shop.py")
        project = scan(tmp_path, ".")
        assert project.packages == ("shop", "tests")
        assert project.search_paths == (tmp_path / "src", tmp_path)
        assert project.modules["shop"].display_path == "src/shop/__init__.py"

    def test_a_repository_that_bears_the_name_of_its_package(self, tmp_path: Path) -> None:
        plant_texts(tmp_path, {"shop/shop/__init__.py": "import shop.orders", "shop/shop/orders.py": ""})
        assert list(scan(tmp_path, "shop").modules) == ["shop", "shop.orders"]
        assert scan(tmp_path, "shop").root == tmp_path / "shop"

    def test_a_flat_folder_of_scripts(self, tmp_path: Path) -> None:
        plant(tmp_path, "tools/fetch.py", "tools/clean.py", "tools/not-a-name.py", "tools/readme.txt")
        project = scan(tmp_path, "tools")
        assert project.packages == ("clean", "fetch")
        assert project.root == tmp_path / "tools"
        assert not project.modules["fetch"].is_package

    def test_scripts_that_import_one_another_through_their_folder(self, tmp_path: Path) -> None:
        plant_texts(tmp_path, {"tools/fetch.py": "from tools.clean import x", "tools/clean.py": ""})
        assert kinds(scan(tmp_path, "tools")) == {
            "tools": "namespace",
            "tools.clean": "source",
            "tools.fetch": "source",
        }

    def test_a_single_file(self, tmp_path: Path) -> None:
        plant(tmp_path, "fetch.py", "clean.py", "shop/__init__.py", "shop/orders.py", "shop/customers.py")
        assert scan(tmp_path, "fetch.py").target_modules() == ["fetch"]
        assert scan(tmp_path, "fetch.py").is_followed("clean")
        assert scan(tmp_path, "fetch.py").is_followed("shop.orders")
        assert scan(tmp_path, "shop/orders.py").target_modules() == ["shop", "shop.orders"]
        assert list(scan(tmp_path, "shop/__init__.py").modules) == ["shop", "shop.customers", "shop.orders"]

    def test_several_targets(self, tmp_path: Path) -> None:
        plant(tmp_path, "one/a/__init__.py", "two/b/__init__.py")
        project = scan(tmp_path, "one/a", "two/b")
        assert project.packages == ("a", "b")
        assert project.root == tmp_path
        assert project.modules["b"].display_path == "two/b/__init__.py"
        assert scan(tmp_path, "one/a", "one/a").packages == ("a",)

    def test_a_dotted_name(self, tmp_path: Path) -> None:
        plant(tmp_path, "shop/__init__.py", "shop/parts/__init__.py", "shop/parts/wheel.py", "shop/orders.py")
        assert scan(tmp_path, "shop.parts").target_modules() == ["shop", "shop.parts", "shop.parts.wheel"]
        assert scan(tmp_path, "shop.parts.wheel").target_modules() == ["shop", "shop.parts", "shop.parts.wheel"]
        whole = scan(tmp_path, "shop", "shop.parts")
        assert (whole.packages, whole.target_modules()) == (("shop",), list(whole.modules))

    def test_parts_of_a_namespace_package_in_several_places(self, tmp_path: Path) -> None:
        plant_texts(tmp_path, {"one/wide/a/x.py": "import wide.a", "two/wide/b/y.py": "import wide.b"})
        project = scan(tmp_path, "one/wide", "two/wide")
        assert list(project.modules) == ["wide", "wide.a", "wide.a.x", "wide.b", "wide.b.y"]
        assert project.unreadable == ()
        assert project.modules["wide.b.y"].display_path == "two/wide/b/y.py"

    @pytest.mark.parametrize("targets", [("one", "two"), ("one/util.py", "two/util.py"), ("one", "two/util.py")])
    def test_of_two_modules_of_one_name_the_second_is_said_to_be_left_out(
        self, targets: tuple[str, ...], tmp_path: Path
    ) -> None:
        plant(tmp_path, "one/util.py", "two/util.py", "two/main.py")
        project = scan(tmp_path, *targets)
        assert project.modules["util"].path == tmp_path / "one/util.py"
        assert [(each.display_path, each.reason) for each in project.unreadable] == [
            ("two/util.py", "one/util.py has the same name and comes first; scan them apart")
        ]

    def test_of_two_packages_of_one_name_the_second_is_said_to_be_left_out(self, tmp_path: Path) -> None:
        plant(
            tmp_path, "one/src/app/__init__.py", "two/app/__init__.py", "two/app/late/__init__.py", "two/b/__init__.py"
        )
        project = scan(tmp_path, "one", "two", "two/app/late")
        assert list(project.modules) == ["app", "b"]
        assert [each.display_path for each in project.unreadable] == ["two/app/__init__.py"]


class TestErrors:
    @pytest.mark.parametrize(
        ("target", "told"),
        [
            ("shpo", "did you mean shop?"),
            ("shop.orderz", "did you mean shop.orders?"),
            ("shpo.orders", "did you mean shop?"),
            ("zzzzqqqq", "install it"),
            ("no/such/place", "check the path"),
            ("empty", "holds no Python module"),
            ("./empty", "holds no Python module"),
            ("notes.txt", "no importable module"),
            ("not-a-name.py", "no importable module"),
            ("", "name a package"),
            ("nul\0l", "name a package"),
        ],
    )
    def test_the_text_says_what_to_do(self, tmp_path: Path, target: str, told: str) -> None:
        plant(tmp_path, "shop/__init__.py", "shop/orders.py", "empty/readme.txt", "notes.txt", "not-a-name.py")
        with pytest.raises(TargetError) as raised:
            scan(tmp_path, target)
        assert told in str(raised.value)

    def test_no_target(self, tmp_path: Path) -> None:
        with pytest.raises(TargetError):
            discover([], working_directory=tmp_path)

    def test_no_interpreter(self, tmp_path: Path) -> None:
        plant(tmp_path, "shop/__init__.py", "nonsense")
        for python in ("absent", "nonsense"):
            with pytest.raises(TargetError, match="interpreter"):
                discover(["shop"], working_directory=tmp_path, python=tmp_path / python)


class TestFinding:
    def test_precedence_is_that_of_cpython_but_for_a_source_beside_what_was_made_from_it(self, tmp_path: Path) -> None:
        plant(
            tmp_path,
            "p/__init__.py",
            "p/both/__init__.py",
            "p/both.py",
            "p/native.cpython-313-x86_64-linux-gnu.so",
            "p/native.py",
            "p/stable.abi3.so",
            "p/windows.cp312-win_amd64.pyd",
            "p/plain.so",
            "p/module.py",
            "p/module/beneath.py",
            "p/old.pyc",
        )
        project = scan(tmp_path, "p")
        assert kinds(project) == {
            "p": "source",
            "p.both": "source",
            "p.native": "source",
            "p.stable": "extension",
            "p.windows": "extension",
            "p.plain": "extension",
            "p.module": "source",
            "p.old": "extension",
        }
        assert project.closed_modules() == ["p.old", "p.plain", "p.stable", "p.windows"]
        assert project.modules["p.both"].is_package
        assert not project.modules["p.module"].is_package

    def test_what_is_no_module(self, tmp_path: Path) -> None:
        plant(
            tmp_path,
            "p/__init__.py",
            "p/__pycache__/x.py",
            "p/.hidden/x.py",
            "p/.hidden.py",
            "p/with-dash.py",
            "p/with-dash/x.py",
            "p/two.dots.py",
            "p/__import__('os').system('x').py",
            "p/data/readme.txt",
            "p/folder.py/x.py",
        )
        assert list(scan(tmp_path, "p").modules) == ["p"]

    def test_namespace_folders_within_a_package(self, tmp_path: Path) -> None:
        plant(tmp_path, "p/__init__.py", "p/a/b/c.py", "p/tests/data/x.txt", "p/tests/test_p.py")
        assert kinds(scan(tmp_path, "p")) == {
            "p": "source",
            "p.a": "namespace",
            "p.a.b": "namespace",
            "p.a.b.c": "source",
            "p.tests": "namespace",
            "p.tests.test_p": "source",
        }

    def test_portions_of_a_namespace_over_several_search_paths(self, tmp_path: Path) -> None:
        plant(tmp_path, "cloud/one/__init__.py", "src/cloud/two/__init__.py", "src/cloud/one/shadowed.py")
        project = scan(tmp_path, "cloud.one", "cloud.two")
        assert kinds(project) == {"cloud": "namespace", "cloud.one": "source", "cloud.two": "source"}
        assert project.packages == ("cloud.one", "cloud.two")
        assert project.modules["cloud.two"].path == tmp_path / "src/cloud/two/__init__.py"

    def test_a_regular_package_wins_over_a_namespace_that_comes_before(self, tmp_path: Path) -> None:
        plant(tmp_path, "cloud/data.txt", "src/cloud/__init__.py")
        assert scan(tmp_path, "cloud").root == tmp_path / "src"

    def test_names_that_differ_in_case(self, tmp_path: Path) -> None:
        plant(tmp_path, "p/__init__.py", "p/Case.py", "p/case.py")
        if len(os.listdir(tmp_path / "p")) < 3:
            pytest.skip("the file system does not tell them apart")
        assert list(scan(tmp_path, "p").modules) == ["p", "p.Case", "p.case"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")
class TestHostileTrees:
    def test_links_that_go_round_in_circles(self, tmp_path: Path) -> None:
        plant(tmp_path, "p/__init__.py", "p/a/__init__.py", "p/b/__init__.py")
        (tmp_path / "p/loop").symlink_to(".")
        (tmp_path / "p/self").symlink_to("self")
        (tmp_path / "p/a/cross").symlink_to("../b")
        (tmp_path / "p/b/cross").symlink_to("../a")
        names = set(scan(tmp_path, "p").modules)
        assert {"p", "p.a", "p.b", "p.a.cross"} <= names
        assert len(names) < 10

    def test_files_that_cannot_be_read_are_named(self, tmp_path: Path) -> None:
        plant(tmp_path, "p/__init__.py")
        (tmp_path / "p/gone.py").symlink_to("nowhere.py")
        os.mkfifo(tmp_path / "p/pipe.py")
        project = scan(tmp_path, "p")
        assert list(project.modules) == ["p"]
        assert [(one.display_path, one.reason) for one in project.unreadable] == [
            ("p/gone.py", "broken symbolic link"),
            ("p/pipe.py", "not a regular file"),
        ]

    def test_a_folder_that_cannot_be_read_is_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        plant(tmp_path, "p/__init__.py", "p/locked/x.py")
        real_scandir = os.scandir

        def scandir(folder: Path) -> object:
            if Path(folder).name == "locked":
                raise PermissionError(13, "Permission denied")
            return real_scandir(folder)

        monkeypatch.setattr(os, "scandir", scandir)
        unreadable = scan(tmp_path, "p").unreadable
        assert [(one.display_path, one.reason) for one in unreadable] == [
            ("p/locked", "folder cannot be read: permission denied")
        ]

    def test_names_that_are_not_utf8(self, tmp_path: Path) -> None:
        plant(tmp_path, "p/__init__.py")
        try:
            with open(os.fsencode(tmp_path / "p") + b"/\xff\xfe.py", "wb"):
                pass
        except OSError:
            pytest.skip("the file system takes no such names")
        assert list(scan(tmp_path, "p").modules) == ["p"]

    def test_a_tree_deeper_than_the_recursion_limit(self, tmp_path: Path) -> None:
        depth = 1100
        folder = os.open(plant(tmp_path / "p", "__init__.py"), os.O_RDONLY)
        for _ in range(depth):
            os.mkdir("d", dir_fd=folder)
            inner = os.open("d", os.O_RDONLY, dir_fd=folder)
            os.close(folder)
            folder = inner
        os.close(os.open("__init__.py", os.O_CREAT | os.O_WRONLY, dir_fd=folder))
        os.close(folder)
        try:
            assert len(scan(tmp_path, "p").modules) == depth + 1
        finally:
            # Before Python 3.13, shutil.rmtree gives up on such a depth.
            subprocess.run(["rm", "-rf", str(tmp_path / "p")], check=True)


TRAP = """
import pathlib
pathlib.Path({marker!r}).write_text(__name__)
raise SystemExit
"""


class TestNothingRuns:
    def test_no_module_of_the_target_is_imported(self, tmp_path: Path) -> None:
        marker = tmp_path / "marker"
        trap = TRAP.format(marker=str(marker))
        names = ["json", "click", "grimp", "site", "sitecustomize", "sysconfig", "tempfile", "p/sub/deep", "conftest"]
        texts = {f"{name}.py": trap for name in names} | {"p/__init__.py": trap, "p/sub/__init__.py": trap}
        plant_texts(tmp_path / "work", texts)
        code = "import pathlib, importcycle.project as p; p.discover({}, working_directory=pathlib.Path())"
        for targets in (["p"], ["p.sub.deep"], ["."], ["json"], ["p/sub/deep.py"]):
            done = subprocess.run(
                [sys.executable, "-P" if sys.version_info >= (3, 11) else "-I", "-c", code.format(targets)],
                cwd=tmp_path / "work",
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            assert not marker.exists()

    def test_another_interpreter_is_asked_without_running_what_is_installed(self, tmp_path: Path) -> None:
        marker = tmp_path / "marker"
        trap = TRAP.format(marker=str(marker))
        environment = tmp_path / "environment"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
        site_packages = next(environment.glob("lib/python*/site-packages"), environment / "Lib/site-packages")
        linked = plant(tmp_path / "linked", "editable/__init__.py")
        plant_texts(
            site_packages,
            {
                "trap.pth": f"import trap\n# a comment\n{linked}\n",
                "trap.py": trap,
                "sitecustomize.py": trap,
                "usercustomize.py": trap,
                "shop/__init__.py": trap,
            },
        )
        plant_texts(tmp_path / "work", {"json.py": trap, "site.py": trap})
        python = next(
            path for path in (environment / "bin/python", environment / "Scripts/python.exe") if path.exists()
        )
        for named in (python, environment):
            project = discover(["shop", "editable"], working_directory=tmp_path / "work", python=named)
            assert project.modules["shop"].path == site_packages / "shop/__init__.py"
            assert project.modules["editable"].path == linked / "editable/__init__.py"
        assert not marker.exists()
        # The packages of the base interpreter, and of this one, are none of the environment's.
        with pytest.raises(TargetError):
            discover(["networkx"], working_directory=tmp_path, python=python)


def test_namespace_modules_have_their_folder_as_path(tmp_path: Path) -> None:
    plant(tmp_path, "p/a/b.py", "p/__init__.py")
    module = scan(tmp_path, "p").modules["p.a"]
    assert (module.kind, module.is_package, module.path) == (ModuleKind.NAMESPACE, True, tmp_path / "p/a")
