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


def absolute_name(importer: str, is_package: bool, level: int, name: str) -> str:
    """The absolute name of what a module imports with so many dots before the name; empty if these are too many."""
    if not level:
        return name
    package = importer.split(".") if is_package else importer.split(".")[:-1]
    if level > len(package):
        return ""
    base = package[: len(package) - level + 1]
    return ".".join([*base, name] if name else base)
