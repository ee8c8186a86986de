"""Sources from the package registry: here a folder of archives takes its place, so that no network is needed."""

from __future__ import annotations

import io
import os
import tarfile
import threading
import zipfile
from pathlib import Path

import pytest

from tests.support.registry import RegistryUnreachable, ReleaseNotFound, cache_folder, fetch_sources

WHEEL = {
    "toy/__init__.py": "",
    "toy/deep/part.py": "x = 1\n",
    "toy/data.bin": "data",
    "toy-1.0.data/purelib/moved.py": "y = 1\n",
    "../outside.py": "",
    "toy-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n",
    "toy-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "toy-1.0.dist-info/entry_points.txt": "[console_scripts]\n",
    "toy-1.0.dist-info/RECORD": "",
}


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in place of the registry, and an empty cache."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_FIND_LINKS", str(shelf))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    return shelf


def put_wheel(shelf: Path, tag: str = "py3-none-any") -> None:
    """Put the wheel of toy 1.0 on the shelf."""
    with zipfile.ZipFile(shelf / f"toy-1.0-{tag}.whl", "w") as archive:
        for name, text in WHEEL.items():
            archive.writestr(name, text)


def files_in(folder: Path) -> set[str]:
    """All files of a folder, relative to it."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_only_python_files_of_a_wheel_are_unpacked(shelf: Path) -> None:
    put_wheel(shelf)
    folder = fetch_sources("toy", "1.0")
    assert files_in(folder) == {
        "toy/__init__.py",
        "toy/deep/part.py",
        "moved.py",
        "toy-1.0.dist-info/entry_points.txt",
    }
    assert "toy/data.bin" in files_in(fetch_sources("toy", "1.0", only_python=False))


def test_nothing_is_put_outside_the_cache_and_nothing_is_left_behind(shelf: Path) -> None:
    put_wheel(shelf)
    folder = fetch_sources("toy", "1.0")
    assert not list(shelf.parent.rglob("outside.py"))
    assert list(folder.parent.iterdir()) == [folder]
    assert cache_folder() in folder.parents


def test_the_registry_is_asked_only_once(shelf: Path) -> None:
    put_wheel(shelf)
    folder = fetch_sources("toy", "1.0")
    next(shelf.iterdir()).unlink()
    assert fetch_sources("toy", "1.0") == folder


def test_a_wheel_of_another_machine_will_do(shelf: Path) -> None:
    put_wheel(shelf, "cp38-abi3-manylinux_2_28_x86_64")
    assert "toy/__init__.py" in files_in(fetch_sources("toy", "1.0"))


def test_a_release_that_is_not_there_is_said_so(shelf: Path) -> None:
    with pytest.raises(ReleaseNotFound, match=r"toy==9\.9"):
        fetch_sources("toy", "9.9")
    assert not list(cache_folder().rglob("*.py"))


def test_a_source_archive_is_taken_from_its_src_folder(shelf: Path) -> None:
    files = {
        "toy-1.0/PKG-INFO": "Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n",
        "toy-1.0/pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
        "toy-1.0/backend.py": (
            "import os\n"
            "def prepare_metadata_for_build_wheel(folder, config_settings=None):\n"
            "    os.mkdir(os.path.join(folder, 'toy-1.0.dist-info'))\n"
            "    with open(os.path.join(folder, 'toy-1.0.dist-info', 'METADATA'), 'w') as file:\n"
            "        file.write('Metadata-Version: 2.1\\nName: toy\\nVersion: 1.0\\n')\n"
            "    return 'toy-1.0.dist-info'\n"
        ),
        "toy-1.0/src/toy/__init__.py": "",
    }
    with tarfile.open(shelf / "toy-1.0.tar.gz", "w:gz") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    assert files_in(fetch_sources("toy", "1.0")) == {"toy/__init__.py"}


def test_a_registry_out_of_reach_is_said_so(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    with pytest.raises(RegistryUnreachable, match=r"could not be reached for toy==1\.0"):
        fetch_sources("toy", "1.0")


def test_two_at_once_give_the_same_folder(shelf: Path) -> None:
    put_wheel(shelf)
    folders: list[Path] = []
    threads = [threading.Thread(target=lambda: folders.append(fetch_sources("toy", "1.0"))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(folders) == 2
    assert len(set(folders)) == 1
