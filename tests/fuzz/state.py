"""What is known while a package is being made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .choices import Choices
from .exports import Export
from .layout import Module


@dataclass(slots=True)
class State:
    """The decisions' source, the modules, and what they offer so far."""

    choices: Choices
    modules: Sequence[Module]
    variables: dict[str, Sequence[str | None]] = field(default_factory=dict)
    exports: list[Export] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)
    """Tests on the environment made before, to be asked again."""
    counter: int = 0

    def number(self) -> int:
        """A number not given before."""
        self.counter += 1
        return self.counter

    def private(self, stem: str) -> str:
        """A name that no other place uses, and no star import takes."""
        return f"_{stem}{self.number()}"

    def module(self, name: str) -> Module:
        return next(module for module in self.modules if module.name == name)
