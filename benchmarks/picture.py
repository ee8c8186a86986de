"""The results as a picture: bars of ratios, in SVG."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from html import escape

from benchmarks.model import Results, Row, Section

_WIDTH = 960
_LEFT = 380
_RIGHT = 90
_LINE = 22
_BAR = 14
_TOP = 64
_OWN, _OTHERS, _GRID = "#2f6f9f", "#b0793a", "#dddddd"
_LEAST = 0.01


def render_picture(results: Results) -> str:
    """Bars on a logarithmic scale: times of scans and of other tools, as multiples of ``ast.parse``."""
    rows = [row for row in results.rows if row.ratio is not None]
    groups = list(dict.fromkeys(row.group for row in rows))
    least, most = _range([row.ratio for row in rows if row.ratio is not None])
    height = _TOP + _LINE * (len(rows) + len(groups)) + 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" viewBox="0 0 {_WIDTH} {height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{height}" fill="white"/>',
        _text(12, 24, "Time as a multiple of ast.parse of all the package's files (logarithmic)", size=15),
        *_grid(least, most, height),
    ]
    y = _TOP
    for group in groups:
        parts.append(_text(12, y + 15, group, weight="bold"))
        y += _LINE
        for row in (row for row in rows if row.group == group):
            parts += _bar(row, y, least, most)
            y += _LINE
    return "\n".join([*parts, "</svg>"]) + "\n"


def _range(ratios: Iterable[float]) -> tuple[int, int]:
    """The powers of ten that hold all ratios, and one."""
    exponents = [math.log10(max(ratio, _LEAST)) for ratio in ratios]
    return min(-1, *map(math.floor, exponents), 0), max(1, *map(math.ceil, exponents), 0)


def _place(ratio: float, least: int, most: int) -> float:
    share = (math.log10(max(ratio, _LEAST)) - least) / (most - least)
    return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)


def _grid(least: int, most: int, height: int) -> Iterator[str]:
    for exponent in range(least, most + 1):
        x = _place(10.0**exponent, least, most)
        colour = "#555555" if exponent == 0 else _GRID
        yield f'<line x1="{x:.1f}" y1="{_TOP - 8}" x2="{x:.1f}" y2="{height - 12}" stroke="{colour}"/>'
        yield _text(x, _TOP - 14, f"{10.0**exponent:,g}" if exponent < 0 else f"{10**exponent:,}", anchor="middle")


def _bar(row: Row, y: int, least: int, most: int) -> Iterator[str]:
    assert row.ratio is not None
    end = _place(row.ratio, least, most)
    colour = _OTHERS if row.section is Section.PEERS else _OWN
    more = "> " if row.at_least else ""
    dashes = ' stroke-dasharray="3 2" fill-opacity="0.5"' if row.at_least else ""
    name = row.what if row.section is Section.PEERS else f"importcycle, {row.what}"
    yield _text(_LEFT - 8, y + 12, name, anchor="end")
    yield (
        f'<rect x="{_LEFT}" y="{y + 1}" width="{end - _LEFT:.1f}" height="{_BAR}" fill="{colour}" '
        f'stroke="{colour}"{dashes}/>'
    )
    yield _text(end + 6, y + 12, f"{more}{row.ratio:,.2f}")


def _text(x: float, y: float, text: str, *, anchor: str = "start", weight: str = "normal", size: int = 12) -> str:
    style = f'text-anchor="{anchor}" font-weight="{weight}" font-size="{size}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(text)}</text>'
