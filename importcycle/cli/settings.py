"""Settings as TOML, each with where it comes from."""

from __future__ import annotations

import json
from collections.abc import Mapping

from importcycle.configuration import KEYS, Settings


def render_settings(settings: Settings) -> str:
    """A document that is a configuration file itself: the settings, each with its origin as a comment."""
    lines = [f"# configuration file: {settings.file if settings.file is not None else 'none'}"]
    rows = []
    for key in KEYS:
        value = getattr(settings, key.field)
        text = f"{key.name} = {_toml(value)}" if value is not None else f"# {key.name} is not set"
        rows.append((text, settings.origin(key.field)))
    width = max(len(text) for text, _ in rows if len(text) <= _WIDEST)
    return "\n".join([*lines, *(f"{text:<{width}}  # {origin}" for text, origin in rows)])


_WIDEST = 60


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Mapping):
        items = ", ".join(f"{_toml(str(key))} = {_toml(item)}" for key, item in value.items())
        return f"{{ {items} }}" if items else "{}"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple) and value and all(isinstance(part, int) for part in value):
        return _toml(".".join(map(str, value)))
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(item) for item in value)}]"
    # Strings of JSON are strings of TOML; not in ASCII, where characters beyond the first plane would become two.
    return json.dumps(str(value), ensure_ascii=False)
