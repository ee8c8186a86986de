"""IC201: deferred imports that come back to a half-loaded module, and survive."""

from __future__ import annotations

from pathlib import Path

import importcycle as package
from tests.cli.running import write


def test_several_names_that_one_body_takes_are_one_finding(tmp_path: Path) -> None:
    files = {
        "shop/__init__.py": "",
        "shop/parts.py": "A = 1\nB = 2\n\n\ndef go():\n    from shop.table import T\n\n\ngo()\n",
        "shop/table.py": "from shop.parts import A\nfrom shop.parts import B\nT = A + B\n",
    }
    report = package.scan("shop", working_directory=write(tmp_path, files), configuration=False, select=["IC201"])
    (finding,) = report.findings
    assert (finding.location.module, finding.location.line) == ("shop.table", 1)
    assert (
        "runs the deferred import in go, by which shop.table comes back to half-loaded shop.parts:" in finding.message
    )


def test_a_function_that_comes_back_itself(tmp_path: Path) -> None:
    files = {
        "shop/__init__.py": "",
        "shop/settings.py": "from shop import log\n\nLEVEL = 1\nlog.note()\n",
        "shop/log.py": "def note():\n    from shop.settings import LEVEL\n    print(LEVEL)\n",
    }
    report = package.scan("shop", working_directory=write(tmp_path, files), configuration=False, select=["IC201"])
    (finding,) = report.findings
    assert "runs the deferred import in note, which comes back to half-loaded shop.settings:" in finding.message
