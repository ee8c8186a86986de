"""Definitions: one export each."""

from __future__ import annotations

from collections.abc import Callable

from .choices import chance, pick
from .exports import FEATURES, Export
from .expressions import condition, expression, reference
from .functions import CAUGHT, body, indent, simple_body
from .layout import Module
from .state import State
from .worlds import environment_test

Maker = Callable[[State, Module], Export]


def add(state: State, module: Module, export: Export, lines: list[str], outer: list[str] | None = None) -> Export:
    """Put the definition at the module's end.

    With ``outer``, the statements that only its body needs, it may stand somewhere before them.
    """
    module.public.append(export.name)
    if outer is None:
        module.blocks.append(lines)
    elif chance(state.choices, 60):
        module.blocks.insert(state.choices.below(len(module.blocks) // 2 + 1), lines)
        module.blocks.append(outer)
    else:
        module.blocks.append([*outer, *lines])
    return export


def constant(state: State, module: Module) -> Export:
    name = f"VALUE_{state.number()}"
    code = expression(state, module)
    kind = state.choices.below(16)
    lines = [*code.prelude, *_assignment(state, module, kind, name, code.text)]
    if kind == 13:
        module.blocks.insert(state.choices.below(len(module.blocks) + 1), [f"{name} = 0"])
    return add(state, module, Export(name, module.name, "constant"), lines)


def _assignment(state: State, module: Module, kind: int, name: str, value: str) -> list[str]:
    forms = {
        1: [f"{name}: int = {value}"],
        2: [f"if ({name} := {value}) >= 0:", "    pass"],
        3: [f"for {name} in [{value}]:", "    pass"],
        4: [f"{name}, _ = {value}, 1"],
        5: [f"{name} = 0", f"{name} += {value}"],
        6: ["def _bind():", f"    global {name}", f"    {name} = {value}", "_bind()", "del _bind"],
        7: ["while True:", f"    {name} = {value}", "    break"],
        8: [f"assert {value} >= 0", f"{name} = 1"],
        9: ["try:", f"    {name} = {value}", "finally:", "    _done = True"],
        10: ["class _Holder:", f"    held = {value}", f"{name} = _Holder.held"],
        11: [f"def _defaulted(value={value}):", "    return value", f"{name} = _defaulted()"],
        14: [f"match {value}:", "    case 0:", f"        {name} = 0", "    case _found:", f"        {name} = _found"],
        15: [
            "class _Scope:",
            f"    total = {value}",
            "    for number in (1, 2):",
            "        total += number",
            f"{name} = _Scope.total",
        ],
        12: [f"_unbound = {value}", f"{name} = _unbound", "del _unbound"],
    }
    return forms.get(kind, [f"{name} = {value}"])


def conditional_constant(state: State, module: Module) -> Export:
    name = f"VALUE_{state.number()}"
    test = condition(state, module, deferred=False)
    code = expression(state, module)
    other = expression(state, module) if chance(state.choices, 40) else None
    lines = [*test.prelude, f"if {test.text}:", *indent([*code.prelude, f"{name} = {code.text}"]), "else:"]
    lines += indent([*other.prelude, f"{name} = {other.text}"]) if other else [f"    {name} = 0"]
    return add(state, module, Export(name, module.name, "constant"), lines)


def handled_constant(state: State, module: Module) -> Export:
    """A value whose making is tried, with a fallback; sometimes the fallback is no int, and what uses it fails."""
    name = f"VALUE_{state.number()}"
    code = expression(state, module)
    fallback = "None" if chance(state.choices, 25) else "0"
    tried = [*code.prelude, f"{name} = {code.text}"]
    caught = f"except {pick(state.choices, CAUGHT)}:".replace(" :", ":")
    kind = state.choices.below(9)
    if kind == 1:
        module.libraries.add("contextlib")
        lines = [f"{name} = 0", "with contextlib.suppress(ImportError, AttributeError):", *indent(tried)]
    elif kind == 2:
        quiet = state.private("Quiet")
        lines = [
            f"class {quiet}:",
            "    def __enter__(self):",
            "        return self",
            "    def __exit__(self, kind, error, traceback):",
            f"        return {pick(state.choices, ('True', 'kind is ImportError', 'False', 'None'))}",
            f"{name} = 0",
            f"with {quiet}():",
            *indent(tried),
        ]
    elif kind == 3:
        lines = ["try:", *indent(tried), "except ImportError as error:", "    raise RuntimeError(1) from error"]
    elif kind == 4:
        inner = ["try:", *indent(tried), "except AttributeError:", f"    {name} = 0"]
        lines = ["try:", *indent(inner), caught, f"    {name} = {fallback}"]
    elif kind == 5:
        second = expression(state, module)
        lines = ["try:", *indent(tried), caught, *indent([*second.prelude, f"{name} = {second.text}"])]
    elif kind == 6:
        lines = ["try:", *indent(code.prelude or ["pass"]), caught, f"    {name} = {fallback}"]
        lines += ["else:", f"    {name} = {code.text}"]
    elif kind == 7:
        lines = ["try:", *indent(code.prelude or ["pass"]), caught, "    pass", f"{name} = {code.text}"]
    elif kind == 8:
        other = pick(state.choices, [each.name for each in state.modules if each.name != module.name])
        alias = state.private("m")
        lines = ["try:", f"    import {other} as {alias}", caught, f"    {alias} = None"]
        guarded = "len({alias}.__name__) if {alias} is not None else 0"
        used = pick(state.choices, (guarded, "len({alias}.__name__)")).format(alias=alias)
        lines += [f"{name} = {used}"]
    else:
        lines = ["try:", *indent(tried), caught, f"    {name} = {fallback}"]
    return add(state, module, Export(name, module.name, "constant"), lines)


def flag(state: State, module: Module) -> Export:
    name = f"FLAG_{state.number()}"
    test = environment_test(state, module) or "True"
    return add(state, module, Export(name, module.name, "flag"), [f"{name} = {test}"])


def function(state: State, module: Module) -> Export:
    name = f"function_{state.number()}"
    lines, outer = body(state, module)
    signature, guard, kind = "", [], "function"
    decorators: list[str] = []
    before: list[str] = []
    if chance(state.choices, 20):
        kind, signature = "switched", f"enabled={pick(state.choices, ('True', 'False'))}"
        guard = ["if not enabled:", "    return 0"]
    elif chance(state.choices, 15):
        default = expression(state, module)
        before, signature = default.prelude, f"value={default.text}"
    elif chance(state.choices, 15):
        module.libraries.add("functools")
        decorators = [pick(state.choices, ("@functools.lru_cache(maxsize=None)", "@functools.cache"))]
    elif chance(state.choices, 15):
        decorators, before = _decoration(state, module)
    annotation = ""
    classes = [export for export in state.exports if export.kind == "class"]
    if classes and not module.postpones_annotations and chance(state.choices, 15):
        annotated = reference(state, module, pick(state.choices, classes), deferred=False)
        before, annotation = [*before, *annotated.prelude], f" -> {annotated.text}"
    elif classes and module.postpones_annotations and chance(state.choices, 30):
        annotation = f" -> {pick(state.choices, classes).name}"
    lines = [*decorators, f"def {name}({signature}){annotation}:", *indent([*guard, *lines])]
    if signature.startswith("value") or decorators or annotation:
        return add(state, module, Export(name, module.name, kind), [*outer, *before, *lines])
    return add(state, module, Export(name, module.name, kind), lines, outer)


def _decoration(state: State, module: Module) -> tuple[list[str], list[str]]:
    decorators = [export for export in state.exports if export.kind == "decorator"]
    if not decorators:
        return [], []
    code = reference(state, module, pick(state.choices, decorators), deferred=False)
    return [f"@{code.text}"], code.prelude


def lambda_function(state: State, module: Module) -> Export:
    name = f"function_{state.number()}"
    code = expression(state, module, deferred=True)
    # A lambda has no statements: what the expression needs is imported before.
    lines = [*code.outer, *code.prelude, f"{name} = lambda: {code.text}"]
    return add(state, module, Export(name, module.name, "function"), lines)


def partial(state: State, module: Module) -> Export:
    module.libraries.add("functools")
    name, target = f"function_{state.number()}", state.private("target")
    lines, outer = body(state, module)
    lines = [*outer, f"def {target}(value, extra=1):", *indent(lines), f"{name} = functools.partial({target}, 1)"]
    return add(state, module, Export(name, module.name, "function"), lines)


def rebound_function(state: State, module: Module) -> Export:
    """A function that is defined simply first and better later."""
    name = f"function_{state.number()}"
    lines, outer = body(state, module)
    module.blocks.insert(state.choices.below(len(module.blocks) + 1), [f"def {name}():", "    return 0"])
    lines = [*outer, f"def {name}():", *indent(lines)]
    return add(state, module, Export(name, module.name, "function"), lines)


def generator(state: State, module: Module) -> Export:
    name = f"walk_{state.number()}"
    lines, outer = simple_body(state, module, "yield {}")
    lines = [*(["yield 1"] if chance(state.choices, 25) else []), *lines]
    if chance(state.choices, 20):
        lines = ["def inner():", *indent(lines), "yield from inner()"]
    kind = pick(state.choices, ("generator", "looped_generator"))
    return add(state, module, Export(name, module.name, kind), [f"def {name}():", *indent(lines)], outer)


def coroutine(state: State, module: Module) -> Export:
    name = f"fetch_{state.number()}"
    lines, outer = simple_body(state, module, "return {}")
    lines = [f"async def {name}():", *indent(lines)]
    return add(state, module, Export(name, module.name, "coroutine"), lines, outer)


def context_manager(state: State, module: Module) -> Export:
    module.libraries.add("contextlib")
    name = f"context_{state.number()}"
    lines, outer = simple_body(state, module, "yield {}")
    if chance(state.choices, 30):
        lines = ["yield 1", *lines[:-1], lines[-1].replace("yield ", "_ = ", 1)]
    lines = ["@contextlib.contextmanager", f"def {name}():", *indent(lines)]
    return add(state, module, Export(name, module.name, "context_manager"), lines, outer)


def decorator(state: State, module: Module) -> Export:
    name = f"decorate_{state.number()}"
    lines, outer = simple_body(state, module, "extra = {}")
    wraps = chance(state.choices, 50)
    if wraps:
        module.libraries.add("functools")
    wrapping = ["@functools.wraps(function)"] if wraps else []
    inside = [*wrapping, "def wrapper(*args, **kwargs):"]
    call = "return function(*args, **kwargs)"
    if chance(state.choices, 50):
        inner = [*lines, *inside, f"    {call}", "return wrapper"]
    else:
        inner = [*inside, *indent([*lines, call]), "return wrapper"]
    if chance(state.choices, 20):
        inner = [*lines, "return function"]
    lines = [f"def {name}(function):", *indent(inner)]
    return add(state, module, Export(name, module.name, "decorator"), lines, outer)


def mapping(state: State, module: Module) -> Export:
    name = f"MAPPING_{state.number()}"
    code = expression(state, module)
    kind = state.choices.below(4)
    if kind == 1:
        lines = [*code.prelude, f"{name} = dict(key={code.text})"]
    elif kind == 2:
        lines = [f"{name} = {{'key': 1}}", *code.prelude, f"{name}.update(key={code.text})"]
    elif kind == 3:
        handled = [*code.prelude, f"_made['key'] = {code.text}"]
        lines = ["_made = {}", "try:", *indent(handled), "except ImportError:", "    pass", f"{name} = _made"]
    else:
        lines = [*code.prelude, f"{name} = {{'key': {code.text}}}"]
    return add(state, module, Export(name, module.name, "mapping"), lines)


def sequence(state: State, module: Module) -> Export:
    name = f"SEQUENCE_{state.number()}"
    code = expression(state, module)
    forms = (f"[{code.text}]", f"({code.text}, 1)", f"[{code.text} for _ in range(2)]", f"tuple([{code.text}])")
    lines = [*code.prelude, f"{name} = {pick(state.choices, forms)}"]
    return add(state, module, Export(name, module.name, "sequence"), lines)


def enumeration(state: State, module: Module) -> Export:
    module.libraries.add("enum")
    name = f"Enum_{state.number()}"
    code = expression(state, module)
    base = pick(state.choices, ("enum.Enum", "enum.IntEnum"))
    lines = [*code.prelude, f"class {name}({base}):", f"    MEMBER = {code.text}"]
    return add(state, module, Export(name, module.name, "enum"), lines)


def dispatched(state: State, module: Module) -> Export:
    module.libraries.add("functools")
    name, generic = f"function_{state.number()}", state.private("generic")
    lines, outer = body(state, module)
    kind = pick(state.choices, ("int", "str"))
    lines = [
        *outer,
        "@functools.singledispatch",
        f"def {generic}(value):",
        "    return 0",
        f"@{generic}.register({kind})",
        f"def _{generic}(value):",
        *indent(lines),
        f"def {name}():",
        f"    return {generic}(1)",
    ]
    return add(state, module, Export(name, module.name, "function"), lines)


def conditional_function(state: State, module: Module) -> Export:
    name = f"function_{state.number()}"
    test = condition(state, module, deferred=False)
    first, outer = body(state, module)
    second, more = body(state, module) if chance(state.choices, 50) else (["return 1"], [])
    lines = [*outer, *more, *test.prelude, f"if {test.text}:", f"    def {name}():", *indent(indent(first))]
    lines += ["else:", f"    def {name}():", *indent(indent(second))]
    return add(state, module, Export(name, module.name, "function"), lines)


def class_import(state: State, module: Module) -> Export:
    """A class body that imports."""
    name = f"VALUE_{state.number()}"
    code = expression(state, module)
    imports = [line for line in code.imports if not line.endswith("*")]
    lines = ["class _Importing:", *indent([*imports, "made = 1"]), *code.prelude, f"{name} = {code.text}"]
    return add(state, module, Export(name, module.name, "constant"), lines)


def named_tuple(state: State, module: Module) -> Export:
    module.libraries.add("typing")
    name = f"Named_{state.number()}"
    code = expression(state, module)
    lines = [*code.prelude, f"class {name}(typing.NamedTuple):", f"    size: int = {code.text}"]
    return add(state, module, Export(name, module.name, "dataclass"), lines)


def registry(state: State, module: Module) -> Export:
    """A mapping that decorated functions are put into, and what calling them all gives."""
    name, register, made = f"VALUE_{state.number()}", state.private("register"), state.private("handlers")
    lines, outer = body(state, module)
    lines = [
        *outer,
        f"{made} = {{}}",
        f"def {register}(key):",
        "    def apply(function):",
        f"        {made}[key] = function",
        "        return function",
        "    return apply",
        f"@{register}('first')",
        "def _handler():",
        *indent(lines),
        f"{name} = sum(handler() for handler in {made}.values())",
    ]
    return add(state, module, Export(name, module.name, "constant"), lines)


def data_class(state: State, module: Module) -> Export:
    module.libraries.add("dataclasses")
    name = f"Data_{state.number()}"
    if chance(state.choices, 40):
        lines, outer = simple_body(state, module, "return {}")
        made = state.private("make")
        field = f"    size: int = dataclasses.field(default_factory={made})"
        lines = [*outer, f"def {made}():", *indent(lines), "@dataclasses.dataclass", f"class {name}:", field]
        return add(state, module, Export(name, module.name, "dataclass"), lines)
    code = expression(state, module)
    decorator_text = pick(state.choices, ("@dataclasses.dataclass", "@dataclasses.dataclass(frozen=True)"))
    lines = [*code.prelude, decorator_text, f"class {name}:", f"    size: int = {code.text}"]
    return add(state, module, Export(name, module.name, "dataclass"), lines)


def class_definition(state: State, module: Module) -> Export:
    name = f"Class_{state.number()}"
    features = {pick(state.choices, list(FEATURES)) for _ in range(1 + state.choices.below(3))}
    before: list[str] = []
    outer: list[str] = []
    base = ""
    inherited: tuple[str, ...] = ()
    classes = [export for export in state.exports if export.kind == "class"]
    if classes and chance(state.choices, 40):
        parent = pick(state.choices, classes)
        code = reference(state, module, parent, deferred=False)
        before, base = code.prelude, f"({code.text})"
        inherited = parent.features
    if "next" in features and "iter" in {*inherited, *features}:
        features = features - {"next"} | {"neg"}  # its __iter__ would take the place of one that ends
    members: list[str] = []
    for feature in sorted(features):
        lines, needed = _feature(state, module, feature, bool(base))
        members += lines
        (before if feature in ("attribute", "descriptor") else outer).extend(needed)
    export = Export(name, module.name, "class", tuple(sorted({*features, *inherited})))
    lines = [f"class {name}{base}:", *indent(members)]
    if base or features & {"attribute", "descriptor"}:
        return add(state, module, export, [*outer, *before, *lines])
    return add(state, module, export, lines, outer)


def _feature(state: State, module: Module, feature: str, derived: bool) -> tuple[list[str], list[str]]:
    if feature == "attribute":
        code = expression(state, module)
        return [f"ATTRIBUTE = {code.text}"], code.prelude
    if feature == "descriptor":
        lines, outer = simple_body(state, module, "return {}")
        name = state.private("Descriptor")
        head = [f"class {name}:", "    def __get__(self, instance, owner):", *indent(indent(lines))]
        return [f"described = {name}()"], [*outer, *head]
    signature, result = MEMBERS[feature]
    lines, outer = simple_body(state, module, result)
    if feature == "cached_property":
        module.libraries.add("functools")
    if feature == "init" and derived and chance(state.choices, 60):
        lines = ["super().__init__()", *lines]
    if feature == "new":
        lines = ["made = super().__new__(cls)", *lines, "return made"]
    if feature == "getattr":
        lines = ["if name != 'anything':", "    raise AttributeError(name)", *lines]
    if feature == "getattribute":
        lines = ["if name != 'whatever':", "    return object.__getattribute__(self, name)", *lines]
    before, behind = AROUND.get(feature, ((), ()))
    if feature in ("partialmethod", "dispatchmethod"):
        module.libraries.add("functools")
    signature = (*before, *signature)
    if behind:
        return [*signature, *indent(lines), *behind], outer
    return [*signature, *indent(lines)], outer


MEMBERS: dict[str, tuple[tuple[str, ...], str]] = {
    "init": (("def __init__(self):",), "self.value = {}"),
    "method": (("def method(self):",), "return {}"),
    "property": (("@property", "def size(self):"), "return {}"),
    "static": (("@staticmethod", "def make():"), "return {}"),
    "classmethod": (("@classmethod", "def create(cls):"), "return {}"),
    "cached_property": (("@functools.cached_property", "def cached(self):"), "return {}"),
    "add": (("def __add__(self, other):",), "return {}"),
    "radd": (("def __radd__(self, other):",), "return {}"),
    "getitem": (("def __getitem__(self, key):",), "return {}"),
    "call": (("def __call__(self):",), "return {}"),
    "str": (("def __str__(self):",), "return str({})"),
    "len": (("def __len__(self):",), "return {}"),
    "iter": (("def __iter__(self):",), "yield {}"),
    "bool": (("def __bool__(self):",), "return bool({})"),
    "contains": (("def __contains__(self, item):",), "return bool({})"),
    "eq": (("def __eq__(self, other):",), "return {} == other"),
    "new": (("def __new__(cls):",), "made.made = {}"),
    "getattr": (("def __getattr__(self, name):",), "return {}"),
    "getattribute": (("def __getattribute__(self, name):",), "return {}"),
    "setter": (("def put(self, value):",), "self.kept = {}"),
    "deleter": (("def gone(self):",), "self.lost = {}"),
    "setitem": (("def __setitem__(self, key, value):",), "self.kept = {}"),
    "hash": (("def __hash__(self):",), "return {}"),
    "lt": (("def __lt__(self, other):",), "return bool({})"),
    "gt": (("def __gt__(self, other):",), "return bool({})"),
    "format": (("def __format__(self, specification):",), "return 'x' * ({})"),
    "neg": (("def __neg__(self):",), "return {}"),
    "next": (("def __next__(self):",), "return {}"),
    "class_getitem": (("def __class_getitem__(cls, key):",), "return {}"),
    "partialmethod": (("def _free(self, number):",), "return number + {}"),
    "dispatchmethod": (("@choose.register", "def _chosen(self, value: int):"), "return value + {}"),
}


AROUND: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "setter": ((), ("put = property(None, put)",)),
    "deleter": ((), ("gone = property(None, None, gone)",)),
    "next": (("def __iter__(self):", "    return self"), ()),
    "partialmethod": ((), ("fixed = functools.partialmethod(_free, 1)",)),
    "dispatchmethod": (("@functools.singledispatchmethod", "def choose(self, value):", "    return 0"), ()),
}
"""Lines before and behind a member that it needs."""


def instance(state: State, module: Module) -> Export:
    name, made = f"instance_{state.number()}", state.private("Made")
    init, outer = simple_body(state, module, "self.value = {}")
    method, more = simple_body(state, module, "return {}")
    lines = [*outer, *more, f"class {made}:", "    def __init__(self):", *indent(indent(init))]
    lines += ["    def method(self):", *indent(indent(method)), f"{name} = {made}()"]
    return add(state, module, Export(name, module.name, "instance"), lines)


def subclass_hook(state: State, module: Module) -> Export:
    name = f"Hook_{state.number()}"
    lines, outer = simple_body(state, module, "cls.hooked = {}")
    head = ["    def __init_subclass__(cls, **keywords):", "        super().__init_subclass__(**keywords)"]
    lines = [f"class {name}:", *head, *indent(indent(lines))]
    return add(state, module, Export(name, module.name, "subclass_hook"), lines, outer)


def metaclassed(state: State, module: Module) -> Export:
    """A class whose metaclass runs for each subclass, not for the class itself."""
    name, meta = f"Meta_{state.number()}", state.private("Meta")
    lines, outer = simple_body(state, module, "cls.hooked = {}")
    meta_head = ["    def __init__(cls, name, bases, namespace):", "        super().__init__(name, bases, namespace)"]
    lines = [*meta_head, "        if bases:", *indent(indent(indent(lines)))]
    lines = [f"class {meta}(type):", *lines, f"class {name}(metaclass={meta}):", "    pass"]
    return add(state, module, Export(name, module.name, "metaclassed"), lines, outer)


def descriptor(state: State, module: Module) -> Export:
    name = f"Field_{state.number()}"
    hook, outer = simple_body(state, module, "self.size = {}")
    getter, more = simple_body(state, module, "return self.size + {}")
    lines = [*outer, *more, f"class {name}:", "    def __set_name__(self, owner, name):", *indent(indent(hook))]
    lines += ["    def __get__(self, instance, owner):", *indent(indent(getter))]
    return add(state, module, Export(name, module.name, "descriptor"), lines)


def shaded_enumeration(state: State, module: Module) -> Export:
    """Members with a property, some of them numbered by a method."""
    module.libraries.add("enum")
    name = f"Enum_{state.number()}"
    lines, outer = simple_body(state, module, "return {}")
    made, more = simple_body(state, module, "return 1 + count * ({})")
    head = [f"class {name}(enum.{pick(state.choices, ('Enum', 'IntEnum'))}):"]
    if chance(state.choices, 50):
        head += ["    def _generate_next_value_(name, start, count, last_values):", *indent(indent(made))]
        members = ["    MEMBER = enum.auto()", "    OTHER = enum.auto()"]
    else:
        more, members = [], ["    MEMBER = 1"]
    lines = [*head, *members, "    @property", "    def shade(self):", *indent(indent(lines))]
    return add(state, module, Export(name, module.name, "shaded_enum"), [*outer, *more, *lines])


def called_metaclass(state: State, module: Module) -> Export:
    """A class whose metaclass runs code when an instance is made."""
    name, meta = f"Meta_{state.number()}", state.private("Meta")
    lines, outer = simple_body(state, module, "made.made = {}")
    head = [f"class {meta}(type):", "    def __call__(cls, *args, **kwargs):"]
    lines = [*head, "        made = super().__call__(*args, **kwargs)", *indent(indent(lines)), "        return made"]
    lines = [*lines, f"class {name}(metaclass={meta}):", "    pass"]
    return add(state, module, Export(name, module.name, "called_meta"), lines, outer)


def stacked(state: State, module: Module) -> Export:
    """A value made in a context whose exits run code."""
    module.libraries.add("contextlib")
    name, function = f"VALUE_{state.number()}", state.private("close")
    lines, outer = body(state, module)
    use = pick(state.choices, ("stack.callback({0})", "stack.push(lambda *details: {0}() < 0)"))
    lines = [*outer, f"def {function}():", *indent(lines), "with contextlib.ExitStack() as stack:"]
    lines += [f"    {use.format(function)}", f"    {name} = 1"]
    return add(state, module, Export(name, module.name, "constant"), lines)


def missing_key(state: State, module: Module) -> Export:
    """A dict that makes what it lacks."""
    name, cls = f"TABLE_{state.number()}", state.private("Table")
    lines, outer = simple_body(state, module, "return {}")
    lines = [f"class {cls}(dict):", "    def __missing__(self, key):", *indent(indent(lines)), f"{name} = {cls}(a=1)"]
    return add(state, module, Export(name, module.name, "missing_key"), lines, outer)


def open_bound(state: State, module: Module) -> Export:
    name = f"VALUE_{state.number()}"
    code = expression(state, module)
    kind = state.choices.below(3)
    if kind == 1:
        module.libraries.add("sys")
        binding = f"setattr(sys.modules[__name__], {name!r}, {code.text})"
    elif kind == 2:
        binding = f"globals().update({name}={code.text})"
    else:
        binding = f"globals()[{name!r}] = {code.text}"
    return add(state, module, Export(name, module.name, "constant", open_bound=True), [*code.prelude, binding])


ITEMS: tuple[tuple[Maker, int], ...] = (
    (constant, 20),
    (function, 26),
    (conditional_constant, 7),
    (handled_constant, 7),
    (class_definition, 14),
    (flag, 5),
    (lambda_function, 3),
    (partial, 2),
    (rebound_function, 2),
    (generator, 4),
    (coroutine, 1),
    (context_manager, 3),
    (decorator, 4),
    (mapping, 3),
    (sequence, 2),
    (enumeration, 2),
    (data_class, 3),
    (instance, 3),
    (subclass_hook, 2),
    (metaclassed, 1),
    (descriptor, 1),
    (open_bound, 2),
    (dispatched, 1),
    (conditional_function, 3),
    (class_import, 2),
    (named_tuple, 1),
    (registry, 2),
    (shaded_enumeration, 2),
    (called_metaclass, 1),
    (stacked, 1),
    (missing_key, 1),
)
