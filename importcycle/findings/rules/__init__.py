"""One module a rule; this one knows them all."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from importcycle.findings.model import Rule
from importcycle.findings.rules import (
    budget_exceeded,
    conditional_crash,
    double_import,
    eager_cycle,
    import_crash,
    latent_deferred_cycle,
    missing_name,
    opaque_import,
    shadowed_module,
    star_import_loss,
    swallowed_crash,
    triggered_deferred_cycle,
    typing_cycle,
    unparsable_file,
    unused_ignore,
)

ALL_RULES: tuple[Rule, ...] = (
    import_crash.RULE,
    conditional_crash.RULE,
    swallowed_crash.RULE,
    star_import_loss.RULE,
    missing_name.RULE,
    triggered_deferred_cycle.RULE,
    eager_cycle.RULE,
    latent_deferred_cycle.RULE,
    typing_cycle.RULE,
    double_import.RULE,
    shadowed_module.RULE,
    unparsable_file.RULE,
    opaque_import.RULE,
    budget_exceeded.RULE,
    unused_ignore.RULE,
)


class UnknownRule(Exception):
    """No rule has this code, name or prefix; the text names the nearest that exists."""


def find_rule(text: str) -> Rule:
    """The rule with this code or name, in any case.

    Raises:
        UnknownRule: there is none.
    """
    wanted = text.strip().lower()
    for rule in ALL_RULES:
        if wanted in (rule.code.lower(), rule.name):
            return rule
    raise UnknownRule(_unknown(text))


def select_rules(select: Iterable[str] = (), ignore: Iterable[str] = ()) -> tuple[Rule, ...]:
    """The rules to run: those selected by code, name or prefix of a code, without those ignored.

    With nothing selected, all rules that are enabled by themselves.

    Raises:
        UnknownRule: a code fits no rule.
    """
    selectors = list(select)
    chosen = _matching(selectors) if selectors else {rule.code for rule in ALL_RULES if rule.enabled}
    return tuple(rule for rule in ALL_RULES if rule.code in chosen - _matching(ignore))


def _matching(selectors: Iterable[str]) -> set[str]:
    codes: set[str] = set()
    for selector in selectors:
        wanted = selector.strip().upper()
        if wanted == "ALL":
            matching = {rule.code for rule in ALL_RULES}
        else:
            matching = {rule.code for rule in ALL_RULES if wanted and rule.code.startswith(wanted)}
            matching |= {rule.code for rule in ALL_RULES if rule.name == wanted.lower()}
        if not matching:
            raise UnknownRule(_unknown(selector))
        codes |= matching
    return codes


def _unknown(text: str) -> str:
    known = [name for rule in ALL_RULES for name in (rule.code, rule.name)]
    near = difflib.get_close_matches(text.strip().upper(), known, 1) or difflib.get_close_matches(
        text.strip().lower(), known, 1
    )
    meant = f"; did you mean {near[0]}?" if near else "; 'importcycle rules' lists all"
    return f"no rule {text!r}{meant}"
