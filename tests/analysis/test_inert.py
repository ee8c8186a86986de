"""In a large project, new names that nobody can ask for cost no simulation; all others do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import importcycle
from importcycle.analysis import making
from importcycle.report.json import render_json

from .large import write_large_project

Edit = Callable[[str], str]
_MORE = {
    "facade": "from big.shown import *\n",
    "shown": "SHOWN = 1\n",
    "walker": "import big.walked\n\nNAMES = dir(big.walked)\n",
    "walked": "WALKED = 1\n",
    "asker": """
import big.asked

for part in ("one", "two"):
    if hasattr(big.asked, "name_" + part):
        import big.m5
""",
    "asked": "ASKED = 1\n",
    "user": "import big.used\n\n\ndef user():\n    return big.used.used_later\n",
    "used": "USED = 1\n",
    "misser": "try:\n    from big.missed import helprs\nexcept ImportError:\n    pass\n",
    "missed": "import big.misser\n\nMISSED = 1\n",
}


@pytest.fixture
def big(tmp_path: Path) -> Path:
    folder = write_large_project(tmp_path / "project")
    for name, text in _MORE.items():
        (folder / "big" / f"{name}.py").write_text(text)
    return folder


def _scan(folder: Path, cache: Path | bool) -> str:
    report = importcycle.scan("big", working_directory=folder, configuration=False, cache_dir=cache, jobs=1)
    return render_json(report, version="0", deferred=True)


def _edit(folder: Path, name: str, edit: Edit) -> None:
    path = folder / "big" / f"{name}.py"
    text = path.read_text()
    assert edit(text) != text
    path.write_text(edit(text))


def _appended(text: str) -> Edit:
    return lambda before: before + text


_FUNCTION = """

def added_one(value: int, more=(1, -2)) -> 'str | None':
    return more


"""
_TWO_FUNCTIONS = """
def added_one():
    return added_two


def added_two():
    pass
"""
_CLASS = """
class Added:
    '''New.'''

    LIMIT = 3

    def method(self):
        return Added
"""
_INERT: dict[str, tuple[str, Edit]] = {
    "a function at the end": ("m1", _appended(_FUNCTION)),
    "a function in the middle": ("m1", lambda text: text.replace("def function_50", f"{_FUNCTION}def function_50")),
    "a constant": ("m1", _appended("ADDED = [1, {'a': -2.5}, (None, 'x')]\n")),
    "an annotated constant": ("m1", _appended("ADDED: dict[str, int] = {}\n")),
    "a class": ("m1", _appended(_CLASS)),
    "a function, and one that uses it where it does not run": (
        "m1",
        lambda text: _FUNCTION + "added_one()".join(text.rsplit("None", 1)),
    ),
    "two functions, of which one uses the other": ("m1", _appended(_TWO_FUNCTIONS)),
}
_MATTERING: dict[str, tuple[str, Edit]] = {
    "the name is used where it is bound later": ("used", _appended("def used_later():\n    pass\n")),
    "a star import takes it": ("shown", _appended("ADDED = 1\n")),
    "its module is looked through": ("walked", _appended("ADDED = 1\n")),
    "a computed name asks for it": ("asked", _appended("name_two = 1\n")),
    "it is near to a name that is missed": ("missed", _appended("def helpers():\n    pass\n")),
    "it means something to Python": ("m1", _appended("def __getattr__(name):\n    import big.m9\n")),
    "a decorator": ("m1", _appended("@function_1\ndef added_one():\n    pass\n")),
    "a default value is computed": ("m1", _appended("def added_one(value=function_1(1)):\n    pass\n")),
    "an annotation is evaluated": ("m1", _appended("def added_one(value: big.m2.NAME_2):\n    pass\n")),
    "a base class": ("m1", _appended("class Added(big.m2.X):\n    pass\n")),
    "a value is computed": ("m1", _appended("ADDED = big.m2.NAME_2\n")),
    "it is used by a function that runs": (
        "m1",
        lambda text: text.replace("        return value + other", "        return added_one", 2) + "added_one = 1\n",
    ),
    "it hides a builtin name": ("m1", _appended("def str():\n    pass\n\n\ndef added_one(value: str):\n    pass\n")),
    "an import": ("m1", _appended("import big.m30\n")),
    "a docstring is one no more": ("m1", lambda text: "ADDED = 1\n" + text.replace("from", "'''Text.'''\nfrom", 1)),
}


@pytest.mark.parametrize("edit", _INERT)
def test_new_names_that_nobody_can_ask_for_cost_nothing(
    big: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edit: str
) -> None:
    first = _scan(big, tmp_path / "cache")
    before = (big / "big" / "m1.py").read_text()
    _edit(big, *_INERT[edit])
    fresh = _scan(big, False)
    with monkeypatch.context() as patch:
        patch.setattr(making, "make", _no_simulation)
        assert _scan(big, tmp_path / "cache") == fresh
    (big / "big" / "m1.py").write_text(before)
    assert _scan(big, tmp_path / "cache") == first


@pytest.mark.parametrize("edit", _INERT)
def test_nor_do_such_names_when_they_go(big: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edit: str) -> None:
    before = (big / "big" / "m1.py").read_text()
    _edit(big, *_INERT[edit])
    _scan(big, tmp_path / "cache")
    (big / "big" / "m1.py").write_text(before)
    fresh = _scan(big, False)
    monkeypatch.setattr(making, "make", _no_simulation)
    assert _scan(big, tmp_path / "cache") == fresh


@pytest.mark.parametrize("edit", _MATTERING)
def test_others_are_simulated(big: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edit: str) -> None:
    _scan(big, tmp_path / "cache")
    _edit(big, *_MATTERING[edit])
    fresh = _scan(big, False)
    assert _scan(big, tmp_path / "cache") == fresh
    _edit(big, "m1", lambda text: text + "# the end\n")
    monkeypatch.setattr(making, "make", _no_simulation)
    assert _scan(big, tmp_path / "cache") == fresh


def _no_simulation(*arguments: object) -> None:
    raise AssertionError("simulated again")
