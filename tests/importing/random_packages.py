"""Packages of modules that import one another in cycles, at random: for the ways in which entries share work."""

from __future__ import annotations

import random
from collections.abc import Sequence


def random_package(seed: int, modules: int) -> dict[str, str]:
    """The files of a package ``pkg``, by relative path."""
    choose = random.Random(seed)
    packages = ["pkg"]
    for index in range(choose.randint(1, 5)):
        packages.append(f"{choose.choice(packages)}.p{index}")
    names = [*packages, *(f"{choose.choice(packages)}.m{index}" for index in range(modules))]
    lazy = {name for name in packages if choose.random() < 0.3}
    files = {}
    for name in names:
        path = name.replace(".", "/")
        files[f"{path}/__init__.py" if name in packages else f"{path}.py"] = _module(choose, name, names, lazy)
    return files


def _module(choose: random.Random, name: str, names: Sequence[str], lazy: set[str]) -> str:
    lines = ["EARLY = 1"]
    if name in lazy:
        lines += _lazy_table({each.rpartition(".")[2]: each for each in names if each.rpartition(".")[0] == name})
    imports = [
        _import(choose, index, target, lazy)
        for index in range(choose.choice([0, 1, 1, 2, 3]))
        if (target := choose.choice(names)) != name
    ]
    middle = choose.randint(0, len(imports))
    for each in imports[:middle]:
        lines += each
    lines.append("MIDDLE = 2")
    for each in imports[middle:]:
        lines += each
    return "\n".join([*lines, "LATE = 3", ""])


def _lazy_table(children: dict[str, str]) -> list[str]:
    table = {f"{own}_LATE": name for own, name in children.items()}
    return [
        f"TABLE = {table!r}",
        "def __getattr__(name):",
        "    import importlib",
        "    if name in TABLE:",
        "        return getattr(importlib.import_module(TABLE[name]), 'LATE')",
        "    raise AttributeError(name)",
    ]


def _import(choose: random.Random, index: int, target: str, lazy: set[str]) -> list[str]:
    parent, _, own = target.rpartition(".")
    kinds = [[f"import {target}"]] * 4
    kinds += [[f"from {target} import EARLY as e{index}"]] * 4
    kinds += [[f"from {target} import LATE as l{index}"]] * 2
    if parent:
        kinds += [[f"from {parent} import {own} as s{index}"]] * 2
    if parent in lazy:
        kinds += [[f"from {parent} import {own}_LATE as z{index}"]] * 3
    function = [f"def f{index}():", f"    from {target} import LATE", "    return LATE"]
    kinds += [function, [*function, f"v{index} = f{index}()"]]
    attempt = ["try:", f"    from {target} import LATE as t{index}"]
    kinds += [[*attempt, "except (ImportError, AttributeError):", f"    t{index} = None"]]
    return choose.choice(kinds)
