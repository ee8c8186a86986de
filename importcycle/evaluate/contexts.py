"""Context managers: what ``with`` enters and leaves."""

from __future__ import annotations

from importcycle.evaluate.core import Arguments, Core
from importcycle.evaluate.signals import Raised
from importcycle.values.model import NONE, Choice, GeneratorValue, InstanceValue, Value, WrapperValue


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
            case InstanceValue():
                method = self.method_of(manager, "__enter__") or self.method_of(manager, "__aenter__")
                if method is not None:
                    return self.call(method, Arguments())
                if not (manager.is_open or manager.cls.is_open):
                    self.raise_error("TypeError", f"'{manager.cls.name}' object is not a context manager")
            case Choice(main=main):
                return self.enter_context(main)
        self.uncertain_events += 1
        return self.unknown(f"{self.describe(manager)}.__enter__()")

    def exit_context(self, manager: Value, error: Raised | None) -> bool:
        match manager:
            case WrapperValue(kind="context", function=GeneratorValue(iterator=iterator)):
                return self._leave_generator(iterator, error)
            case WrapperValue(kind="suppress", function=handled):
                return error is not None and self.catches(handled, error)
            case InstanceValue():
                method = self.method_of(manager, "__exit__") or self.method_of(manager, "__aexit__")
                if method is None:
                    return False
                details: tuple[Value, ...] = (NONE, NONE, NONE)
                if error is not None:
                    cls = self.class_of(error.value) or self.unknown(error.type_name)
                    details = (cls, error.value, self.unknown("traceback"))
                result = self.call(method, Arguments(details))
                return error is not None and self.known_truth(result) is True
            case Choice(main=main):
                return self.exit_context(main, error)
        return False

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
