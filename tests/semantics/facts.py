"""The facts and the fixture packages that show them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).parents[2] / "fixtures" / "semantics"

FACTS: Mapping[str, Mapping[str, str]] = {
    "Loading": {
        "parents-first": "`import a.b.c` initialises `a`, `a.b` and `a.b.c` in this order, each once; a module is in "
        "`sys.modules` before its body runs.",
        "child-loaded-by-parent": "After a parent's body has run, the child may be loaded already.",
        "attribute-when-finished": "The attribute `b` is set on `a` only when `a.b` has finished without error.",
        "import-binds-top": "`import a.b.c` binds `a`.",
        "import-as-fallback": "`import a.b as x` falls back to `sys.modules` when the attribute is missing.",
        "from-import-fallback": "`from a import b` falls back to `sys.modules` when the attribute is missing.",
        "from-import-order": "`from p import n` asks the package (and its `__getattr__`), then imports the submodule, "
        "then asks again.",
        "star-import": "`from m import *` takes `__all__`, importing submodules, or the public names bound so far.",
        "failed-body": "A body that raises takes its module out of `sys.modules`; submodules that finished stay, and "
        "are not bound on the parent that is run again.",
        "relative-imports": "Relative imports ask the same modules.",
        "namespace-packages": "Namespace packages have nothing to run.",
        "package-path": "A package may extend `__path__`.",
        "package-over-module": "A package wins over a module of the same name.",
        "sys-modules-replacement": "`sys.modules[name] = value` replaces what later imports find.",
        "main-twice": "`__main__` imported again under its own name is run twice.",
    },
    "Running": {
        "class-bodies": "Class bodies run at import.",
        "decorators-run": "Decorators run at import.",
        "default-values": "Default values are evaluated at import.",
        "base-classes": "Base classes and keywords are evaluated at import; methods follow the MRO.",
        "metaclasses": "Metaclasses run when a class is made, their `__call__` when an instance is.",
        "init-subclass": "`__init_subclass__` runs when a subclass is made.",
        "set-name": "`__set_name__` runs when the class is made.",
        "annotations": "Annotations are evaluated unless they are postponed or local.",
        "comprehensions": "Comprehensions run at once, generator expressions when they are iterated.",
        "with-and-assert": "`with` and `assert` run at import.",
        "expressions-run": "f-strings, operators, subscripts, callbacks and closures run what they stand for.",
        "properties-and-descriptors": "Properties and descriptors run when they are read or set.",
        "dataclass-and-enum": "Dataclass and enum creation runs code.",
        "generators": "Generator and coroutine functions run nothing until they are iterated or awaited.",
        "known-decorators": "A decorated function is what its decorator returned; those of the library are known.",
        "binding-forms": "Every form that binds or unbinds a name.",
        "open-names": "`globals()[...]`, `setattr(module, ...)` and `exec` make a module's names open.",
        "type-checking": "`TYPE_CHECKING` is false however it is spelt or imported.",
        "version-info": "`sys.version_info` is that of the target version.",
        "platform": "`sys.platform` is that of the target platform.",
        "control-flow": "`return`, `raise`, `break`, `continue` and `sys.exit` end what follows; `and`, `or`, "
        "`if`-expressions and `match` evaluate one side.",
        "module-getattr": "A module `__getattr__` counts from the moment it is bound.",
        "dynamic-imports": "Dynamic imports are followed.",
    },
    "Failing": {
        "import-error": "ImportError: cannot import name.",
        "attribute-error": "AttributeError of a half-loaded module.",
        "name-error": "NameError in a function of a half-loaded module.",
        "other-exceptions": "Any other exception that the missing name leads to.",
        "unrelated-failures": "Failures that no half-loaded module has caused are none of the tool's business.",
        "missing-names": "A name that exists nowhere, though CPython blames a circular import.",
        "star-loss": "A star import that takes fewer names.",
        "scripts": "Scripts that are imported again under their own name.",
        "shadowing": "Files that hide a standard module.",
    },
    "Worlds": {
        "worlds": "An unknown test becomes a condition.",
        "correlated-tests": "The same test takes the same value on one path.",
        "nested-tests": "Nested, negated and combined tests.",
        "guards": "Early returns, raises, if-expressions and arguments as guards.",
        "stored-flags": "A flag that is kept and read elsewhere.",
    },
    "Handlers": {
        "try-statements": "`try`, `except`, `else`, `finally`.",
        "nested-handlers": "Handlers in and around others.",
        "re-raise": "Re-raised and replaced exceptions.",
        "context-managers-swallow": "Context managers that swallow.",
        "bodies-run-again": "Failed bodies that are run again.",
    },
}


@dataclass(frozen=True, slots=True)
class Fixture:
    """One small tree that shows a fact."""

    name: str
    fact: str
    shows: str
    variables: Mapping[str, Sequence[str | None]]
    """Environment variables that the tree asks about, with the values to try (``None``: unset)."""
    scripts: tuple[str, ...]

    @property
    def root(self) -> Path:
        return ROOT / self.name


@lru_cache(maxsize=1)
def fixtures() -> tuple[Fixture, ...]:
    """All fixtures, by name."""
    return tuple(_read(path) for path in sorted(ROOT.glob("*/fact.json")))


def _read(path: Path) -> Fixture:
    document = json.loads(path.read_text(encoding="utf-8"))
    variables = {name: (None, *values) for name, values in document.get("variables", {}).items()}
    return Fixture(path.parent.name, document["fact"], document["shows"], variables, tuple(document.get("scripts", ())))


def table() -> str:
    """The document that maps each fact to its fixtures."""
    lines = [
        "# What CPython does, and the packages that show it",
        "",
        "Made by `python -m tests.semantics`; a test checks that it is up to date. Each fixture is a package tree",
        "under `fixtures/semantics/`. What is expected of it is written down nowhere: the tests import every module",
        "first, in every world, in each CPython from 3.10 to 3.13 that is there, and the findings must agree.",
    ]
    for title, facts in FACTS.items():
        lines += ["", f"## {title}", "", "| fact | fixture | what it shows |", "| --- | --- | --- |"]
        for fact, sentence in facts.items():
            shown = [fixture for fixture in fixtures() if fixture.fact == fact]
            for number, fixture in enumerate(shown):
                link = f"[{fixture.name}](../fixtures/semantics/{fixture.name})"
                lines.append(f"| {sentence if number == 0 else ''} | {link} | {_cell(fixture.shows)} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    for character in "\\|*_<":
        text = text.replace(character, "\\" + character)
    return text
