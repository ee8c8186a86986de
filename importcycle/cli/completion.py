"""What a shell offers to complete. Nothing heavy is loaded: the shell waits for it."""

from __future__ import annotations

from pathlib import Path

import click
from click.shell_completion import CompletionItem


def complete_targets(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Modules and packages of the current folder and its ``src``; or files, once it looks like a path."""
    if any(sign in incomplete for sign in "/\\~") or incomplete.startswith("."):
        return [CompletionItem(incomplete, type="file")]
    return [CompletionItem(name) for name in _modules(incomplete)] or [CompletionItem(incomplete, type="file")]


def complete_modules(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Modules and packages of the current folder and its ``src``."""
    return [CompletionItem(name) for name in _modules(incomplete)]


def complete_codes(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Codes of rules; names, once it looks like one. Of a list by commas, the last item."""
    from importcycle.findings import ALL_RULES

    before, comma, last = incomplete.rpartition(",")
    by_code = [(rule.code, rule.name) for rule in ALL_RULES if rule.code.startswith(last.upper())]
    found = by_code or [(rule.name, rule.code) for rule in ALL_RULES if rule.name.startswith(last.lower())]
    return [CompletionItem(f"{before}{comma}{value}", help=about) for value, about in found]


def _modules(incomplete: str) -> list[str]:
    from importcycle.project.finder import list_folder

    *parents, last = incomplete.split(".")
    if not all(parent.isidentifier() for parent in parents):
        return []
    found: set[str] = set()
    for root in (Path(), Path("src")):
        folder = root.joinpath(*parents)
        listing = list_folder(folder)
        packages = {name for name in listing.folders if parents or (folder / name / "__init__.py").is_file()}
        found |= packages | listing.files.keys()
    names = (name for name in found if name.startswith(last) and not name.startswith("__"))
    return sorted(".".join([*parents, name]) for name in names)
