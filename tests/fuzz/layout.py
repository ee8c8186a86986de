"""The modules of a package, and the names by which one module asks for another."""

from __future__ import annotations

from dataclasses import dataclass, field

from .choices import Choices, chance, pick

TOP_NAMES = ("pkg", "app")
LEAF_NAMES = ("core", "util", "model", "base", "logs", "config", "store", "tool", "views", "forms", "tasks", "hooks")
"""Each name is used once in a package, so that no star import can put one module in another's place."""


@dataclass(slots=True)
class Module:
    """One module while its text is being made."""

    name: str
    is_package: bool
    is_namespace: bool = False
    has_all: bool = False
    postpones_annotations: bool = False
    needs_helper: bool = False
    """Whether its text uses a helper that imports by a dotted string."""
    libraries: set[str] = field(default_factory=set)
    """Modules of the standard library that its text uses."""
    top: list[str] = field(default_factory=list)
    """Import statements at its top."""
    blocks: list[list[str]] = field(default_factory=list)
    """The statements behind, in groups, in order."""
    lazy: list[list[str]] = field(default_factory=list)
    """Bodies of its module ``__getattr__``."""
    public: list[str] = field(default_factory=list)
    """What ``__all__`` names."""

    @property
    def package(self) -> str:
        return self.name if self.is_package else self.name.rpartition(".")[0]

    @property
    def parent(self) -> str:
        return self.name.rpartition(".")[0]

    @property
    def leaf(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def path(self) -> str:
        stem = self.name.replace(".", "/")
        return f"{stem}/__init__.py" if self.is_package else f"{stem}.py"


def lay_out(choices: Choices) -> list[Module]:
    """A top package with modules and subpackages, the parents before their children; or a flat folder of modules."""
    if chance(choices, 8):
        return [Module(leaf, False, has_all=chance(choices, 20)) for leaf in LEAF_NAMES[: 2 + choices.below(4)]]
    top = Module(pick(choices, TOP_NAMES), True)
    modules = [top]
    for leaf in LEAF_NAMES[: 2 + choices.below(6)]:
        parents = [module for module in modules if module.is_package]
        parent = pick(choices, parents)
        is_package = chance(choices, 25)
        modules.append(Module(f"{parent.name}.{leaf}", is_package))
    for module in modules:
        has_children = any(other.parent == module.name for other in modules)
        module.is_namespace = module.is_package and has_children and chance(choices, 8)
        module.has_all = chance(choices, 20)
        module.postpones_annotations = chance(choices, 15)
    return modules


def relative_name(importer: Module, target: str) -> str | None:
    """``..sub.leaf`` for a target of the same top package as seen from the importer; None where there is none."""
    package = importer.package.split(".") if importer.package else []
    parts = target.split(".")
    common = 0
    while common < min(len(package), len(parts)) and package[common] == parts[common]:
        common += 1
    if common == 0:
        return None
    return "." * (len(package) - common + 1) + ".".join(parts[common:])
