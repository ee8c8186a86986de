"""The import graph holds every import of the sources, with its lines and kinds, whatever the tree is like."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from grimp.application.config import settings

from importcycle.graph import ImportGraph, ImportKind, build_import_graph, grimping
from importcycle.project import discover
from tests.project.trees import plant_texts

EAGER, DEFERRED, TYPING, IMPLIED = (kind.value for kind in ImportKind)


def build(folder: Path, texts: Mapping[str, str], *targets: str) -> ImportGraph:
    plant_texts(folder, texts)
    return build_import_graph(discover(targets or ["p"], working_directory=folder))


def sites(graph: ImportGraph, importer: str, imported: str) -> list[tuple[int, str]]:
    return [(site.line, site.kind.value) for site in graph.sites(importer, imported)]


def named(graph: ImportGraph) -> set[tuple[str, str]]:
    """The edges that statements name."""
    return set(graph.edges())


MANY_KINDS = '''
"""import p.never
from p import never"""
import p.a
from p import (
    b,
    c as d,
)
class Holder:
    import p.e
try:
    from . import f
except ImportError:
    from .g import name
if p.a.x: import p.h
def function():
    from p.i import *
    class Local:
        def method(self): import p.j
async def other():
    import p.k
if __name__ == "__main__":
    import p.l
text = """
if True:
    import p.never
"""
'''
EXPECTED = {
    "a": [(4, EAGER)],
    "b": [(5, EAGER)],
    "c": [(5, EAGER)],
    "e": [(10, EAGER)],
    "f": [(12, EAGER)],
    "g": [(14, EAGER)],
    "h": [(15, EAGER)],
    "i": [(17, DEFERRED)],
    "j": [(19, DEFERRED)],
    "k": [(21, DEFERRED)],
    "l": [(23, DEFERRED)],
}


class TestKinds:
    @pytest.mark.parametrize("grimp_works", [True, False])
    def test_every_form_of_import(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, grimp_works: bool) -> None:
        if not grimp_works:
            monkeypatch.setattr("importcycle.graph.building.fit_for_grimp", lambda module: False)
        texts = {f"p/{name}.py": "" for name in [*EXPECTED, "never", "__init__"]}
        graph = build(tmp_path, {**texts, "p/main.py": MANY_KINDS})
        found = {name: sites(graph, "p.main", f"p.{name}") for name in [*EXPECTED, "never"]}
        assert found == {**EXPECTED, "never": []}
        assert (0, IMPLIED) in sites(graph, "p.main", "p")

    @pytest.mark.parametrize(
        ("text", "kind"),
        [
            ("if TYPE_CHECKING:\n    import p.a", TYPING),
            ("if typing.TYPE_CHECKING: import p.a", TYPING),
            ("from typing import TYPE_CHECKING as TC\nif TC:\n    import p.a", TYPING),
            ("if not TYPE_CHECKING:\n    pass\nelse:\n    import p.a", TYPING),
            ("if not TYPE_CHECKING:\n    import p.a", EAGER),
            ("if TYPE_CHECKING:\n    pass\nelse:\n    import p.a", EAGER),
            ("if TYPE_CHECKING:\n    pass\nelif x:\n    import p.a", EAGER),
            ("if x:\n    pass\nelif TYPE_CHECKING:\n    import p.a", TYPING),
            ("if TYPE_CHECKING and x:\n    import p.a", TYPING),
            ("if x and TYPE_CHECKING:\n    import p.a", TYPING),
            ("if TYPE_CHECKING or x:\n    import p.a", EAGER),
            ("if (\n    TYPE_CHECKING\n):\n    import p.a", TYPING),
            ("if TYPE_CHECKING:\n    def f():\n        import p.a", TYPING),
            ("def f():\n    if TYPE_CHECKING:\n        import p.a", TYPING),
            ("if False:\n    import p.a", TYPING),
            ("if True:\n    pass\nelse:\n    import p.a", TYPING),
            ("if x:\n    TYPE_CHECKING\nimport p.a", EAGER),
            ("x = 1; import p.a", EAGER),
            ("def f(): x = 1; import p.a", DEFERRED),
            ("def f(\n    a,\n): import p.a", DEFERRED),
            ("def f():\n    x = '''\nif 1:\n'''\n    import p.a", DEFERRED),
            ("def f():\n    x = [a\nfor a in b\n]\n    import p.a", DEFERRED),
            ("def f():\n  pass\ntry:\n    import p.a\nfinally: pass", EAGER),
            ("def f():\n    # comment \\\n    import p.a", DEFERRED),
            ("def f():\n\tif x:\n\t\tpass\n\timport p.a", DEFERRED),
            ("if x: \\\n  import p.a", EAGER),
            ("def f(): \\\nimport p.a", DEFERRED),
            ("match x:\n    case 1:\n        import p.a", EAGER),
            ("while x:\n    with y:\n        import p.a", EAGER),
            ("def f():\n    pass\n\x0cif x:\n    import p.a", EAGER),
            ("def f():\r\n    import p.a\r\n", DEFERRED),
            ('if x == \'"""\':\n    import p.a\ny = \'"""\'', EAGER),
        ],
    )
    def test_where_a_statement_stands(self, tmp_path: Path, text: str, kind: str) -> None:
        graph = build(tmp_path, {"p/__init__.py": "", "p/a.py": "", "p/m.py": text})
        assert {found for _, found in sites(graph, "p.m", "p.a")} == {kind}
        assert not graph.unparsable

    def test_lazy_imports_are_deferred(self, tmp_path: Path) -> None:
        texts = {"p/__init__.py": "", "p/a.py": "", "p/m.py": "lazy import p.a\nlazy from p.a import x\n"}
        assert sites(build(tmp_path, texts), "p.m", "p.a") == [(1, DEFERRED), (2, DEFERRED)]

    def test_one_edge_of_several_kinds(self, tmp_path: Path) -> None:
        text = "def f():\n    import p.a\nif TYPE_CHECKING:\n    import p.a\nimport p.a\n"
        graph = build(tmp_path, {"p/__init__.py": "", "p/a.py": "", "p/m.py": text})
        assert sites(graph, "p.m", "p.a") == [(2, DEFERRED), (4, TYPING), (5, EAGER)]


class TestImplied:
    def test_packages_above_the_imported_one(self, tmp_path: Path) -> None:
        texts = {"p/__init__.py": "", "q/__init__.py": "", "q/r/__init__.py": "", "q/r/s.py": ""}
        graph = build(tmp_path, {**texts, "p/m.py": "import q.r.s\ndef f():\n    from q.r import s\n"}, "p", "q")
        assert sites(graph, "p.m", "q.r.s") == [(1, EAGER), (3, DEFERRED)]
        assert sites(graph, "p.m", "q.r") == sites(graph, "p.m", "q") == [(1, IMPLIED), (3, IMPLIED)]
        assert [site.statement.value for site in graph.sites("p.m", "q")] == [EAGER, DEFERRED]
        assert sites(graph, "q.r.s", "q") == [(0, IMPLIED)]
        assert graph.sites("q", "q.r.s") == ()

    def test_packages_above_a_missing_module(self, tmp_path: Path) -> None:
        texts = {"p/__init__.py": "", "p/m.py": "import q.r.missing.x", "q/__init__.py": "", "q/r/__init__.py": ""}
        graph = build(
            tmp_path, {**texts, "p/n.py": "def f():\n    from .sub.missing import x", "p/sub/__init__.py": ""}, "p", "q"
        )
        assert sites(graph, "p.m", "q.r") == [(1, EAGER)]
        assert sites(graph, "p.m", "q") == [(1, IMPLIED)]
        assert sites(graph, "p.n", "p.sub") == [(2, DEFERRED)]


class TestWhatGrimpLeavesOut:
    @pytest.mark.parametrize("count", [1, 3, 12])
    def test_a_broken_file_does_not_lose_the_graph(self, tmp_path: Path, count: int) -> None:
        broken = {f"p/broken{number}.py": "import p.a\ndef f(:\n" for number in range(count)}
        texts = {"p/__init__.py": "from p import a, broken0", "p/a.py": "import p.b", "p/b.py": "import p.broken0"}
        graph = build(tmp_path, {**texts, **broken})
        # What can be picked out of a broken file is taken as well.
        assert named(graph) == {
            ("p", "p.a"),
            ("p", "p.broken0"),
            ("p.a", "p.b"),
            ("p.b", "p.broken0"),
            *((f"p.broken{number}", "p.a") for number in range(count)),
        }
        assert len(graph.unparsable) == count
        assert graph.unparsable["p/broken0.py"].startswith("line 2: ")

    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (b"import p.a\nx = '\xff'", "not valid utf-8"),
            (b"import p.a\0", "null byte"),
            (b"# coding: nonsense\nimport p.a", "unknown encoding"),
        ],
    )
    def test_files_that_are_no_text(self, tmp_path: Path, data: bytes, reason: str) -> None:
        plant_texts(tmp_path, {"p/__init__.py": "", "p/a.py": "", "p/b.py": "import p.a"})
        (tmp_path / "p/bad.py").write_bytes(data)
        graph = build(tmp_path, {})
        assert reason in graph.unparsable["p/bad.py"]
        assert named(graph) == {("p.b", "p.a")}

    def test_other_encodings(self, tmp_path: Path) -> None:
        plant_texts(tmp_path, {"p/__init__.py": "", "p/a.py": "\ufeffimport p.b\n"})
        (tmp_path / "p/b.py").write_bytes(b"# coding: latin-1\nx = '\xff'\ndef f():\n    import p.a\n")
        graph = build(tmp_path, {})
        assert sites(graph, "p.b", "p.a") == [(4, DEFERRED)]
        assert sites(graph, "p.a", "p.b") == [(1, EAGER)]
        assert not graph.unparsable

    def test_files_of_python_2(self, tmp_path: Path) -> None:
        graph = build(tmp_path, {"p/__init__.py": "", "p/a.py": "", "p/b.py": "import p.a\nprint 'x'\n"})
        assert list(graph.unparsable) == ["p/b.py"]

    def test_syntax_newer_than_the_running_python(self, tmp_path: Path) -> None:
        text = "try:\n    import p.a\nexcept A, B:\n    def f[T: int = str]():\n        import p.a\nx = t'{y}'\n"
        graph = build(tmp_path, {"p/__init__.py": "", "p/a.py": "", "p/b.py": text})
        assert sites(graph, "p.b", "p.a") == [(2, EAGER), (5, DEFERRED)]
        assert not graph.unparsable

    def test_flat_scripts(self, tmp_path: Path) -> None:
        texts = {"tools/a.py": "import b", "tools/b.py": "def f():\n    from a import x", "tools/c.py": "import os"}
        graph = build(tmp_path, texts, "tools")
        assert sites(graph, "a", "b") == [(1, EAGER)]
        assert sites(graph, "b", "a") == [(2, DEFERRED)]
        assert set(graph.digraph) == {"a", "b", "c"}

    def test_namespace_packages_over_several_folders(self, tmp_path: Path) -> None:
        texts = {
            "cloud/one/__init__.py": "from cloud import two",
            "src/cloud/two/__init__.py": "import cloud.three.x",
            "cloud/three/x.py": "def f():\n    from ..one import y",
        }
        graph = build(tmp_path, texts, "cloud.one", "cloud.two", "cloud.three")
        assert sites(graph, "cloud.one", "cloud.two") == [(1, EAGER)]
        assert sites(graph, "cloud.two", "cloud.three.x") == [(1, EAGER)]
        assert sites(graph, "cloud.three.x", "cloud.one") == [(2, DEFERRED)]

    def test_extension_modules_are_imported_but_import_nothing_known(self, tmp_path: Path) -> None:
        plant_texts(tmp_path, {"p/__init__.py": "from p._native import f", "p/m.py": "from . import _native"})
        (tmp_path / "p/_native.abi3.so").write_bytes(b"\x7fELF")
        graph = build(tmp_path, {})
        assert named(graph) == {("p", "p._native"), ("p.m", "p._native")}

    def test_a_module_hidden_by_a_package_of_its_name(self, tmp_path: Path) -> None:
        texts = {"p/__init__.py": "", "p/a.py": "import p.hidden", "p/a/__init__.py": "import p.b", "p/b.py": ""}
        graph = build(tmp_path, {**texts, "p/hidden.py": "", "p/c.py": "import p.a"})
        assert named(graph) == {("p.a", "p.b"), ("p.c", "p.a")}

    def test_a_text_that_would_exhaust_the_parsers(self, tmp_path: Path) -> None:
        deep = "import p.a\nx = " + "1+" * 300_000 + "1\ndef f():\n    from p import b\n"
        texts = {"p/__init__.py": "", "p/a.py": "", "p/b.py": "import p.deep", "p/deep.py": deep}
        assert named(build(tmp_path, texts)) == {("p.deep", "p.a"), ("p.deep", "p.b"), ("p.b", "p.deep")}

    def test_a_file_that_vanishes(self, tmp_path: Path) -> None:
        plant_texts(tmp_path, {"p/__init__.py": "import p.a", "p/a.py": "", "p/b.py": "import p.a"})
        project = discover(["p"], working_directory=tmp_path)
        (tmp_path / "p/b.py").unlink()
        graph = build_import_graph(project)
        assert named(graph) == {("p", "p.a")}
        assert "no such file" in graph.unparsable["p/b.py"]

    def test_grimp_failing_altogether(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        class Panic(BaseException):
            """As Grimp's Rust code raises them."""

        def fail(*packages: str, cache_dir: None) -> None:
            raise Panic("called Option::unwrap() on a None value")

        monkeypatch.setattr(grimping.grimp, "build_graph", fail)
        graph = build(tmp_path, {"p/__init__.py": "", "p/a.py": "import p.b", "p/b.py": "def f():\n    import p.a"})
        assert sites(graph, "p.b", "p.a") == [(2, DEFERRED)]
        assert sites(graph, "p.a", "p.b") == [(1, EAGER)]

    def test_a_part_of_a_package_and_what_it_imports_beside_it(self, tmp_path: Path) -> None:
        texts = {"p/__init__.py": "import p.q.r, p.other", "p/q/__init__.py": "", "p/q/r.py": "import p.other"}
        graph = build(tmp_path, {**texts, "p/other.py": ""}, "p.q")
        assert named(graph) == {("p", "p.q.r"), ("p", "p.other"), ("p.q.r", "p.other")}


class TestSafety:
    @pytest.mark.parametrize("name", ["click", "grimp", "json", "networkx", "rich", "sys"])
    def test_a_target_that_bears_the_name_of_a_module_in_use(self, tmp_path: Path, name: str) -> None:
        texts = {f"{name}/__init__.py": f"from {name} import a", f"{name}/a.py": f"import {name}.b", f"{name}/b.py": ""}
        path, modules = list(sys.path), dict(sys.modules)
        graph = build(tmp_path, texts, name)
        assert named(graph) == {(name, f"{name}.a"), (f"{name}.a", f"{name}.b")}
        assert sys.path == path
        assert sys.modules[name] is modules[name] if name in modules else name not in sys.modules

    def test_grimp_is_left_as_it_was(self, tmp_path: Path) -> None:
        finders = settings.PACKAGE_FINDER, settings.MODULE_FINDER
        build(tmp_path, {"p/__init__.py": "", "p/a.py": "def f(:"})
        assert finders == (settings.PACKAGE_FINDER, settings.MODULE_FINDER)

    def test_nothing_of_the_target_runs_and_nothing_is_written(self, tmp_path: Path) -> None:
        trap = f"import pathlib, p.a\npathlib.Path({str(tmp_path / 'marker')!r}).write_text(__name__)\n"
        names = ["p/__init__", "p/a", "p/b/__init__", "p/b/c", "json", "grimp", "networkx", "ast", "sitecustomize"]
        plant_texts(tmp_path / "work", {f"{name}.py": trap for name in names})
        before = sorted(tmp_path.rglob("*"))
        code = (
            "import pathlib, importcycle.graph as g, importcycle.project as p; "
            "print(len(list(g.build_import_graph(p.discover({}, working_directory=pathlib.Path())).edges())))"
        )
        flags = ["-P"] if sys.version_info >= (3, 11) else ["-I"]
        for targets in (["p"], ["."], ["grimp", "networkx", "p"]):
            done = subprocess.run(
                [sys.executable, *flags, "-c", code.format(targets)],
                cwd=tmp_path / "work",
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            assert int(done.stdout) > 0
        assert sorted(tmp_path.rglob("*")) == before

    def test_no_warning_escapes(self, tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
        build(tmp_path, {"tool.py": "import os\nx = '\\d'\nassert (1, 'x')\n"}, "tool.py")
        assert not recwarn.list
