"""The same input gives the same bytes, whatever the hash seed, the locale, the order of files and the jobs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest

from tests.cli.running import SCRIPT
from tests.gate.projects import CONDITIONAL, CRASH
from tests.project.trees import plant_texts

RUNS = 20
LOCALES: tuple[Mapping[str, str], ...] = (
    {"LC_ALL": "C.UTF-8"},
    {"LC_ALL": "C"},
    {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    {"LC_ALL": "POSIX", "PYTHONIOENCODING": "latin-1"},
    {"LANG": "tr_TR.UTF-8", "LC_ALL": "", "PYTHONUTF8": "1"},
)
OTHERS = {
    "shop/accents.py": "from shop.orders import Ordér  # ü\n",
    "shop/broken.py": "def (\n",
    "shop/star.py": "from shop.orders import *\nfrom shop.log import *\n",
    "shop/swallowed.py": "try:\n    from shop.customers import Nothing\nexcept ImportError:\n    Nothing = None\n",
    "shop/endless.py": "while True: pass\n",
}
FILES = {**CRASH, **{f"till/{name.partition('/')[2]}": text for name, text in CONDITIONAL.items()}, **OTHERS}
REPLICA = Path(__file__).parents[2] / "fixtures" / "vllm_replica"


def in_order(folder: Path, order: list[str]) -> Path:
    """A project whose files were made in this order: folders list them in the order of the file system."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(REPLICA, folder / "replica")
    for name in order:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        text = FILES[name].replace("from shop", "from till") if name.startswith("till/") else FILES[name]
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("output_format", ["json", "markdown"])
def test_the_report_is_the_same_byte_by_byte(output_format: str, tmp_path: Path) -> None:
    random = Random(output_format)
    folder = tmp_path / "work"
    reports = set()
    for run in range(RUNS // 2):
        order = sorted(FILES)
        random.shuffle(order)
        in_order(folder, order)
        targets = ["shop", "till", *sorted(str(path) for path in (folder / "replica").iterdir() if path.is_dir())]
        command = [SCRIPT, "scan", *targets, "--format", output_format, "--deferred", "--jobs", str(1 + run % 3)]
        # Every other scan finds the cache of the one before it, which was made from the same files.
        for more in ([], ["--no-cache"] if run % 2 else []):
            locale = random.choice(LOCALES)
            environment = {**os.environ, **locale, "PYTHONHASHSEED": str(random.randrange(2**32))}
            completed = subprocess.run(
                [*command, *more], cwd=folder, env=environment, capture_output=True, check=False, timeout=300
            )
            assert completed.returncode == 1, completed.stderr
            reports.add(completed.stdout)
    assert len(reports) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX locales")
def test_a_terminal_that_lacks_characters_is_shown_escapes(tmp_path: Path) -> None:
    texts = {name: text.replace("Order", "Ordér") for name, text in CRASH.items()}
    plant_texts(tmp_path / "work", texts)
    environment = {**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    completed = subprocess.run(
        [SCRIPT, "scan", "shop", "--verbose"], cwd=tmp_path / "work", env=environment, capture_output=True, check=False
    )
    assert completed.returncode == 1
    assert b"\\xe9" in completed.stdout
    assert b"Traceback" not in completed.stderr
    completed.stdout.decode("ascii")
