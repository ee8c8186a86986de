"""Dotted names of modules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def lies_in(name: str, package: str) -> bool:
    """Whether a dotted name is the package, or beneath it."""
    return name == package or name.startswith(f"{package}.")


def with_packages(name: str) -> Iterator[str]:
    """The packages that a module lies in, outermost first, and the module."""
    parts = name.split(".")
    return (".".join(parts[: count + 1]) for count in range(len(parts)))


def outermost(names: Iterable[str]) -> tuple[str, ...]:
    """The names that are below no other of them, sorted."""
    every = set(names)
    return tuple(sorted(name for name in every if every.isdisjoint(with_packages(name.rpartition(".")[0]))))
