"""contextlib.ExitStack: a context manager that keeps others, and what is to be called in the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.evaluate.signals import Raised
from importcycle.values.model import NONE, NativeFunction, Value, WrapperValue

Exit: TypeAlias = Callable[["Raised | None"], bool]
"""What is to be done in the end, given the exception that leaves; whether it hides that."""


def _exit_stack(machine: Core, arguments: Arguments) -> Value:
    return _stack_of(())


def _stack_of(exits: tuple[Exit, ...]) -> WrapperValue:
    stack = WrapperValue("stack", NONE)
    stack.state["exits"] = exits

    def enter(machine: Core, arguments: Arguments) -> Value:
        manager = arguments.positional[0]
        entered = machine.enter_context(manager)
        _push(machine, stack, lambda error: machine.exit_context(manager, error))
        return entered

    def push(machine: Core, arguments: Arguments) -> Value:
        given = arguments.positional[0]
        if machine.method_of(given, "__exit__") is not None:
            _push(machine, stack, lambda error: machine.exit_context(given, error))
        else:
            _push(machine, stack, lambda error: _call_exit(machine, given, error))
        return given

    def callback(machine: Core, arguments: Arguments) -> Value:
        function = arguments.positional[0]

        def run(error: Raised | None) -> bool:
            machine.call(function, arguments.after_first())
            return False

        _push(machine, stack, run)
        return function

    def close(machine: Core, arguments: Arguments) -> Value:
        machine.exit_context(stack, None)
        return NONE

    def pop_all(machine: Core, arguments: Arguments) -> Value:
        moved = _stack_of(stack.state["exits"])
        machine.trail.set_item(stack.state, "exits", ())
        return moved

    models: dict[str, Model] = {
        **dict.fromkeys(("enter_context", "enter_async_context"), enter),
        **dict.fromkeys(("push", "push_async_exit"), push),
        **dict.fromkeys(("callback", "push_async_callback"), callback),
        **dict.fromkeys(("close", "aclose"), close),
        "pop_all": pop_all,
    }
    stack.attributes.update({name: NativeFunction(name, model) for name, model in models.items()})
    return stack


def _push(machine: Core, stack: WrapperValue, action: Exit) -> None:
    machine.trail.set_item(stack.state, "exits", (*stack.state["exits"], action))


def _call_exit(machine: Core, function: Value, error: Raised | None) -> bool:
    """A function with the signature of ``__exit__``."""
    details: tuple[Value, ...] = (NONE, NONE, NONE)
    if error is not None:
        cls = machine.class_of(error.value) or machine.unknown(error.type_name)
        details = (cls, error.value, machine.unknown("traceback"))
    return machine.known_truth(machine.call(function, Arguments(details))) is True and error is not None


MODELS: dict[str, Model] = {"contextlib.ExitStack": _exit_stack, "contextlib.AsyncExitStack": _exit_stack}
