"""Small projects with a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.cli.running import write

CRASH = {
    "shop/__init__.py": "",
    "shop/orders.py": "from shop.customers import Customer\n\n\nclass Order: ...\n",
    "shop/customers.py": "from shop.orders import Order\n\n\nclass Customer: ...\n",
}
SURVIVES = {
    "shop/__init__.py": "",
    "shop/orders.py": "import shop.customers\n\n\nclass Order: ...\n",
    "shop/customers.py": "import shop.orders\n\n\nclass Customer: ...\n",
}
CONDITIONAL = {
    "shop/__init__.py": "",
    "shop/orders.py": (
        "import os\nfrom shop import log\n\nif os.environ.get('DEBUG'):\n    log.note('hello')\n\n\nclass Order: ...\n"
    ),
    "shop/log.py": "def note(text):\n    from shop.orders import Order\n    print(text, Order)\n",
}


def project(folder: Path, settings: str, files: Mapping[str, str]) -> Path:
    """A project with these files and settings, in a folder that is a repository's."""
    (folder / ".git").mkdir(exist_ok=True)
    return write(folder, {"pyproject.toml": f"[tool.importcycle]\n{settings}\n", **files})
