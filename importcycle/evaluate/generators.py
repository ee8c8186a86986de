"""Bodies of generator functions: run only as far as their next yield."""

from __future__ import annotations

from collections.abc import Generator
from functools import lru_cache
from typing import TypeAlias

from importcycle.evaluate.frames import Frame
from importcycle.evaluate.signals import Completion, Jump, Raised, Returned
from importcycle.evaluate.statements import MOST_ITERATIONS_UNKNOWN, Statements
from importcycle.ir import nodes
from importcycle.values.model import NONE, Value

Steps: TypeAlias = Generator[Value, Value | None, Completion]
"""Yields what the body yields, is sent what the body is sent; returns how the block ended."""


class Generators(Statements):
    """Runs the statements that hold a yield one yield at a time; all others are executed as usual."""

    def iterate_generator(self, block: nodes.Block, frame: Frame) -> Generator[Value, Value | None, Value]:
        completion = yield from self._steps(block, frame)
        return completion.value if isinstance(completion, Returned) else NONE

    def _steps(self, block: nodes.Block, frame: Frame) -> Steps:
        for statement in block:
            frame.line = statement.span[0]
            self.step()
            if not _yields(statement):
                completion = self.execute((statement,), frame)
            else:
                completion = yield from self._statement_steps(statement, frame)
            if completion is not None:
                return completion
        return None

    def _statement_steps(self, statement: nodes.Statement, frame: Frame) -> Steps:
        match statement:
            case nodes.ExpressionStatement(value=nodes.Yield() | nodes.YieldFrom() as value):
                yield from self._expression_steps(value, frame)
            case nodes.Assign(targets=targets, value=nodes.Yield() | nodes.YieldFrom() as value):
                result = yield from self._expression_steps(value, frame)
                for target in targets:
                    self.store(target, result, frame)
            case nodes.Return(value=nodes.Yield() | nodes.YieldFrom() as value):
                return Returned((yield from self._expression_steps(value, frame)))
            case nodes.If(test=test, body=body, otherwise=otherwise):
                is_true = self.test(test, frame)
                return (yield from self._steps(body if is_true else otherwise, frame))
            case nodes.For():
                return (yield from self._for_steps(statement, frame))
            case nodes.While():
                return (yield from self._while_steps(statement, frame))
            case nodes.Try():
                return (yield from self._try_steps(statement, frame))
            case nodes.With():
                return (yield from self._with_steps(statement, 0, frame))
            case _:  # a yield deep in an expression: what is sent is not known
                return self.execute((statement,), frame)
        return None

    def _expression_steps(
        self, value: nodes.Yield | nodes.YieldFrom, frame: Frame
    ) -> Generator[Value, Value | None, Value]:
        operand = NONE if value.value is None else self.evaluate(value.value, frame)
        if isinstance(value, nodes.Yield):
            sent = yield operand
            return NONE if sent is None else sent
        items = self.iterate(operand) or iter(())
        if isinstance(items, Generator):
            returned = yield from items
            return returned if isinstance(returned, Value) else NONE
        for item in items:  # noqa: UP028 (what is sent goes to no iterator that is not a generator)
            yield item
        return NONE

    def _for_steps(self, node: nodes.For, frame: Frame) -> Steps:
        items = self.iterate(self.evaluate(node.iterable, frame))
        for item in items or ():
            self.store(node.target, item, frame)
            completion = yield from self._steps(node.body, frame)
            if isinstance(completion, Returned):
                return completion
            if completion is Jump.BREAK:
                return None
            frame.line = node.span[0]
        return (yield from self._steps(node.otherwise, frame))

    def _while_steps(self, node: nodes.While, frame: Frame) -> Steps:
        unknown_rounds = 0
        while True:
            made = len(self.made)
            if not self.test(node.test, frame):
                return (yield from self._steps(node.otherwise, frame))
            completion = yield from self._steps(node.body, frame)
            if isinstance(completion, Returned):
                return completion
            if completion is Jump.BREAK:
                return None
            unknown_rounds += len(self.made) > made
            if unknown_rounds >= MOST_ITERATIONS_UNKNOWN:
                return None
            self.step()

    def _try_steps(self, node: nodes.Try, frame: Frame) -> Steps:
        completion: Completion = None
        try:
            try:
                completion = yield from self._steps(node.body, frame)
            except Raised as error:
                handler = self._matching_handler(node, error, frame)
                if handler is None:
                    raise
                completion = yield from self._handler_steps(handler, error, frame)
            else:
                if completion is None:
                    completion = yield from self._steps(node.otherwise, frame)
        except Raised as error:
            final = yield from self._steps(node.final, frame)
            if final is not None:
                self.note_swallowed(error, frame, node.final[0].span[0])
                return final
            raise
        final = yield from self._steps(node.final, frame)
        return final if final is not None else completion

    def _handler_steps(self, handler: nodes.Handler, error: Raised, frame: Frame) -> Steps:
        if handler.name is not None:
            self.store_name(handler.name, error.value, frame)
        frame.handled.append(error)
        try:
            completion = yield from self._steps(handler.body, frame)
        except Raised as raised:
            if raised.miss is None and error.miss is not None:
                raised.miss = error.miss
            raise
        finally:
            frame.handled.pop()
            self._unbind(handler.name, frame)
        self.note_swallowed(error, frame, handler.span[0])
        return completion

    def _with_steps(self, node: nodes.With, index: int, frame: Frame) -> Steps:
        if index == len(node.items):
            return (yield from self._steps(node.body, frame))
        item = node.items[index]
        manager = self.evaluate(item.context, frame)
        entered = self.enter_context(manager)
        if item.target is not None:
            self.store(item.target, entered, frame)
        try:
            completion = yield from self._with_steps(node, index + 1, frame)
        except Raised as error:
            if not self.exit_context(manager, error):
                raise
            self.note_swallowed(error, frame, item.span[0])
            return None
        self.exit_context(manager, None)
        return completion


@lru_cache(maxsize=4096)
def _yields(node: object) -> bool:
    """Whether a yield stands in a statement or expression (not in a nested function)."""
    pending: list[object] = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, nodes.Yield | nodes.YieldFrom):
            return True
        if isinstance(each, tuple):
            pending.extend(each)
        elif isinstance(each, nodes.Node) and not isinstance(each, nodes.FunctionDefinition | nodes.ClassDefinition):
            for cls in type(each).__mro__:
                pending.extend(getattr(each, name) for name in getattr(cls, "__slots__", ()))
    return False
