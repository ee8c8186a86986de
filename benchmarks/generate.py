"""Packages of any size, with cycles, for measuring how time grows with the number of modules.

A package is made of parts of twenty modules, as large programs are of components. The first part is used by all, every
other uses one part of half its number, so that what one import loads grows with the logarithm of the size. In each part
some modules form cycles: of module-level imports that survive and, in some parts, of
imports that fail. Functions import from parts anywhere, so that the cycles of all imports together hold most of the
package, as they do in real ones.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

MODULES_OF_A_PART = 20
_CORE_MODULES = 5
_SAFE_MODULES = 16
"""Of a part: those that never fail, which other parts use."""
_FAILING_SHARE = 0.1
"""Of the parts."""
_BODY = '''
LIMIT = {number} + 1
NAMES = ("a{number}", "b{number}", "c{number}")
TABLE = {{name: position for position, name in enumerate(NAMES)}}


def check(value, limit=LIMIT):
    """Whether the value is within the limit."""
    if value is None:
        return False
    for name in NAMES:
        if str(value).startswith(name):
            return len(name) < limit
    return value < limit


class Item:
    """A thing with a name and a price."""

    kinds = NAMES

    def __init__(self, name, price=0, parts=()):
        self.name = name
        self.price = price
        self.parts = list(parts)

    @property
    def total(self):
        return self.price + sum(part.total for part in self.parts)

    def renamed(self, name):
        if not check(name):
            raise ValueError(f"not a name: {{name!r}}")
        return type(self)(name, self.price, self.parts)


def collect(values):
    """The items of some values, by name."""
    found = {{}}
    for value in values:
        try:
            item = Item(value, TABLE.get(value, LIMIT))
        except TypeError as error:
            print("left out", value, error)
        else:
            found.setdefault(item.name, []).append(item)
    return {{name: sorted(items, key=lambda item: item.total) for name, items in found.items()}}


FIRST = Item("first{number}", LIMIT)
'''


@dataclass(slots=True)
class _Module:
    top: list[str] = field(default_factory=list)
    """Imports at module level."""
    deferred: list[str] = field(default_factory=list)
    """Imports in a function that nothing calls while it is imported."""


def generate_package(folder: Path, modules: int, *, seed: int = 1, name: str = "generated") -> Path:
    """Write a package with about this many modules, and give its folder; the same seed gives the same package."""
    package = folder / name
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(f"from {name}.part0.m0 import check\n")
    chance = random.Random(seed)
    for part in range(max(1, round(modules / (MODULES_OF_A_PART + 1)))):
        place = package / f"part{part}"
        place.mkdir()
        (place / "__init__.py").write_text('"""A part."""\n')
        for number, text in _part(name, part, chance):
            (place / f"m{number}.py").write_text(text)
    return package


def _part(name: str, part: int, chance: random.Random) -> Iterator[tuple[int, str]]:
    made = [_Module() for _ in range(MODULES_OF_A_PART)]
    for number, module in enumerate(made):
        if part or number >= _CORE_MODULES:
            module.top.append(f"from {name}.part0.m{chance.randrange(_CORE_MODULES)} import Item as Base")
        if number > 2:
            module.top.append(f"from {name}.part{part}.m{chance.randrange(2)} import collect as others")
        if part and chance.random() < 0.3:
            module.top.append(
                f"from {name}.part{part // 2}.m{chance.randrange(_SAFE_MODULES)} import check as is_valid"
            )
        target = chance.randrange(part + 1), chance.randrange(MODULES_OF_A_PART)
        module.deferred.append("from {}.part{}.m{} import collect as elsewhere".format(name, *target))
    _add_cycle(made, range(6, 6 + chance.randint(2, 6)), f"import {name}.part{part}.m{{}}")
    _add_cycle(made, range(12, 12 + chance.randint(2, 4)), f"from {name}.part{part} import m{{}} as neighbour")
    if chance.random() < _FAILING_SHARE:
        failing = range(_SAFE_MODULES, _SAFE_MODULES + chance.randint(2, 4))
        _add_cycle(made, failing, f"from {name}.part{part}.m{{}} import FIRST as before")
    for number, module in enumerate(made):
        yield number, _text(part * MODULES_OF_A_PART + number, module)


def _add_cycle(made: list[_Module], members: range, statement: str) -> None:
    for position, member in enumerate(members):
        following = members[(position + 1) % len(members)]
        made[member].top.append(statement.format(following))


def _text(number: int, module: _Module) -> str:
    deferred = "".join(f"    {statement}\n" for statement in module.deferred)
    imports = "\n".join(module.top)
    last = f"\n\ndef later(values):\n{deferred}    return elsewhere(values)\n"
    return f'"""Module {number}."""\n\n{imports}\n{_BODY.format(number=number)}{last}'
