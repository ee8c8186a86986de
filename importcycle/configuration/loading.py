"""Settings from the command line (or a caller), over a file, over defaults."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from importcycle.configuration.checks import Place
from importcycle.configuration.errors import ConfigurationError, did_you_mean
from importcycle.configuration.files import find_file, read_table
from importcycle.configuration.model import BASELINE_NAME, DEFAULT_ORIGIN, KEYS, Settings

_ARGUMENT = "argument"


def load_settings(
    working_directory: Path | None = None,
    *,
    file: Path | None = None,
    search: bool = True,
    overrides: Mapping[str, object] | None = None,
    origin: str = _ARGUMENT,
    defaults: Mapping[str, object] | None = None,
) -> Settings:
    """The settings that count.

    Args:
        working_directory: By default the current folder.
        file: The configuration file; by default the nearest, from the working directory upwards.
        search: Whether to look for a file when none is named.
        overrides: Values by name of field; they win over the file. ``None`` and empty collections count as not given.
        defaults: Values by name of field that count where neither the file nor the overrides give any; relative paths
            start from the folder of the settings.
        origin: What to call the overrides in errors and in ``Settings.origins``.

    Raises:
        ConfigurationError: a key is unknown, or a value is of the wrong kind; or the file cannot be read.
    """
    directory = Path(os.path.abspath(working_directory if working_directory is not None else Path.cwd()))
    if file is not None:
        file = directory / file
    elif search:
        file = find_file(directory)
    folder = file.parent if file is not None else directory
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    if file is not None:
        values |= _checked_table(read_table(file), str(file), folder)
        origins |= dict.fromkeys(values, str(file))
    given = _checked_overrides(overrides or {}, origin, directory)
    values |= given
    origins |= dict.fromkeys(given, origin)
    values.setdefault("baseline", folder / BASELINE_NAME)
    values = _checked_overrides(defaults or {}, DEFAULT_ORIGIN, folder) | values
    named_here = "targets" in given or file is None
    start = directory if named_here else folder
    return Settings(working_directory=start, folder=folder, file=file, origins=origins, **values)


def _checked_table(table: Mapping[str, object], origin: str, folder: Path) -> dict[str, Any]:
    keys = {key.name: key for key in KEYS}
    values = {}
    for name, value in table.items():
        if name not in keys:
            raise ConfigurationError(f"{origin}: unknown key {name!r}{did_you_mean(name, keys)}")
        key = keys[name]
        values[key.field] = key.check(value, Place(origin, name, folder))
    return values


def _checked_overrides(overrides: Mapping[str, object], origin: str, directory: Path) -> dict[str, Any]:
    keys = {key.field: key for key in KEYS}
    return {
        name: keys[name].check(value, Place(origin, keys[name].name, directory))
        for name, value in overrides.items()
        if value is not None and value not in ((), [], {})
    }
