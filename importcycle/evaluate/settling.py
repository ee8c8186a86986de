"""Values that unknown inputs determine, made known: one world for each content that they can have."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Collection
from typing import Any

from importcycle.evaluate.core import Core
from importcycle.evaluate.symbols import apply, is_compound
from importcycle.ir import nodes
from importcycle.values.model import Symbolic, Value, constant

MOST_CONTENTS = 16
"""Contents of one value that are told apart, each in a world of its own."""


class Settling(Core):
    """Splits the run by the content of a value, where what is done with it needs more than a truth value."""

    def settled(self, value: Value) -> Value:
        if not (self.is_exact and isinstance(value, Symbolic) and value.compute is not None):
            return value
        contents = self.constraints.contents(value)
        if not 0 < len(contents) <= MOST_CONTENTS:
            return value
        return constant(self._first_equal(value, contents[:-1], contents[-1]))

    def settled_among(self, value: Value, wanted: Collection[str]) -> Value:
        if not (self.is_exact and isinstance(value, Symbolic) and value.compute is not None):
            return value
        self.constraints.note_results(value, wanted)
        contents = self.constraints.contents(value)
        chosen = [content for content in contents if isinstance(content, str) and content in wanted]
        others = [content for content in contents if content not in chosen]
        if not contents or len(chosen) > MOST_CONTENTS:
            return value
        last = others[-1] if others else chosen.pop()
        return constant(self._first_equal(value, chosen, last))

    def settled_truth(self, value: Value) -> bool | None:
        truth = self.known_truth(value)
        if truth is None and self.is_exact:
            return self.decide(value, self.describe(value), self.running.line, self.running, False)
        return truth

    def _first_equal(self, value: Symbolic, contents: list[Any], last: Any) -> Any:
        """The first of the contents that the value has in this world; else the last one."""
        shown = f"({value.text})" if is_compound(value.text) else value.text
        for content in contents:
            text = f"{shown} is None" if content is None else f"{shown} == {content!r}"
            test = apply(text, lambda given, content=content: given == content, value)
            if self.decide(test, text, self.running.line, self.running):
                return content
        return last

    def raise_where(
        self, value: Value, function: Callable[[Any], Any], valid: str, error_type: str, result: str
    ) -> None:
        if not (self.is_exact and isinstance(value, Symbolic) and value.compute is not None):
            return
        if self._is_handled(error_type):
            test = apply(valid, lambda content: _succeeds(function, content), value)
            test.enables = result
            if not self.decide(test, valid, self.running.line, self.running):
                self.raise_error(error_type)

    def raise_where_none(self, value: Value, error_type: str, result: str) -> None:
        if self.attempts and isinstance(value, Symbolic):
            shown = f"({value.text})" if is_compound(value.text) else value.text
            self.raise_where(value, _refuse_none, f"{shown} is not None", error_type, result)

    def is_awaited(self, error_type: str) -> bool:
        """Whether the innermost running try statement names just this exception."""
        node = self.attempts[-1] if self.attempts else None
        return node is not None and any(
            isinstance(handler.type, nodes.NameLoad) and handler.type.name == error_type for handler in node.handlers
        )

    def _is_handled(self, error_type: str) -> bool:
        """Whether a running try statement names the exception, or one that it derives from, as far as names tell."""
        names = {each.__name__ for each in getattr(builtins, error_type).__mro__}
        return any(_catches_by_name(handler, names) for node in self.attempts for handler in node.handlers)


def _catches_by_name(handler: nodes.Handler, names: set[str]) -> bool:
    match handler.type:
        case None:
            return True
        case nodes.NameLoad(name=name):
            return name in names
        case nodes.Display(elements=elements):
            return any(isinstance(each, nodes.NameLoad) and each.name in names for each in elements)
    return False


def _refuse_none(content: Any) -> None:
    if content is None:
        raise TypeError


def _succeeds(function: Callable[[Any], Any], content: Any) -> bool:
    try:
        function(content)
    except Exception:
        return False
    return True
