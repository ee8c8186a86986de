"""The name of a distribution leads to the names that are imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from importcycle.project import TargetError, discover
from importcycle.project.distributions import imported_names
from tests.project.trees import plant_texts

YAML = {
    "PyYAML-6.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: PyYAML\nVersion: 6.0\n",
    "PyYAML-6.0.dist-info/RECORD": "PyYAML-6.0.dist-info/METADATA,,\n_yaml/__init__.py,,\nyaml/__init__.py,,\n",
    "yaml/__init__.py": "",
    "_yaml/__init__.py": "",
}
TWO = {
    "two_in_one-1.egg-info/PKG-INFO": "Metadata-Version: 2.1\nName: two-in-one\nVersion: 1\n",
    "two_in_one-1.egg-info/top_level.txt": "first\nsecond\n",
}


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("pyyaml", ["yaml"]),
        ("PyYAML", ["yaml"]),
        ("two-in-one", ["first", "second"]),
        ("nothing", []),
        ("./yaml", []),
        ("", []),
    ],
)
def test_names(name: str, names: list[str], tmp_path: Path) -> None:
    assert imported_names(name, [plant_texts(tmp_path, {**YAML, **TWO}), tmp_path / "missing"]) == names


def test_targets_and_followed_packages_tell_them(tmp_path: Path) -> None:
    plant_texts(tmp_path, {**TWO, "shop/__init__.py": ""})
    said = "two-in-one is the name of a distribution, which is imported as first or second: name that"
    with pytest.raises(TargetError, match=said):
        discover(["two-in-one"], working_directory=tmp_path)
    with pytest.raises(TargetError, match=said):
        discover(["shop"], working_directory=tmp_path, follow=["two-in-one"])


def test_a_package_comes_before_a_distribution(tmp_path: Path) -> None:
    plant_texts(tmp_path, {**YAML, "pyyaml/__init__.py": ""})
    assert discover(["pyyaml"], working_directory=tmp_path).packages == ("pyyaml",)
