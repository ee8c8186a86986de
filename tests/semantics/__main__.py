"""Writes docs/semantics.md."""

from __future__ import annotations

from pathlib import Path

from .facts import table

DOCUMENT = Path(__file__).parents[2] / "docs" / "semantics.md"


def main() -> None:
    DOCUMENT.parent.mkdir(exist_ok=True)
    DOCUMENT.write_text(table(), encoding="utf-8")


if __name__ == "__main__":
    main()
