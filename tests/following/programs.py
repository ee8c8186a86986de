"""Small programs of a target, ``shop``, and a package of others, ``plugkit``."""

from __future__ import annotations

from collections.abc import Mapping

Files = Mapping[str, str]

_METADATA = {
    "shop-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: shop\nVersion: 1.0\n",
    "shop-1.0.dist-info/entry_points.txt": "[plugkit.plugins]\norders = shop.orders:Orders\n",
}

LOADER: Files = {
    "shop/__init__.py": "from plugkit import load\n\nload('shop.orders')\nVERSION = '1'\n",
    "shop/orders.py": "from shop import VERSION\n",
    "plugkit/__init__.py": "from plugkit.loading import load\n",
    "plugkit/loading.py": "import importlib\n\n\ndef load(name):\n    return importlib.import_module(name)\n",
}
"""The package imports a module of the target by its name."""

REGISTRY: Files = {
    "shop/__init__.py": "",
    "shop/orders.py": (
        "from plugkit import registry\n\n\n@registry.register('orders')\ndef orders():\n"
        "    from shop.customers import Customer\n    return Customer\n\n\n"
        "TABLE = registry.build()\n\n\nclass Order: ...\n"
    ),
    "shop/customers.py": "from shop.orders import Order\n\n\nclass Customer: ...\n",
    "plugkit/__init__.py": "",
    "plugkit/registry.py": (
        "_makers = {}\n\n\ndef register(name):\n    def decorate(function):\n        _makers[name] = function\n"
        "        return function\n    return decorate\n\n\n"
        "def build():\n    return {name: make() for name, make in _makers.items()}\n"
    ),
}
"""The package calls back what the target has registered."""

ENTRY_POINTS: Files = {
    **_METADATA,
    "shop/__init__.py": "import plugkit\n\nVERSION = '1'\n",
    "shop/orders.py": "from shop import VERSION\n\n\nclass Orders: ...\n",
    "plugkit/__init__.py": "from plugkit.manager import load_all\n\nload_all()\n",
    "plugkit/manager.py": (
        "from importlib.metadata import entry_points\n\nPLUGINS = []\n\n\ndef load_all():\n"
        "    for each in entry_points(group='plugkit.plugins'):\n        PLUGINS.append(each.load())\n"
    ),
}
"""The package loads the plugins that the target declares, while the target imports it."""

SUBCLASSES: Files = {
    "shop/__init__.py": "",
    "shop/models.py": (
        "from plugkit.base import Model\n\n\nclass Order(Model):\n    plugin = 'shop.signals'\n\n\nLIMIT = 3\n"
    ),
    "shop/signals.py": "from shop.models import LIMIT\n",
    "plugkit/__init__.py": "",
    "plugkit/base.py": (
        "class Model:\n    def __init_subclass__(cls, **options):\n        super().__init_subclass__(**options)\n"
        "        __import__(cls.plugin)\n"
    ),
}
"""A base class of the package imports what its subclasses name."""

MUTUAL: Files = {
    "shop/__init__.py": "",
    "shop/orders.py": "from plugkit import Plugin\n\n\nclass Order: ...\n",
    "plugkit/__init__.py": "from plugkit.integrations import shop_orders\n\n\nclass Plugin: ...\n",
    "plugkit/integrations/__init__.py": "",
    "plugkit/integrations/shop_orders.py": "from shop.orders import Order\n",
}
"""Both import each other at module level."""

INNER: Files = {
    "shop/__init__.py": "",
    "shop/orders.py": "from plugkit.second import Second\n",
    "shop/customers.py": "from plugkit.first import First\n",
    "plugkit/__init__.py": "",
    "plugkit/first.py": "import plugkit.second\n\n\nclass First: ...\n",
    "plugkit/second.py": "from plugkit.first import First\n\n\nclass Second: ...\n",
}
"""A cycle of the package fails or survives, according to the module that the target imports."""

SURVIVING: Files = {
    "shop/__init__.py": "from plugkit import first\n",
    "plugkit/__init__.py": "",
    "plugkit/first.py": "import plugkit.second\n\n\nclass First: ...\n",
    "plugkit/second.py": (
        "import plugkit.first\n\ntry:\n    from plugkit.first import First\nexcept ImportError:\n    First = None\n"
    ),
    "plugkit/third.py": "from plugkit.fourth import Fourth\n\n\nclass Third: ...\n",
    "plugkit/fourth.py": "from plugkit.third import Third\n\n\nclass Fourth: ...\n",
}
"""All that goes wrong is of the package's own, and does not reach the target."""

SWALLOWED: Files = {
    "shop/__init__.py": "from plugkit import load\n\nload('shop.orders')\nVERSION = '1'\n",
    "shop/orders.py": "from shop import VERSION\n",
    "plugkit/__init__.py": (
        "import importlib\n\n\ndef load(name):\n    try:\n        return importlib.import_module(name)\n"
        "    except ImportError:\n        return None\n"
    ),
}
"""The package hides the failure of the target."""

CONDITIONAL: Files = {
    "shop/__init__.py": "from plugkit import load\n\nload('shop.orders')\nVERSION = '1'\n",
    "shop/orders.py": "from shop import VERSION\n",
    "plugkit/__init__.py": (
        "import importlib\nimport os\n\n\ndef load(name):\n    if os.environ.get('PLUGKIT_EAGER'):\n"
        "        importlib.import_module(name)\n"
    ),
}
"""The package comes back only under a condition of its own."""

LATE: Files = {
    "shop/__init__.py": "from plugkit import load\n\nVERSION = '1'\nload('shop.orders')\n",
    "shop/orders.py": "from shop import VERSION\n",
    "plugkit/__init__.py": "import importlib\n\n\ndef load(name):\n    return importlib.import_module(name)\n",
}
"""The package comes back when the name is bound."""

PROGRAMS: Mapping[str, Files] = {
    "loader": LOADER,
    "registry": REGISTRY,
    "entry points": ENTRY_POINTS,
    "subclasses": SUBCLASSES,
    "mutual": MUTUAL,
    "inner": INNER,
    "surviving": SURVIVING,
    "swallowed": SWALLOWED,
    "conditional": CONDITIONAL,
    "late": LATE,
}
