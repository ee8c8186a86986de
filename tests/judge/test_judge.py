"""The judge itself: it must see what CPython does, or everything that leans on it is worthless."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from . import Cause, Interpreter, Judge, find_interpreters, worlds_of


@pytest.fixture(scope="module", params=find_interpreters(), ids=str)
def judge(request: pytest.FixtureRequest) -> Iterator[Judge]:
    interpreter: Interpreter = request.param
    with Judge(interpreter) as asked:
        yield asked


def write(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_from_import_of_half_loaded_module(judge: Judge, tmp_path: Path) -> None:
    root = write(tmp_path, {"p/__init__.py": "", "p/a.py": "from p import b\nX = 1\n", "p/b.py": "from p.a import X\n"})
    first, second = judge.ask(root, ["p.a", "p.b"])
    assert (first.error_type, first.module, first.name) == ("ImportError", "p.a", "X")
    assert first.cause is Cause.DIRECT
    assert first.frames == (("p.a", 1), ("p.b", 1))
    assert not second.fails


def test_attribute_and_global_names(judge: Judge, tmp_path: Path) -> None:
    files = {
        "p/__init__.py": "",
        "p/a.py": "import p.b\nX = 1\n",
        "p/b.py": "import p.a\nY = p.a.X\n",
        "p/c.py": "def f():\n    return LATE\nimport p.d\nLATE = 1\n",
        "p/d.py": "from p.c import f\nf()\n",
    }
    by_entry = {verdict.entry: verdict for verdict in judge.ask(write(tmp_path, files), ["p.a", "p.b", "p.c", "p.d"])}
    attribute, name = by_entry["p.a"], by_entry["p.c"]
    assert (attribute.error_type, attribute.module, attribute.name) == ("AttributeError", "p", "a")
    assert (name.error_type, name.module, name.name) == ("NameError", "p.c", "LATE")
    assert {attribute.cause, name.cause} == {Cause.DIRECT}


def test_swallowed_failure_is_seen_and_what_follows_is_a_follow_up(judge: Judge, tmp_path: Path) -> None:
    handler = "try:\n    from p.a import X\nexcept ImportError:\n    X = None\n"
    files = {"p/__init__.py": "", "p/a.py": "import p.b\nX = 1\n", "p/b.py": handler + "Y = X + 1\n"}
    (verdict,) = judge.ask(write(tmp_path, files), ["p.a"])
    assert (verdict.error_type, verdict.cause) == ("TypeError", Cause.FOLLOW_UP)
    assert [(miss.error_type, miss.module, miss.name, miss.half_loaded) for miss in verdict.swallowed] == [
        ("ImportError", "p.a", "X", True)
    ]


def test_failure_of_another_sort(judge: Judge, tmp_path: Path) -> None:
    (verdict,) = judge.ask(write(tmp_path, {"p.py": "import sys\nraise ValueError(1)\n"}), ["p"])
    assert (verdict.error_type, verdict.cause) == ("ValueError", Cause.OTHER)


def test_worlds(judge: Judge, tmp_path: Path) -> None:
    test = "import os\nif os.environ.get('FAST') == '1':\n    import b\nX = 1\n"
    root = write(tmp_path, {"a.py": test, "b.py": "from a import X\n"})
    worlds = worlds_of({"FAST": (None, "0", "1")})
    verdicts = judge.ask(root, ["a"], worlds=worlds, tests=[("a.py", "os.environ.get('FAST') == '1'")])
    assert [verdict.fails for verdict in verdicts] == [False, False, True]
    assert [verdict.tests for verdict in verdicts] == [(False,), (False,), (True,)]


def test_script_and_shadowing(judge: Judge, tmp_path: Path) -> None:
    files = {
        "main.py": "import other\nX = 1\n",
        "other.py": "from main import X\nfrom other import Y\n",
        "logging.py": "from logging import getLogger\n",
        "user.py": "import logging\n",
    }
    main, user = judge.ask(write(tmp_path, files), scripts=["main.py", "user.py"])
    assert (main.error_type, main.module, main.name) == ("ImportError", "other", "Y")
    assert main.frames == (("__main__", 1), ("other", 2))
    assert (user.error_type, user.module, user.name) == ("ImportError", "logging", "getLogger")


def test_endless_import_is_killed(judge: Judge, tmp_path: Path) -> None:
    (verdict,) = judge.ask(write(tmp_path, {"p.py": "while True: pass\n"}), ["p"], timeout=0.2)
    assert (verdict.error_type, verdict.cause) == ("Killed", Cause.OTHER)
