"""Results of an earlier scan are used where they still hold, and only there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import importcycle
from importcycle.analysis import making
from importcycle.report.json import render_json

_FILES = {
    "shop/__init__.py": "",
    "shop/stock.py": '''"""What there is."""

import shop.orders


def load():
    from shop.late import LATE

    return LATE


def never_called():
    """Nobody calls this."""
    return 1


AMOUNT = load()
''',
    "shop/late.py": """from shop import stock

LATE = 1


def unused():
    import shop.tools
    return shop.tools
""",
    "shop/orders.py": "from shop.stock import AMOUNT\n\n\ndef total():\n    return AMOUNT\n",
    "shop/tools.py": "def twice(x):\n    return 2 * x\n",
}
Edit = Callable[[str], str]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    for name, text in _FILES.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "project"


def _scan(folder: Path, cache: Path | bool) -> str:
    report = importcycle.scan("shop", working_directory=folder, configuration=False, cache_dir=cache)
    return render_json(report, version="0", deferred=True)


def _forbid(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_simulation(*arguments: object) -> None:
        raise AssertionError("simulated again")

    monkeypatch.setattr(making, "make", no_simulation)


def test_nothing_is_simulated_again_when_nothing_has_changed(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _scan(shop, tmp_path / "cache")
    assert '"IC101"' in first
    assert first == _scan(shop, False)
    _forbid(monkeypatch)
    assert _scan(shop, tmp_path / "cache") == first


_HARMLESS: dict[str, tuple[str, Edit]] = {
    "comment on top": ("stock", lambda text: f"# new\n\n{text}"),
    "comment at the end": ("orders", lambda text: f"{text}# the end\n"),
    "empty lines before a function that runs": ("stock", lambda text: text.replace("def load", "\n\n\ndef load")),
    "body of a function that never runs": ("stock", lambda text: text.replace("return 1", "x = 1\n    return x + 1")),
    "docstring of a function that never runs": ("stock", lambda text: text.replace("Nobody", "Indeed nobody")),
    "deferred import that never runs, moved": (
        "late",
        lambda text: text.replace("    import", "    x = 1\n    import"),
    ),
}


@pytest.mark.parametrize("edit", _HARMLESS)
def test_changes_that_cannot_matter_are_not_simulated(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edit: str
) -> None:
    _scan(shop, tmp_path / "cache")
    _edit(shop, *_HARMLESS[edit])
    fresh = _scan(shop, False)
    _forbid(monkeypatch)
    assert _scan(shop, tmp_path / "cache") == fresh


_HARMFUL: dict[str, tuple[str, Edit]] = {
    "a name is bound earlier": (
        "stock",
        lambda text: text.replace("import shop.orders", "AMOUNT = 1\nimport shop.orders"),
    ),
    "a function that runs imports something else": (
        "stock",
        lambda text: text.replace("late import LATE", "tools import twice as LATE"),
    ),
    "a function that never ran gets a new import": (
        "tools",
        lambda text: text.replace("return", "import shop.stock\n    return"),
    ),
    "a deferred import is gone": ("late", lambda text: text.replace("    import shop.tools\n", "    shop = None\n")),
    "a condition": ("orders", lambda text: "import os\nif os.environ.get('X'):\n    " + text),
    "an error in a function that never runs": ("stock", lambda text: text.replace("return 1", "return 1 +")),
    "the text of a line that is shown": ("stock", lambda text: text.replace("= load()", "= load()  # now")),
    "names are bound dynamically": ("tools", lambda text: text.replace("return 2", "globals()['y'] = 1\n    return 2")),
    "a global statement in a function that never runs": (
        "stock",
        lambda text: text.replace("return 1", "global AMOUNT\n    return 1"),
    ),
}


@pytest.mark.parametrize("edit", _HARMFUL)
def test_changes_that_can_matter_are_seen(shop: Path, tmp_path: Path, edit: str) -> None:
    _scan(shop, tmp_path / "cache")
    _edit(shop, *_HARMFUL[edit])
    assert _scan(shop, tmp_path / "cache") == _scan(shop, False)


def test_files_that_come_and_go_are_seen(shop: Path, tmp_path: Path) -> None:
    _scan(shop, tmp_path / "cache")
    (shop / "shop" / "more.py").write_text("from shop.orders import total\n")
    assert _scan(shop, tmp_path / "cache") == _scan(shop, False)
    (shop / "shop" / "more.py").unlink()
    (shop / "shop" / "late.py").unlink()
    assert _scan(shop, tmp_path / "cache") == _scan(shop, False)


def test_data_files_that_the_package_may_ask_for_are_seen(shop: Path, tmp_path: Path) -> None:
    stock = shop / "shop" / "stock.py"
    stock.write_text(
        "import pathlib\n\n"
        "if (pathlib.Path(__file__).parent / 'flag.txt').exists():\n    import shop.orders\n"
        "AMOUNT = 1\n"
    )
    without = _scan(shop, tmp_path / "cache")
    (shop / "shop" / "flag.txt").write_text("")
    with_flag = _scan(shop, tmp_path / "cache")
    assert with_flag == _scan(shop, False)
    assert with_flag != without


def test_settings_do_not_mix(shop: Path, tmp_path: Path) -> None:
    def scan(cache: Path | bool, version: str) -> str:
        report = importcycle.scan(
            "shop", working_directory=shop, configuration=False, python_version=version, cache_dir=cache
        )
        return render_json(report, version="0", deferred=True)

    for version in ("3.10", "3.13", "3.10"):
        assert scan(tmp_path / "cache", version) == scan(False, version)


def _edit(shop: Path, module: str, edit: Edit) -> None:
    path = shop / "shop" / f"{module}.py"
    before = path.read_text(encoding="utf-8")
    after = edit(before)
    assert after != before
    path.write_text(after, encoding="utf-8")
