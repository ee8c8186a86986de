"""Bodies of functions."""

from __future__ import annotations

from collections.abc import Callable

from .choices import chance, pick
from .expressions import Code, condition, expression
from .layout import Module
from .state import State

CAUGHT = (
    "ImportError",
    "Exception",
    "(ImportError, AttributeError)",
    "(ImportError, AttributeError, NameError)",
    "AttributeError",
    "NameError",
    "ModuleNotFoundError",
    "",
)

Body = tuple[list[str], list[str]]
"""Lines of the body, and lines that must stand before the function."""


def body(state: State, module: Module) -> Body:
    """A function's body that returns an int."""
    make = BODIES[state.choices.below(len(BODIES))] if chance(state.choices, 55) else _plain
    return make(state, module)


def indent(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _plain(state: State, module: Module) -> Body:
    code = expression(state, module, deferred=True)
    return [*code.prelude, f"return {code.text}"], code.outer


def _guarded(state: State, module: Module) -> Body:
    test = condition(state, module, deferred=True)
    code = expression(state, module, deferred=True, unique=True)
    return [*test.prelude, f"if {test.text}:", "    return 0", *code.prelude, f"return {code.text}"], [
        *test.outer,
        *code.outer,
    ]


def _branch(state: State, module: Module) -> Body:
    test = condition(state, module, deferred=True)
    code = expression(state, module, deferred=True, unique=True)
    lines = [*test.prelude, f"if {test.text}:", *indent([*code.prelude, f"return {code.text}"]), "return 1"]
    return lines, [*test.outer, *code.outer]


def _caught(state: State, module: Module) -> Body:
    code = expression(state, module, deferred=True, unique=True)
    tried = [*code.prelude, f"return {code.text}"]
    caught = f"except {pick(state.choices, CAUGHT)}:".replace(" :", ":")
    return ["try:", *indent(tried), caught, "    return 0"], code.outer


def _converted(state: State, module: Module) -> Body:
    code = expression(state, module, deferred=True, unique=True)
    return [
        "try:",
        *indent([*code.prelude, f"result = {code.text}"]),
        "except ImportError as error:",
        f"    {pick(state.choices, ('raise RuntimeError(1) from error', 'raise', 'raise error'))}",
        "else:",
        "    return result",
    ], code.outer


def _finally(state: State, module: Module) -> Body:
    code = expression(state, module, deferred=True, unique=True)
    return ["try:", *indent([*code.prelude, f"return {code.text}"]), "finally:", "    done = True"], code.outer


def _suppressed(state: State, module: Module) -> Body:
    module.libraries.add("contextlib")
    code = expression(state, module, deferred=True, unique=True)
    return [
        "result = 0",
        f"with contextlib.suppress({pick(state.choices, ('ImportError', 'Exception', 'AttributeError, NameError'))}):",
        *indent([*code.prelude, f"result = {code.text}"]),
        "return result",
    ], code.outer


def _inner(state: State, module: Module) -> Body:
    code = expression(state, module, deferred=True)
    name = pick(state.choices, ("inner", "load", "build"))
    called = f"return {name}()" if chance(state.choices, 75) else f"return len([{name}])"
    return [f"def {name}():", *indent([*code.prelude, f"return {code.text}"]), called], code.outer


def _looped(state: State, module: Module) -> Body:
    code = expression(state, module, deferred=True, unique=True)
    head = pick(state.choices, ("for number in (1, 2):", "while True:", "for number in ():"))
    looped = [*code.prelude, f"result += {code.text}", "break"]
    return ["result = 0", head, *indent(looped), "return result"], code.outer


def _dead(state: State, module: Module) -> Body:
    code = expression(state, module, deferred=True, unique=True)
    return ["return 1", *code.prelude, f"return {code.text}"], code.outer


def _cached(state: State, module: Module) -> Body:
    code = expression(state, module, deferred=True, unique=True)
    cache = state.private("cache")
    return [
        f"global {cache}",
        f"if {cache} is None:",
        *indent([*code.prelude, f"{cache} = {code.text}"]),
        f"return {cache}",
    ], [*code.outer, f"{cache} = None"]


def _generator_inside(state: State, module: Module) -> Body:
    code = expression(state, module, deferred=True)
    used = pick(state.choices, ("sum(walk())", "next(walk())", "len([walk()])"))
    return ["def walk():", *indent([*code.prelude, f"yield {code.text}"]), f"return {used}"], code.outer


def _closure(state: State, module: Module) -> Body:
    code = expression(state, module, deferred=True)
    nonlocal_lines = ["nonlocal total", "total += 1"] if chance(state.choices, 40) else []
    inner = ["def inner():", *indent([*nonlocal_lines, "return total"]), "return inner"]
    return ["def make():", *indent([*code.prelude, f"total = {code.text}", *inner]), "return make()()"], code.outer


def _recursive(state: State, module: Module) -> Body:
    code = expression(state, module, deferred=True)
    counted = ["if number:", "    return count(number - 1)", *code.prelude, f"return {code.text}"]
    return ["def count(number):", *indent(counted), "return count(2)"], code.outer


def _star_arguments(state: State, module: Module) -> Body:
    code = expression(state, module, deferred=True)
    inner = ["def add(*numbers, start=0, **more):", "    return sum(numbers) + start + len(more)"]
    call = pick(state.choices, ("add({0})", "add(*[{0}], start=1)", "add(**{{'extra': {0}}})", "add(1, extra={0})"))
    return [*inner, *code.prelude, f"return {call.format(code.text)}"], code.outer


def _while_else(state: State, module: Module) -> Body:
    code = expression(state, module, deferred=True, unique=True)
    otherwise = ["else:", *indent([*code.prelude, f"return {code.text}"])]
    stop = pick(state.choices, ("pass", "break"))
    return ["number = 0", "while number < 2:", "    number += 1", f"    {stop}", *otherwise, "return 0"], code.outer


def _local_class(state: State, module: Module) -> Body:
    code = expression(state, module, deferred=True)
    members = [f"value = {code.text}"] if chance(state.choices, 50) else ["def __init__(self):", "    self.value = 1"]
    return [*code.prelude, "class Local:", *indent(members), "return Local().value"], code.outer


def _awaited(state: State, module: Module) -> Body:
    code = expression(state, module, deferred=True)
    load = ["async def load():", *indent([*code.prelude, f"return {code.text}"])]
    started = pick(state.choices, ("main().send(None)", "load().send(None)"))
    lines = [*load, "async def main():", "    return await load()", "try:", f"    {started}"]
    return [*lines, "except StopIteration as stop:", "    return stop.value", "return 0"], code.outer


def _sent_to(state: State, module: Module) -> Body:
    code = expression(state, module, deferred=True)
    walk = ["def walk():", "    received = yield 1", *indent([*code.prelude, f"yield received + {code.text}"])]
    used = pick(state.choices, ("return walker.send(next(walker))", "walker.close()\nreturn 1"))
    return [*walk, "walker = walk()", *used.split("\n")], code.outer


def _delegated(state: State, module: Module) -> Body:
    code = expression(state, module, deferred=True)
    inner = ["def inner():", "    yield 1", *indent([*code.prelude, f"return {code.text}"])]
    used = pick(state.choices, ("return sum(outer())", "return next(outer())", "return list(outer())[-1]"))
    return [*inner, "def outer():", "    got = yield from inner()", "    yield got", used], code.outer


def _closed(state: State, module: Module) -> Body:
    code = expression(state, module, deferred=True)
    closing = indent(indent([*code.prelude, f"closed.append({code.text})"]))
    walk = ["closed = []", "def walk():", "    try:", "        yield 1", "    finally:", *closing]
    return [*walk, "walker = walk()", "next(walker)", "walker.close()", "return sum(closed)"], code.outer


def _dropped(state: State, module: Module) -> Body:
    """A ``finally`` that drops the exception."""
    code = expression(state, module, deferred=True, unique=True)
    tried = indent([*code.prelude, f"return {code.text}"])
    return ["try:", *tried, "finally:", f"    {pick(state.choices, ('return 1', 'done = 1'))}"], code.outer


def _iterated(state: State, module: Module) -> Body:
    code = expression(state, module, deferred=True)
    module.libraries.add("itertools")
    used = pick(
        state.choices,
        (
            "return next(iter(take, 0))",
            "return list(itertools.islice(map(lambda _: take(), itertools.count()), 1))[0]",
            "return sum(itertools.chain([take()], (take() for _ in ())))",
            "return next(itertools.dropwhile(lambda number: number < 0, (take() for _ in (1, 2))))",
        ),
    )
    return ["def take():", *indent([*code.prelude, f"return {code.text}"]), used], code.outer


def _in_context(state: State, module: Module) -> Body:
    """A class that is a context manager, and may swallow."""
    code = expression(state, module, deferred=True)
    head = [
        "class Quiet:",
        "    def __enter__(self):",
        "        return 2",
        "    def __exit__(self, kind, error, trace):",
    ]
    kept = pick(state.choices, ("return kind is not None and issubclass(kind, ImportError)", "pass"))
    head += [f"        {kept}", "result = 0", "with Quiet() as number:"]
    return [*head, *indent([*code.prelude, f"result = number + {code.text}"]), "return result"], code.outer


def _evaluated(state: State, module: Module) -> Body:
    """A text that is evaluated."""
    code = expression(state, module, deferred=True)
    return ["def get():", *indent([*code.prelude, f"return {code.text}"]), "return eval('get()')"], code.outer


BODIES: tuple[Callable[[State, Module], Body], ...] = (
    _plain,
    _guarded,
    _branch,
    _caught,
    _converted,
    _finally,
    _suppressed,
    _inner,
    _looped,
    _dead,
    _cached,
    _generator_inside,
    _closure,
    _recursive,
    _star_arguments,
    _while_else,
    _local_class,
    _awaited,
    _sent_to,
    _delegated,
    _closed,
    _dropped,
    _iterated,
    _in_context,
    _evaluated,
)


def simple_body(state: State, module: Module, result: str) -> Body:
    """A body that ends with a statement of its own; ``{}`` in it stands for the expression."""
    code: Code = expression(state, module, deferred=True)
    return [*code.prelude, result.format(code.text)], code.outer
