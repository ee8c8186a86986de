"""Context managers: what ``with`` enters and leaves."""

from __future__ import annotations

from typing import NoReturn

from importcycle.evaluate.core import Arguments, Core
from importcycle.evaluate.signals import Raised
from importcycle.values.model import (
    NONE,
    Choice,
    Constant,
    CoroutineValue,
    DictValue,
    External,
    FunctionValue,
    GeneratorValue,
    InstanceValue,
    ListValue,
    ModuleValue,
    SetValue,
    TupleValue,
    Value,
    WrapperValue,
)


class Contexts(Core):
    """Enters and leaves context managers by their kind."""

    def enter_context(self, manager: Value) -> Value:
        match manager:
            case WrapperValue(kind="context", function=GeneratorValue(iterator=iterator)):
                try:
                    return next(iterator)
                except StopIteration:
                    self.raise_error("RuntimeError", "generator didn't yield")
            case WrapperValue(kind="nullcontext" | "closing", function=content):
                return content
            case WrapperValue(kind="suppress"):
                return NONE
            case WrapperValue(kind="stack"):
                return manager
            case InstanceValue():
                method = self.method_of(manager, "__enter__") or self.method_of(manager, "__aenter__")
                leave = self.method_of(manager, "__exit__") or self.method_of(manager, "__aexit__")
                if method is not None and (leave is not None or manager.is_open or manager.cls.is_open):
                    return _awaited(self.call(method, Arguments()))
                if any(_is_context_base(each) for each in manager.cls.mro):
                    return manager
                if not (manager.is_open or manager.cls.is_open):
                    self._refuse_context(manager.cls.name)
            case Choice(main=main):
                return self.enter_context(main)
            case Constant() | TupleValue() | ListValue() | DictValue() | SetValue() | FunctionValue() | ModuleValue():
                self._refuse_context(self.describe(manager))
        self.uncertain_events += 1
        return self.unknown(f"{self.describe(manager)}.__enter__()")

    def _refuse_context(self, shown: str) -> NoReturn:
        name = "TypeError" if self.project.python_version >= (3, 11) else "AttributeError"
        self.raise_error(name, f"'{shown}' object does not support the context manager protocol")

    def exit_context(self, manager: Value, error: Raised | None) -> bool:
        match manager:
            case WrapperValue(kind="context", function=GeneratorValue(iterator=iterator)):
                return self._leave_generator(iterator, error)
            case WrapperValue(kind="suppress", function=handled):
                return error is not None and self.catches(handled, error)
            case WrapperValue(kind="stack"):
                return self._unwind(manager, error)
            case WrapperValue(kind="closing", function=content):
                self.call_method(content, "close")
                return False
            case InstanceValue():
                method = self.method_of(manager, "__exit__") or self.method_of(manager, "__aexit__")
                if method is None:
                    return False
                details: tuple[Value, ...] = (NONE, NONE, NONE)
                if error is not None:
                    cls = self.class_of(error.value) or self.unknown(error.type_name)
                    details = (cls, error.value, self.unknown("traceback"))
                result = _awaited(self.call(method, Arguments(details)))
                return error is not None and self.known_truth(result) is True
            case Choice(main=main):
                return self.exit_context(main, error)
        return False

    def _unwind(self, stack: WrapperValue, error: Raised | None) -> bool:
        """contextlib.ExitStack.__exit__: what was put in last comes first; each sees what the one before has left."""
        exits = list(stack.state["exits"])
        self.trail.set_item(stack.state, "exits", ())
        leaving = error
        while exits:
            try:
                if exits.pop()(leaving):
                    leaving = None
            except Raised as raised:
                if leaving is not None and raised.miss is None:
                    raised.miss = leaving.miss
                leaving = raised
        if leaving is not None and leaving is not error:
            raise leaving
        return error is not None and leaving is None

    def call_within(self, manager: Value, function: Value, arguments: Arguments) -> Value:
        frame = self.running
        line = frame.line
        self.enter_context(manager)
        try:
            result = self.call(function, arguments)
        except Raised as error:
            if not self.exit_context(manager, error):
                raise
            self.note_swallowed(error, frame, line)
            return NONE
        self.exit_context(manager, None)
        return result

    def _leave_generator(self, iterator: object, error: Raised | None) -> bool:
        """contextlib._GeneratorContextManager.__exit__"""
        if error is None:
            next(iterator, None)  # type: ignore[call-overload]
            return False
        try:
            iterator.throw(error)  # type: ignore[attr-defined]
        except StopIteration:
            return True
        except Raised as raised:
            if raised is error:
                return False
            raise
        return False


def _awaited(value: Value) -> Value:
    return value.run() if isinstance(value, CoroutineValue) else value


def _is_context_base(cls: Value) -> bool:
    """Whether a base class has an ``__enter__`` that gives the manager itself."""
    return isinstance(cls, External) and cls.name.endswith("contextlib.AbstractContextManager")
