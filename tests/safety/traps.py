"""A project in which each module, were it ever run, would leave its name in a file."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from importcycle.cache import CACHE_FOLDER
from tests.project.trees import plant_texts

TRAP = "with open({marker!r}, 'a') as file:\n    file.write(__name__ + chr(10))\n"
DEPENDENCIES = ("click", "grimp", "markdown_it", "mdurl", "networkx", "pathspec", "pygments", "rich", "tomli")
OPTIONAL = ("IPython", "attr", "attrs", "colorama", "ipywidgets", "matplotlib", "numpy", "pandas", "scipy")
SPECIAL = ("conftest", "setup", "sitecustomize", "usercustomize", "noxfile", "test_shop")
STRANGE = ("__import__('os').system('touch ran').py", "$(touch ran).py", "-c.py", "a;b.py", "{0}.py", "con\nsole.py")
ENTRY_POINTS = """
[networkx.backends]
shop = shop.orders:backend
[networkx.backend_info]
shop = shop.orders:backend
[console_scripts]
importcycle = shop.orders:main
[pytest11]
shop = shop.orders
[pygments.lexers]
shop = shop.orders:Lexer
"""
PACKAGE = {
    "shop/__init__.py": "import shop.orders\n",
    "shop/__main__.py": "import shop\n",
    "shop/customers.py": "from shop.orders import Order\n",
    "shop/orders.py": "from shop.customers import Customer\nclass Order:\n    pass\n"
    "class Meta(type):\n    def __getitem__(cls, key):\n        {trap}\n"
    "class Item(metaclass=Meta):\n    def __class_getitem__(cls, key):\n        {trap}\nItem[int]\n",
}


def booby_trapped(folder: Path, marker: Path, untouched: Collection[str] = ()) -> Path:
    """A project that shadows all that this tool could import, except for the names that are not to be touched."""
    trap = TRAP.format(marker=str(marker))
    names = {*sys.stdlib_module_names, *DEPENDENCIES, *OPTIONAL, *SPECIAL} - set(untouched)
    texts = {f"{name}.py": trap for name in names}
    texts |= dict.fromkeys(STRANGE, trap)
    # A trap in a method stands on one line.
    inner = f"open({str(marker)!r}, 'a').write(__name__)"
    texts |= {name: trap + text.format(trap=inner) for name, text in PACKAGE.items()}
    texts["shop-1.0.dist-info/METADATA"] = "Metadata-Version: 2.1\nName: shop\nVersion: 1.0\n"
    texts["shop-1.0.dist-info/entry_points.txt"] = ENTRY_POINTS
    texts["importcycle-baseline.json"] = '{"importcycle_baseline": 1, "findings": []}'
    texts["shop.pth"] = f"import os; open({str(marker)!r}, 'a').write('pth')\n"
    return plant_texts(folder, texts)


def modules_before(command: Sequence[str | Path], folder: Path) -> frozenset[str]:
    """Top-level names of the modules that CPython itself has imported when it begins with a program of ours."""
    code = "import sys; print(*sys.modules, sep='\\n')"
    plant_texts(folder, {"harmless/__init__.py": "", "harmless/__main__.py": code, "harmless/program.py": code})
    shown = subprocess.run([sys.executable, *command], cwd=folder, capture_output=True, text=True, check=True).stdout
    return frozenset(name.partition(".")[0] for name in shown.split())


def sprung(marker: Path) -> list[str]:
    """The traps that have been run."""
    return sorted(set(marker.read_text().split())) if marker.exists() else []


def listing(folder: Path, *, ignored: Iterable[str] = ()) -> dict[str, tuple[int, int]]:
    """All files beneath a folder with size and time of change; those that the tool may write are left out."""
    skipped = {*ignored, CACHE_FOLDER}
    return {
        str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not skipped.intersection(path.relative_to(folder).parts)
    }
