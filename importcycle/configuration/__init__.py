"""The settings of a scan: from the command line, over a configuration file, over defaults."""

from importcycle.configuration.checks import LEVELS, NEVER, OFF, choice
from importcycle.configuration.errors import ConfigurationError, did_you_mean
from importcycle.configuration.loading import load_settings
from importcycle.configuration.model import BASELINE_NAME, DEFAULT_ORIGIN, KEYS, Key, Settings

__all__ = [
    "BASELINE_NAME",
    "DEFAULT_ORIGIN",
    "KEYS",
    "LEVELS",
    "NEVER",
    "OFF",
    "ConfigurationError",
    "Key",
    "Settings",
    "choice",
    "did_you_mean",
    "load_settings",
]
