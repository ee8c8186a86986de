"""Expressions that give an int, and use what other modules offer on the way."""

from __future__ import annotations

from dataclasses import dataclass, field

from .choices import chance, pick
from .exports import EXPRESSIONS, FEATURES, Export
from .layout import Module
from .reaching import reach
from .state import State
from .worlds import environment_test


@dataclass(slots=True)
class Code:
    """An expression, the statements that must run before it, and those that must stand before its function."""

    text: str
    imports: list[str] = field(default_factory=list)
    statements: list[str] = field(default_factory=list)
    outer: list[str] = field(default_factory=list)

    @property
    def prelude(self) -> list[str]:
        """All that runs before, the imports first: a function must not use a name that it imports later."""
        return [*self.imports, *self.statements]


def expression(state: State, module: Module, deferred: bool = False, unique: bool = False) -> Code:
    """An expression of some exports made so far; ``deferred`` for a function's body, ``unique`` for a branch of it."""
    code = Code(str(1 + state.choices.below(3)))
    for _ in range(state.choices.below(3)):
        if not state.exports:
            break
        used = use(state, module, _dependency(state, module), deferred, unique)
        code.imports += used.imports
        code.statements += used.statements
        code.outer += used.outer
        code.text = _combined(state, module, code.text, used.text)
    return code


def use(state: State, module: Module, export: Export, deferred: bool, unique: bool = False) -> Code:
    """An expression that runs one export."""
    code = reference(state, module, export, deferred, unique)
    if export.kind in SPECIAL:
        prelude, code.text = SPECIAL[export.kind](state, code.text)
        code.statements += prelude
        return code
    if export.kind == "class":
        template = FEATURES[pick(state.choices, export.features)]
    else:
        template = pick(state.choices, EXPRESSIONS[export.kind])
    code.text = template.format(ref=code.text)
    return code


def reference(state: State, module: Module, export: Export, deferred: bool, unique: bool = False) -> Code:
    """An expression for the export itself, its import at the module's top, just before, or in the function."""
    inside = deferred and chance(state.choices, 45)
    lines, text = reach(state, module, export, star=not inside, unique=unique and inside)
    if inside:
        return Code(text, imports=lines)
    if lines and chance(state.choices, 25 if deferred else 50):
        module.top += lines
        return Code(text)
    return Code(text, outer=lines) if deferred else Code(text, imports=lines)


def condition(state: State, module: Module, deferred: bool, unique: bool = False) -> Code:
    """A test: on the environment, on a flag that some module keeps, or one that is known."""
    flags = [export for export in state.exports if export.kind == "flag"]
    if flags and chance(state.choices, 50):
        code = reference(state, module, pick(state.choices, flags), deferred, unique)
        if chance(state.choices, 30):
            code.text = f"not {code.text}"
        return code
    test = environment_test(state, module)
    if test is not None and chance(state.choices, 85):
        return Code(test)
    module.libraries.add("sys")
    known = ["True", "False", "sys.version_info >= (3, 8)", "sys.version_info < (3, 9)"]
    # Whether a module is loaded depends on the entry, and on nothing else.
    return Code(pick(state.choices, [*known, *(f"{each.name!r} in sys.modules" for each in state.modules)]))


def _dependency(state: State, module: Module) -> Export:
    """An export to use, rather another module's, rather a recent one."""
    foreign = [export for export in state.exports if export.home != module.name or export.lazy]
    own = [export for export in state.exports if export.home == module.name and not export.lazy]
    candidates = foreign if foreign and (not own or chance(state.choices, 80)) else own or foreign
    return candidates[-1 - state.choices.below(min(len(candidates), 6))]


def _combined(state: State, module: Module, left: str, right: str) -> str:
    kind = state.choices.below(36)
    forms = {
        1: f"(lambda: {right})()",
        2: f"[{right} for _ in range(1)][0]",
        3: f"int(f'{{{right}}}')" if "'" not in right and '"' not in right else right,
        4: f"max({right}, 0)",
        5: f"sum({right} for _ in (1,))",
        6: f"{{'key': {right}}}['key']",
        7: f"sorted([1], key=lambda _: {right})[0]",
        8: f"list(map(lambda _: {right}, (1,)))[0]",
        9: f"next(iter([{right}]))",
        10: f"(0 or {right})",
        11: f"len([_ for _ in (1, 2) if {right} >= 0])",
        15: f"(lambda *numbers: sum(numbers))(*[{right}])",
        16: f"dict(zip(['key'], [{right}]))['key']",
        17: f"{{key: value for key, value in [('key', {right})]}}['key']",
        18: f"abs(-({right}))",
        19: f"[*[{right}]][0]",
        20: f"int(1 <= 2 <= {right} + 2)",
        21: f"({right}).real",
        22: f"(lambda value={right}: value)()",
        23: f"min(({right}, 9), key=lambda value: value)",
    }
    text = forms.get(kind, right)
    if kind == 12 and (test := environment_test(state, module)) is not None:
        text = f"({right} if {test} else 0)"
    elif kind == 13 and (test := environment_test(state, module)) is not None:
        text = f"int(bool({test} and {right}))"
    elif kind == 14 and (test := environment_test(state, module)) is not None:
        text = f"int(bool({test} or {right}))"
    return f"{left} + {text}"


def _context_manager(state: State, ref: str) -> tuple[list[str], str]:
    value = state.private("v")
    return [f"with {ref}() as {value}:", "    pass"], value


def _within(state: State, ref: str) -> tuple[list[str], str]:
    """A function that a context manager decorates."""
    name = state.private("d")
    return [f"@{ref}()", f"def {name}():", "    return 1"], f"{name}()"


def _context(state: State, ref: str) -> tuple[list[str], str]:
    return (_within if chance(state.choices, 25) else _context_manager)(state, ref)


def _subclass(state: State, ref: str) -> tuple[list[str], str]:
    name = state.private("S")
    return [f"class {name}({ref}):", "    pass"], f"{name}.hooked"


def _field(state: State, ref: str) -> tuple[list[str], str]:
    name = state.private("S")
    return [f"class {name}:", f"    field = {ref}()"], f"{name}().field"


def _decorated(state: State, ref: str) -> tuple[list[str], str]:
    name = state.private("d")
    call = f"{name}()" if chance(state.choices, 70) else f"len([{name}])"
    return [f"@{ref}", f"def {name}():", "    return 1"], call


def _loop(state: State, ref: str) -> tuple[list[str], str]:
    value = state.private("v")
    return [f"for {value} in {ref}():", "    break"], value


SPECIAL = {
    "context_manager": _context,
    "subclass_hook": _subclass,
    "metaclassed": _subclass,
    "descriptor": _field,
    "decorator": _decorated,
    "looped_generator": _loop,
}
"""Kinds whose use takes statements of its own."""
