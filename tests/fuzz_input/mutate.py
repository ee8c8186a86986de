"""Real sources, mutated: tokens deleted, duplicated and swapped, bytes flipped, lines moved, other syntax thrown in."""

from __future__ import annotations

import re
import sysconfig
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from random import Random

FIXTURES = Path(__file__).parents[2] / "fixtures"
MOST_LINES = 150
"""Lines of a source that are taken at once."""
LARGEST_SOURCE = 300_000
_TOKEN = re.compile(rb"\w+|\s+|[^\w\s]")
_THROWN_IN = (
    b"lazy ", b"lazy import json\n", b"type X[T] = ", b"[T: int = str, *Ts, **P]", b"except* A, B:\n",
    b"except A, B:\n", b'f"', b"t'''", b'f"{x!r:>{w}}', b"f'{", b"{", b"}", b"(", b"]", b'"""', b"'", b"\\\n", b"\\",
    b"\x00", b"\x0c", b"\xef\xbb\xbf", b"# coding: latin-1\n", b"# coding: utf-16\n", b"\xff", b"\xed\xa0\x80",
    b"\r", b"\r\n", b"\t", b"async ", b"await ", b"yield ", b"lambda: ", b"global x\n", b"nonlocal x\n", b"return\n",
    b"break\n", b"del x\n", b":= ", b"match x:\n", b"case ", b"with ", b"@", b"**", b"*", b"->", b"...", b"9" * 30,
    b"1e999", b"0x", b"not " * 40, b"import shop.b\n", b"from shop.a import *\n", b"from . import b\n",
    b"from .. import a\n", b"from shop import a as a\n", b"while True: pass\n", b"def f(): return f()\nf()\n",
    b"class A(A): pass\n", b"x = [x, x]\n", b"x = x * 10 ** 9\n", b"exec('import shop.b')\n",
    b"__import__('shop.b')\n", b"import sys; sys.modules[__name__] = None\n", b"1 / 0\n", b"globals().update(x)\n",
    b"raise SystemExit\n", b"assert False\n", b"try:\n", b"finally:\n", b"if TYPE_CHECKING:\n",
)  # fmt: skip


@lru_cache(maxsize=1)
def sources() -> tuple[Path, ...]:
    """The files that are mutated: of the standard library and of the fixtures."""
    library = Path(sysconfig.get_paths()["stdlib"])
    found = [path for path in sorted(library.rglob("*.py")) if "site-packages" not in path.parts]
    found += sorted(FIXTURES.rglob("*.py"))
    return tuple(path for path in found if path.stat().st_size <= LARGEST_SOURCE)


@lru_cache(maxsize=400)
def _lines_of(path: Path) -> tuple[bytes, ...]:
    return tuple(path.read_bytes().splitlines(keepends=True))


def mutated_source(random: Random) -> bytes:
    """A part of a real source, most often after some mutations."""
    lines = _lines_of(random.choice(sources()))
    start = random.randrange(max(1, len(lines) - MOST_LINES)) if random.random() < 0.7 else 0
    content = b"".join(lines[start : start + random.randint(1, MOST_LINES)])
    for _ in range(random.choice((0, 1, 1, 1, 2, 3, 8))):
        content = random.choice(MUTATIONS)(content, random)
    return content


def _of_tokens(change: Callable[[list[bytes], Random], None]) -> Callable[[bytes, Random], bytes]:
    def mutate(content: bytes, random: Random) -> bytes:
        tokens = _TOKEN.findall(content) or [b"x"]
        change(tokens, random)
        return b"".join(tokens)

    return mutate


def _delete(tokens: list[bytes], random: Random) -> None:
    start = random.randrange(len(tokens))
    del tokens[start : start + random.choice((1, 1, 1, 2, 5))]


def _duplicate(tokens: list[bytes], random: Random) -> None:
    position = random.randrange(len(tokens))
    tokens[position:position] = [tokens[position]] * random.choice((1, 1, 2, 50))


def _swap(tokens: list[bytes], random: Random) -> None:
    first, second = random.randrange(len(tokens)), random.randrange(len(tokens))
    tokens[first], tokens[second] = tokens[second], tokens[first]


def _throw_in(tokens: list[bytes], random: Random) -> None:
    tokens.insert(random.randint(0, len(tokens)), random.choice(_THROWN_IN))


def _replace_name(tokens: list[bytes], random: Random) -> None:
    names = [index for index, token in enumerate(tokens) if token[:1].isalpha()]
    if names:
        tokens[random.choice(names)] = tokens[random.choice(names)]


def _flip(content: bytes, random: Random) -> bytes:
    changed = bytearray(content or b"x")
    for _ in range(random.choice((1, 1, 3))):
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def _move_line(content: bytes, random: Random) -> bytes:
    lines = content.splitlines(keepends=True) or [b"x\n"]
    line = lines.pop(random.randrange(len(lines)))
    lines.insert(random.randint(0, len(lines)), b" " * random.choice((0, 0, 1, 4, 8)) + line.lstrip())
    return b"".join(lines)


def _add_line(content: bytes, random: Random) -> bytes:
    lines = content.splitlines(keepends=True)
    lines.insert(random.randint(0, len(lines)), random.choice(_THROWN_IN))
    return b"".join(lines)


def _splice(content: bytes, random: Random) -> bytes:
    other = b"".join(_lines_of(random.choice(sources()))[:MOST_LINES])
    return content[: random.randint(0, len(content))] + other[random.randint(0, len(other)) :]


def _cut_short(content: bytes, random: Random) -> bytes:
    return content[: random.randint(0, len(content))]


MUTATIONS: tuple[Callable[[bytes, Random], bytes], ...] = (
    *map(_of_tokens, (_delete, _duplicate, _swap, _throw_in, _replace_name)),
    *(_flip, _move_line, _add_line, _splice, _cut_short),
)
