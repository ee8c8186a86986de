"""Unknown tests: what they decide, and looks at the branches that are not followed."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator

from importcycle.evaluate.core import (
    MOST_NESTED_SPECULATIONS,
    MOST_SPECULATIONS_PER_PLACE,
    SPECULATIONS_PER_PLACE,
    STEPS_OF_A_SPECULATION,
    Core,
    Decision,
)
from importcycle.evaluate.frames import Frame, FrameKind, Guard
from importcycle.evaluate.signals import BudgetExceededError, Raised, Returned
from importcycle.ir import nodes
from importcycle.project.conditions import canonical_test
from importcycle.values.model import (
    Choice,
    ClassValue,
    Constant,
    DictValue,
    External,
    InstanceValue,
    ListValue,
    ModuleValue,
    NamespaceValue,
    NativeFunction,
    SetValue,
    Symbolic,
    TupleValue,
    Value,
)


def nothing() -> None:
    """Settle a speculation that did not take place."""


class Worlds(Core):
    """Decides unknown tests.

    In exact mode every unknown test splits the run: the driver replays it with the values that a script gives. Else one
    world is followed, the likely one, and the branches not taken are looked at in passing.
    """

    def known_truth(self, value: Value) -> bool | None:
        match value:
            case Constant(value=content):
                return bool(content)
            case TupleValue(items=items):
                return bool(items)
            case ListValue(items=items, is_open=is_open) | SetValue(items=items, is_open=is_open):
                return True if items else (None if is_open else False)
            case DictValue(items=items, is_open=is_open):
                return True if items else (None if is_open else False)
            case NamespaceValue(namespace=namespace):
                return bool(namespace) or None
            case InstanceValue(payload=payload):
                return self._truth_of_instance(value, payload)
            case Symbolic(compute=compute) if compute is not None:
                possible = self.constraints.possible(value)
                return next(iter(possible)) if len(possible) == 1 else None
            case External(name="os.environ"):
                return True
            case Symbolic() | External() | Choice():
                return None
        return True

    def _truth_of_instance(self, value: InstanceValue, payload: Value | None) -> bool | None:
        method = self.method_of(value, "__bool__") or self.method_of(value, "__len__")
        if method is not None:
            return self.known_truth(self.call_without_arguments(method))
        if payload is not None:
            return self.known_truth(payload)
        return None if value.is_open or value.cls.is_open else True

    def call_without_arguments(self, function: Value) -> Value:
        """``function()``"""
        from importcycle.evaluate.core import Arguments

        return self.call(function, Arguments())

    def test(self, node: nodes.Expression, frame: Frame, prefer: bool | None = None) -> bool:
        match node:
            case nodes.UnaryOperation(operator="not", operand=operand):
                return not self.test(operand, frame, None if prefer is None else not prefer)
            case nodes.BooleanOperation(operator=operator, operands=operands):
                stops_at = operator == "or"
                for index, operand in enumerate(operands):
                    guards = len(frame.guards)
                    if self.test(operand, frame, None if prefer is stops_at else prefer) is stops_at:
                        if len(frame.guards) > guards:
                            self._look_at_operands(operands[index + 1 :], frame)
                        return stops_at
                return not stops_at
        return self.truth(self.evaluate(node, frame), node, frame, prefer)

    def _look_at_operands(self, rest: tuple[nodes.Expression, ...], frame: Frame) -> None:
        for operand in rest:
            self._look_at_operand(operand, frame)

    def _look_at_operand(self, operand: nodes.Expression, frame: Frame) -> None:
        def look() -> None:
            self.evaluate(operand, frame)

        self.speculate(operand, frame, frame.guards[-1], look)

    def truth(self, value: Value, node: nodes.Expression, frame: Frame, prefer: bool | None = None) -> bool:
        known = self.known_truth(value)
        if known is not None:
            return known
        if isinstance(value, Choice):
            truths = {self.known_truth(each) for each in (value.main, *value.others)}
            main = self.known_truth(value.main)
            if len(truths) == 1 and main is not None:
                return main
            prefer = main if main is not None else prefer
        text = source_text(node, frame)
        if isinstance(value, Symbolic) and not (_says_what(text, value) and self._is_told(value, node, frame)):
            text = value.text  # names of the program say nothing to users: show what they stand for
        if isinstance(value, External):
            prefer = True if prefer is None else prefer
        return self.decide(value, text, node.span[0], frame, prefer)

    def _is_told(self, value: Symbolic, node: nodes.Expression, frame: Frame) -> bool:
        """Whether the source of a test means the same to users, who do not know what the program's variables hold."""
        if value.compute is None:
            return True
        parts = list(expressions_in(node))
        if self.environment or any(isinstance(each, nodes.NamedExpression) for each in parts):
            return False  # what the program has set, or what it binds on the way, is not that of the start
        names = [each.name for each in parts if isinstance(each, nodes.NameLoad)]
        known = (frame.module.namespace.get(name, self.builtins.get(name)) for name in names)
        return all(isinstance(each, External | NativeFunction | ClassValue) for each in known)

    def decide(self, value: Value, text: str, line: int, frame: Frame, prefer: bool | None = None) -> bool:
        is_negated = False
        while isinstance(value, Symbolic) and value.negated is not None:
            value, is_negated = value.negated, not is_negated
        known = self.known_truth(value)
        if known is not None:
            return known is not is_negated
        key = text
        if isinstance(value, Symbolic):
            key = value.text
        elif isinstance(value, External):
            key = value.name
        if self.project.assume:
            assumed = self._assumed(value, text, key, is_negated)
            if assumed is not None:
                return assumed
        truth = self.decisions.get(key)
        is_new = truth is None
        if truth is None:
            possible = self.constraints.possible(value) if isinstance(value, Symbolic) else {True, False}
            if len(possible) == 1:
                return next(iter(possible)) is not is_negated
            truth = self._choose(key, value, None if prefer is None else prefer is not is_negated)
        enables = value.enables if isinstance(value, Symbolic) else ""
        guard = Guard(key, truth, text, truth is not is_negated, frame.code.path, line, enables)
        self.doubts += 1
        if is_new:
            self.made.append(Decision(guard))
            self.trail.set_item(self.decisions, key, truth)
            if isinstance(value, Symbolic) and value.compute is not None:
                self.constraints.add(value, truth)
        frame.guards.append(guard)
        return truth is not is_negated

    def _assumed(self, value: Value, text: str, key: str, is_negated: bool) -> bool | None:
        """The value that the user knows the test to have, as it is written or as what it stands for; no guard."""
        assume = self.project.assume
        shown = assume.get(canonical_test(text))
        if shown is None:
            truth = assume.get(canonical_test(key))
            shown = None if truth is None else truth is not is_negated
        if shown is not None and isinstance(value, Symbolic) and value.compute is not None:
            # Other tests of the same input must not contradict it.
            self.constraints.add(value, shown is not is_negated)
        return shown

    def _choose(self, key: str, value: Value, prefer: bool | None) -> bool:
        if self.is_exact and len(self.made) < len(self.script):
            return self.script[len(self.made)]
        if key in self.expected:
            return self.expected[key]
        if self.preferred is not None:
            return self.preferred
        likely = value.likely if isinstance(value, Symbolic) else None
        if likely is not None:
            known = self.known_truth(likely)
            if known is not None:
                return known
        return prefer if prefer is not None else False

    # ------------------------------------------------------------------------------------------ in passing
    def speculate(
        self, place: nodes.Node, frame: Frame, guard: Guard | None, action: Callable[[], object]
    ) -> Callable[[], None]:
        if self.is_exact or self.speculating >= MOST_NESTED_SPECULATIONS:
            return nothing
        # A module's body runs once in a run: what it then looks at is looked at anew in the next run.
        key = (frame.code.path, place.span, self.runs if frame.kind is FrameKind.MODULE else 0)
        if not self._is_worth_a_look(key, guard):
            return nothing
        changed = self._run_in_passing(frame, guard, action)
        return lambda: self._offer(changed)

    def _is_worth_a_look(self, key: tuple[str, nodes.Span, int], guard: Guard | None) -> bool:
        """A place is looked at a few times, and some more where other tests lead there."""
        looks, tests = self.speculated.setdefault(key, (0, set()))
        asked = "" if guard is None else guard.key
        if looks >= (SPECULATIONS_PER_PLACE if asked in tests else MOST_SPECULATIONS_PER_PLACE):
            return False
        tests.add(asked)
        self.speculated[key] = (looks + 1, tests)
        return True

    def _run_in_passing(
        self, frame: Frame, guard: Guard | None, action: Callable[[], object]
    ) -> list[tuple[dict[str, Value], str, Value]]:
        mark = self.trail.mark()
        saved = (self.frame, self.depth, frame.line, list(frame.guards), self.step_limit, len(self.made))
        tests = self.constraints.add(self.unknown("in passing"), True)
        mutated = len(self.mutated)
        self.step_limit = min(self.step_limit, self.steps + STEPS_OF_A_SPECULATION)
        self.speculating += 1
        if guard is not None:
            flipped = guard.flipped()
            if frame.guards and frame.guards[-1].key == guard.key:
                frame.guards.pop()
            frame.guards.append(flipped)
            self.trail.set_item(self.decisions, guard.key, flipped.value)
        try:
            completion = action()
            if isinstance(completion, Returned):
                frame.alternative_returns.append(completion.value)
        except Raised as error:
            if error.miss is not None:
                self.side_failures.append((error.miss, self._handler_around(saved[0], error)))
        except BudgetExceededError as error:  # the statement around it may be granted more steps than it has now
            self.cut(error.reason)
        finally:
            changed = self._bindings_since(mark)
            containers = list(dict.fromkeys(self.mutated[mutated:]))
            held = [(each, each.items[-MOST_CHOICES:]) for each in containers if isinstance(each, ListValue)]
            self.trail.undo(mark)
            self.speculating -= 1
            self.constraints.forget(tests)
            self.frame, self.depth, frame.line, frame.guards, self.step_limit = saved[:5]
            del self.made[saved[5] :]
            for container in containers:
                if not container.is_open:
                    self.trail.set_attribute(container, "is_open", True)
                    if isinstance(container, DictValue):
                        self.trail.set_attribute(container, "is_doubtful", True)
            for filled, last in held:
                self._note_possible(filled, last)
            if not self.speculating:
                self.mutated.clear()
        return changed

    def _note_possible(self, filled: ListValue, last: list[Value]) -> None:
        """A list ended with these items in a world nearby: those that it does not hold here are kept in mind."""
        known = {id(item) for item in (*filled.items[-MOST_CHOICES:], *filled.possible)}
        new = [item for item in last if id(item) not in known]
        if new and len(filled.possible) < MOST_CHOICES:
            self.trail.set_attribute(filled, "possible", (*filled.possible, *new)[:MOST_CHOICES])

    def look_elsewhere(self, place: Hashable, action: Callable[[], Value | None]) -> Value | None:
        if self.speculating >= MOST_NESTED_SPECULATIONS:
            return None
        if place is not None:
            looks = self.looked_elsewhere.get(place, 0)
            if looks >= SPECULATIONS_PER_PLACE:
                return None
            self.looked_elsewhere[place] = looks + 1
        running = self.running
        mark = self.trail.mark()
        here = (self.frame, self.depth, running.line, list(running.guards), self.step_limit, len(self.misses))
        self.step_limit = min(self.step_limit, self.steps + STEPS_OF_A_SPECULATION)
        self.speculating += 1
        try:
            return action()
        except Raised:
            return None
        except BudgetExceededError as error:
            self.cut(error.reason)
            return None
        finally:
            self.speculating -= 1
            self.trail.undo(mark)
            self.frame, self.depth, running.line, running.guards, self.step_limit = here[:5]
            del self.misses[here[5] :]

    def _handler_around(self, frame: Frame | None, error: Raised) -> tuple[str, int] | None:
        """Overridden where handlers are known: the handler that would have caught the exception."""
        return None

    def _bindings_since(self, mark: int) -> list[tuple[dict[str, Value], str, Value]]:
        loaded = self.import_system.loaded_modules()
        found = []
        for mapping, key, _ in self.trail.changed_items(mark):
            if mapping is loaded or mapping is self.decisions or not isinstance(key, str) or key not in mapping:
                continue
            value = mapping[key]
            if isinstance(value, Value):
                found.append((mapping, key, value))
        return found  # type: ignore[return-value]

    def _offer(self, changed: list[tuple[dict[str, Value], str, Value]]) -> None:
        """Bind what a look in passing bound: as the value where there is none, else as a further choice."""
        loaded = self.import_system.loaded_modules()
        for mapping, key, value in changed:
            if isinstance(value, ModuleValue) and loaded.get(value.name) is not value:
                continue  # loaded only in passing
            current = mapping.get(key)
            if current is None:
                self.trail.set_item(mapping, key, value)
            elif current is not value:
                self.trail.set_item(mapping, key, joined(current, value))


MOST_CHOICES = 4


def joined(main: Value, other: Value) -> Value:
    """The first value, or one nearby: plain data is not kept apart, only what can be called or has attributes."""
    if other is main:
        return main
    if isinstance(other, Choice):
        other = other.main
    if isinstance(other, Constant) and other.value is not None and not isinstance(other.value, str):
        return main
    if isinstance(main, Choice):
        if len(main.others) + 1 >= MOST_CHOICES or other in (main.main, *main.others):
            return main
        return Choice(main.main, (*main.others, other))
    if isinstance(main, Constant) and isinstance(other, Constant) and main.value == other.value:
        return main
    return Choice(main, (other,))


def expressions_in(node: nodes.Node) -> Iterator[nodes.Node]:
    """The node and all nodes below it."""
    pending: list[object] = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, tuple):
            pending.extend(each)
        elif isinstance(each, nodes.Node):
            yield each
            for cls in type(each).__mro__:
                pending.extend(getattr(each, name) for name in getattr(cls, "__slots__", ()))


def _says_what(text: str, value: Symbolic) -> bool:
    """Whether the source of a test tells what it asks of the machine, or is all that can be told of it."""
    if value.compute is not None:
        return re.search(r"\b(os|sys|platform)\.", text) is not None
    return any(sign in text for sign in ".([")


def source_text(node: nodes.Expression, frame: Frame) -> str:
    """An expression as its source spells it, on one line."""
    first, start, last, end = node.span
    lines = frame.code.lines
    if not 0 < first <= last <= len(lines):
        return "?"
    if isinstance(node, nodes.Call):  # the span of a call begins at its attribute's line
        first = min(first, _first_line(node))
    if first == last:
        return lines[first - 1].encode()[start:end].decode(errors="replace")
    parts = [lines[first - 1].encode()[start:].decode(errors="replace"), *lines[first : last - 1]]
    parts.append(lines[last - 1].encode()[:end].decode(errors="replace"))
    return " ".join(part.strip() for part in parts)


def _first_line(node: nodes.Expression) -> int:
    while True:
        match node:
            case nodes.Call(function=inner) | nodes.AttributeLoad(value=inner) | nodes.SubscriptLoad(value=inner):
                node = inner
            case _:
                return node.span[0]
