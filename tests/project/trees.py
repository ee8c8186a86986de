"""Small source trees for tests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def plant_texts(root: Path, texts: Mapping[str, str]) -> Path:
    """Write files with the given texts below the folder; returns the folder."""
    root.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root
