"""importcycle: which import fails because of a cycle, when, by what path, and what fixes it.

``scan`` and the values of its report are loaded at first use, so that importing the package costs nothing.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importcycle.configuration import ConfigurationError as ConfigurationError
    from importcycle.findings import CheckFailed as CheckFailed
    from importcycle.findings import Finding as Finding
    from importcycle.findings import Report as Report
    from importcycle.findings import Severity as Severity
    from importcycle.findings.baseline import BaselineError as BaselineError
    from importcycle.project import TargetError as TargetError
    from importcycle.scanning import scan as scan

__version__ = "0.1.0"
__all__ = [
    "BaselineError",
    "CheckFailed",
    "ConfigurationError",
    "Finding",
    "Report",
    "Severity",
    "TargetError",
    "__version__",
    "scan",
]

_HOMES = {
    "BaselineError": "importcycle.findings.baseline",
    "CheckFailed": "importcycle.findings",
    "ConfigurationError": "importcycle.configuration",
    "Finding": "importcycle.findings",
    "Report": "importcycle.findings",
    "Severity": "importcycle.findings",
    "TargetError": "importcycle.project",
    "scan": "importcycle.scanning",
}


def __getattr__(name: str) -> object:
    """The public name, from the module that defines it."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    """The public names, whether or not they are loaded."""
    return sorted(__all__)
