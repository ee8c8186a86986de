"""Tests on the environment."""

from __future__ import annotations

from .choices import chance, pick
from .layout import Module
from .state import State

TESTS = {
    "APP_FAST": (
        "os.environ.get('APP_FAST')",
        "os.environ.get('APP_FAST') == '1'",
        "os.getenv('APP_FAST')",
        "'APP_FAST' in os.environ",
        "bool(os.environ.get('APP_FAST'))",
        "os.environ.get('APP_FAST', '0') != '0'",
        "os.getenv('APP_FAST', '') == '1'",
        "os.environ.get('APP_FAST') is not None",
        "int(os.environ.get('APP_FAST', '0'))",
    ),
    "APP_MODE": (
        "os.environ.get('APP_MODE') == 'fast'",
        "os.environ.get('APP_MODE', 'slow') == 'slow'",
        "os.environ.get('APP_MODE') in ('fast', 'slow')",
        "os.environ.get('APP_MODE') != 'slow'",
        "os.environ.get('APP_MODE', '').startswith('f')",
        "os.environ.get('APP_MODE', '').lower() == 'fast'",
        "not os.environ.get('APP_MODE')",
    ),
}
VALUES = {"APP_FAST": (None, "1"), "APP_MODE": (None, "fast", "slow")}


def choose_variables(state: State) -> None:
    """Which variables the package asks about: often none, sometimes two."""
    number = state.choices.below(10)
    names = [] if number < 5 else ["APP_FAST"] if number < 7 else ["APP_MODE"] if number < 8 else list(VALUES)
    state.variables.update({name: VALUES[name] for name in names})


def environment_test(state: State, module: Module) -> str | None:
    """A test whose value only the world decides; None in packages that ask about nothing."""
    if not state.variables:
        return None
    module.libraries.add("os")
    if state.tests and chance(state.choices, 35):
        test = pick(state.choices, state.tests)
        return f"not ({test})" if chance(state.choices, 25) else test
    test = _simple(state)
    if chance(state.choices, 25):
        operator = pick(state.choices, ("and", "or"))
        test = f"{test} {operator} {_simple(state)}"
    if chance(state.choices, 25):
        test = f"not ({test})"
    state.tests.append(test)
    return test


def _simple(state: State) -> str:
    return pick(state.choices, TESTS[pick(state.choices, list(state.variables))])
