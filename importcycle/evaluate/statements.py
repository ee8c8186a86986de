"""Statements: assignments, branches, loops, handlers, definitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from importcycle.evaluate.core import STEPS_OF_A_STATEMENT, Arguments, Core
from importcycle.evaluate.environment import environment_view, is_environment
from importcycle.evaluate.frames import MODULE, Frame, FrameKind, Guard
from importcycle.evaluate.signals import BudgetExceededError, Completion, Jump, Raised, Returned
from importcycle.evaluate.symbols import apply
from importcycle.evaluate.worlds import source_text
from importcycle.ir import nodes
from importcycle.values.model import (
    FALSE,
    NONE,
    BoundMethod,
    ClassValue,
    Constant,
    DictValue,
    External,
    FunctionValue,
    InstanceValue,
    ListValue,
    Namespace,
    SliceValue,
    Symbolic,
    TupleValue,
    Value,
    key_of,
)

MOST_ITERATIONS_UNKNOWN = 3
"""Rounds of a loop that only unknown tests can end."""


MOST_DOUBTFUL_ROUNDS = 100
"""Rounds in which something is asked that is not known, though it was asked before."""
MOST_ROUNDS = 10_000
"""Rounds of a while loop that are played."""


class Statements(Core):
    """Executes statements by the type of their node."""

    _statements: dict[type[nodes.Statement], Callable[[Any, Frame], Completion]]

    def _statement_table(self) -> dict[type[nodes.Statement], Callable[[Any, Frame], Completion]]:
        return {
            nodes.ExpressionStatement: self._expression_statement,
            nodes.Assign: self._assign,
            nodes.AugmentedAssign: self._augmented_assign,
            nodes.AnnotatedAssign: self._annotated_assign,
            nodes.Delete: self._delete,
            nodes.If: self._if,
            nodes.For: self._for,
            nodes.While: self._while,
            nodes.Try: self._try,
            nodes.With: self._with,
            nodes.FunctionDefinition: self._function_definition,
            nodes.ClassDefinition: self._class_definition,
            nodes.Return: self._return,
            nodes.Raise: self._raise,
            nodes.Assert: self._assert,
            nodes.Import: self._import,
            nodes.ImportFrom: self._import_from,
            nodes.Break: lambda node, frame: Jump.BREAK,
            nodes.Continue: lambda node, frame: Jump.CONTINUE,
            nodes.Match: self._match,
            nodes.TypeAlias_: self._type_alias,
            nodes.Opaque: self._opaque,
        }

    def execute(self, block: nodes.Block, frame: Frame) -> Completion:
        table = self._statements
        is_bounded = frame.kind is MODULE and self.goes_on
        for index, statement in enumerate(block):
            frame.line = statement.span[0]
            self.steps += 1
            if self.steps > self.step_limit:
                self.extend_budget()
            run = table[type(statement)]
            guards = len(frame.guards)
            if is_bounded and type(statement) not in _BRANCHES:
                completion = self._execute_bounded(run, statement, frame)
            else:
                completion = run(statement, frame)
            if completion is not None:
                if len(frame.guards) > guards and type(statement) is nodes.If and not self.is_exact:
                    self._look_at_rest(statement, block[index + 1 :], frame)
                return completion
        return None

    def _look_at_rest(self, statement: nodes.If, rest: nodes.Block, frame: Frame) -> None:
        """An unknown test has ended the block: in a world nearby it goes on."""
        if rest and not (statement.body and statement.otherwise):
            self.speculate(rest[0], frame, frame.guards[-1], lambda: self.execute(rest, frame))()

    def _execute_bounded(
        self, run: Callable[[Any, Frame], Completion], statement: nodes.Statement, frame: Frame
    ) -> Completion:
        """Run a module-level statement with a budget of its own: if that is exceeded, the next one follows."""
        limit, known_since = self.step_limit, self.known_since
        depth, stack = self.depth, self.frame
        given = self.step_limit = min(limit, self.steps + STEPS_OF_A_STATEMENT)
        self.known_since = len(self.made)
        try:
            return run(statement, frame)
        except BudgetExceededError as error:
            if self.steps >= limit + self.step_limit - given:
                raise
            self.cut(error.reason)
            self.trail.set_attribute(frame.module, "is_open", True)
            self.frame, self.depth = stack, depth
            return None
        finally:
            # What it loaded, or was granted, is granted to all around.
            self.step_limit = limit + self.step_limit - given
            self.known_since = known_since

    def _opaque(self, node: nodes.Opaque, frame: Frame) -> Completion:
        self.cut(node.reason, is_early=True)
        return Returned(self.unknown("code that cannot be parsed"))

    # ------------------------------------------------------------------------------------------ simple ones
    def _expression_statement(self, node: nodes.ExpressionStatement, frame: Frame) -> Completion:
        self.evaluate(node.value, frame)
        return None

    def _assign(self, node: nodes.Assign, frame: Frame) -> Completion:
        value = self.evaluate(node.value, frame)
        for target in node.targets:
            self.store(target, value, frame)
        return None

    def _augmented_assign(self, node: nodes.AugmentedAssign, frame: Frame) -> Completion:
        left = self.evaluate(node.load, frame)
        right = self.evaluate(node.value, frame)
        frame.line = node.span[0]
        if isinstance(left, ListValue) and node.operator == "+":
            items = self.sequence_of(right)
            if items is None:
                self.trail.set_attribute(left, "is_open", True)
            else:
                self.trail.replace(left.items, [*left.items, *items])
            self.store(node.target, left, frame)
            return None
        special = _IN_PLACE.get(node.operator)
        method = self.method_of(left, special) if special and isinstance(left, InstanceValue) else None
        value = self.call(method, Arguments((right,))) if method else self.binary(node.operator, left, right)
        self.store(node.target, value, frame)
        return None

    def _annotated_assign(self, node: nodes.AnnotatedAssign, frame: Frame) -> Completion:
        if node.value is not None:
            self.store(node.target, self.evaluate(node.value, frame), frame)
        if frame.kind is FrameKind.FUNCTION:  # annotations of local names are not evaluated
            return None
        annotation: Value | None = None
        if not self._annotations_are_postponed(frame):
            annotation = self.evaluate(node.annotation, frame)
        if node.simple and isinstance(node.target, nodes.NameTarget):
            self._note_annotation(node.target.name, annotation, frame, node.annotation)
        return None

    def _annotations_are_postponed(self, frame: Frame) -> bool:
        """PEP 563, and PEP 649 from Python 3.14."""
        return frame.code.future_annotations or self.project.python_version >= (3, 14)

    def _note_annotation(self, name: str, annotation: Value | None, frame: Frame, node: nodes.Expression) -> None:
        namespace = frame.module.namespace if frame.kind is MODULE else frame.locals
        known = namespace.get("__annotations__")
        if not isinstance(known, DictValue):
            known = DictValue()
            self.trail.set_item(namespace, "__annotations__", known)
        key = Constant(name)
        if annotation is not None:
            value = annotation
        elif frame.code.future_annotations:
            value = Constant(source_text(node, frame))
        else:
            value = self.unknown(f"annotation of {name}")
        self.trail.set_item(known.items, ("str", name), (key, value))

    def _delete(self, node: nodes.Delete, frame: Frame) -> Completion:
        for target in node.targets:
            self._delete_target(target, frame)
        return None

    def _delete_target(self, target: nodes.Target, frame: Frame) -> None:
        match target:
            case nodes.NameTarget(name=name):
                is_global = frame.kind is MODULE or name in frame.global_names
                namespace = frame.module.namespace if is_global else frame.locals
                if name in namespace:
                    self.trail.delete_item(namespace, name)
                elif not frame.module.is_open:
                    self.raise_error("NameError", f"name '{name}' is not defined", explicit=True)
            case nodes.AttributeTarget(value=value, name=name):
                self.delete_attribute(self.evaluate(value, frame), name)
            case nodes.SubscriptTarget(value=value, index=index):
                self.delete_item(self.evaluate(value, frame), self.evaluate(index, frame))
            case nodes.SequenceTarget(elements=elements):
                for element in elements:
                    self._delete_target(element, frame)

    def store(self, target: nodes.Target, value: Value, frame: Frame) -> None:
        if type(target) is nodes.NameTarget:  # nearly all
            self.store_name(target.name, value, frame)
            return
        match target:
            case nodes.AttributeTarget(value=owner, name=name):
                holder = self.evaluate(owner, frame)
                frame.line = target.span[0]
                self.set_attribute(holder, name, value)
            case nodes.SubscriptTarget(value=owner, index=index):
                holder = self.evaluate(owner, frame)
                key = self.evaluate(index, frame)
                frame.line = target.span[0]
                self.set_item(holder, key, value)
            case nodes.SequenceTarget():
                self._unpack(target, value, frame)

    def _unpack(self, target: nodes.SequenceTarget, value: Value, frame: Frame) -> None:
        count = len(target.elements)
        if type(value) is TupleValue and len(value.items) == count and target.starred < 0:
            for element, item in zip(target.elements, value.items, strict=True):
                self.store(element, item, frame)
            return
        if isinstance(value, Symbolic) and value.compute is not None:
            self._unpack_symbolic(target, value, frame)
            return
        items = self.items_of(value)
        if items is None or (isinstance(value, ListValue) and value.is_open):
            for element in target.elements:
                self.store(element, self.unknown(f"a part of {self.describe(value)}"), frame)
            return
        if target.starred < 0:
            if len(items) != count:
                self.raise_error("ValueError", "wrong number of values to unpack")
            parts: list[Value] = items
        else:
            after = count - target.starred - 1
            if len(items) < count - 1:
                self.raise_error("ValueError", "not enough values to unpack")
            middle = ListValue(items[target.starred : len(items) - after])
            parts = [*items[: target.starred], middle, *items[len(items) - after :]]
        for element, part in zip(target.elements, parts, strict=True):
            self.store(element, part, frame)

    def _unpack_symbolic(self, target: nodes.SequenceTarget, value: Symbolic, frame: Frame) -> None:
        """The parts of what an input determines; that they are as many as wanted is not asked."""
        after = len(target.elements) - target.starred - 1
        for position, element in enumerate(target.elements):
            index: Value = Constant(position)
            if position == target.starred:
                index = SliceValue(index, NONE if not after else Constant(-after), NONE)
            elif 0 <= target.starred < position:
                index = Constant(position - len(target.elements))
            self.store(element, self.get_item(value, index), frame)

    def _return(self, node: nodes.Return, frame: Frame) -> Completion:
        return Returned(NONE if node.value is None else self.evaluate(node.value, frame))

    def _import(self, node: nodes.Import, frame: Frame) -> Completion:
        self.import_system.execute_import(node, frame)
        return None

    def _import_from(self, node: nodes.ImportFrom, frame: Frame) -> Completion:
        self.import_system.execute_import_from(node, frame)
        return None

    def _type_alias(self, node: nodes.TypeAlias_, frame: Frame) -> Completion:
        self.store_name(node.name, self.unknown(node.name), frame)
        return None

    # ------------------------------------------------------------------------------------------ branches
    def _if(self, node: nodes.If, frame: Frame) -> Completion:
        guards = len(frame.guards)
        prefer = None
        if _leaves_by_raise(node.body):
            prefer = False
        elif node.otherwise and _leaves_by_raise(node.otherwise):
            prefer = True
        is_true = self.test(node.test, frame, prefer)
        taken, other = (node.body, node.otherwise) if is_true else (node.otherwise, node.body)
        settle = None
        if len(frame.guards) > guards:
            settle = self._look_at_branch(node, other, frame)
        completion = self.execute(taken, frame)
        if settle is not None:
            settle()
        is_guarded = len(frame.guards) > guards
        if is_guarded and completion is None and (not _can_leave(other) or _leaves_by_raise(other)):
            del frame.guards[guards:]  # whatever the test said, execution goes on here
        return completion

    def _look_at_branch(self, node: nodes.Node, block: nodes.Block, frame: Frame) -> Callable[[], None] | None:
        if not block or self.is_exact:
            return None
        return self.speculate(node, frame, frame.guards[-1], lambda: self.execute(block, frame))

    def _while(self, node: nodes.While, frame: Frame) -> Completion:
        unknown_rounds, doubtful_rounds = 0, 0
        for _ in range(MOST_ROUNDS):
            self.step()
            guards = len(frame.guards)
            made, doubts = len(self.made), self.doubts
            is_true = self.test(node.test, frame)
            if not is_true:
                if len(frame.guards) > guards:
                    settle = self._look_at_branch(node, node.body, frame)
                    if settle is not None:
                        settle()
                del frame.guards[guards:]
                return self.execute(node.otherwise, frame)
            completion = self.execute(node.body, frame)
            if isinstance(completion, Returned):
                return completion
            if completion is Jump.BREAK:
                return None
            if len(self.made) > made or len(frame.guards) > guards:
                unknown_rounds += 1
                if unknown_rounds >= MOST_ITERATIONS_UNKNOWN:
                    return None
            doubtful_rounds += self.doubts > doubts
            if doubtful_rounds >= MOST_DOUBTFUL_ROUNDS:
                return None
            frame.line = node.span[0]
        self.cut(f"a loop of more than {MOST_ROUNDS} rounds")
        return None

    def _for(self, node: nodes.For, frame: Frame) -> Completion:
        iterable = self.evaluate(node.iterable, frame)
        items = self.iterate(iterable)
        if items is None:
            return self._for_unknown(node, iterable, frame)
        made, unknown_rounds = len(self.made), 0
        for item in items:
            self.step()
            self.store(node.target, item, frame)
            completion = self.execute(node.body, frame)
            if isinstance(completion, Returned):
                return completion
            if completion is Jump.BREAK:
                return None
            frame.line = node.span[0]
            if len(self.made) > made:
                made, unknown_rounds = len(self.made), unknown_rounds + 1
        if isinstance(iterable, ListValue) and iterable.is_open:
            self._for_unknown(node, iterable, frame)
        return self.execute(node.otherwise, frame)

    def _for_unknown(self, node: nodes.For, iterable: Value, frame: Frame) -> Completion:
        """The items are not known: none in the world that is followed, one in a world nearby."""
        shown = self.describe(iterable)
        text = f"{shown} has items"
        unknown: Value = self.unknown(f"an item of {shown}")

        def one_round(item: Value = unknown) -> Completion:
            self.store(node.target, item, frame)
            return self.execute(node.body, frame)

        if self.is_exact:
            guards = len(frame.guards)
            # Where names are taken as bound that were asked in vain, what they stand for most often holds something.
            if self.decide(self.unknown(text), text, node.span[0], frame, bool(self.repaired)):
                completion = one_round()
                if isinstance(completion, Returned):
                    return completion
                if completion is Jump.BREAK:
                    return None
            del frame.guards[guards:]
        else:
            possible = iterable.possible if isinstance(iterable, ListValue) else ()
            for index, item in enumerate(possible or (unknown,)):
                key = f"{text} ({index})" if possible else text
                guard = Guard(key, False, text, False, frame.code.path, node.span[0])
                self.speculate(node, frame, guard, partial(one_round, item))()
        return self.execute(node.otherwise, frame)

    def _assert(self, node: nodes.Assert, frame: Frame) -> Completion:
        guards = len(frame.guards)
        if not self.test(node.test, frame, True):
            if node.message is not None:
                self.evaluate(node.message, frame)
            self.raise_error("AssertionError", explicit=True)
        del frame.guards[guards:]
        return None

    # ------------------------------------------------------------------------------------------ exceptions
    def _raise(self, node: nodes.Raise, frame: Frame) -> Completion:
        if node.exception is None:
            handled = self._being_handled(frame)
            if handled is None:
                self.raise_error("RuntimeError", "No active exception to reraise", explicit=True)
            raise handled
        value = self.evaluate(node.exception, frame)
        cause = None if node.cause is None else self.evaluate(node.cause, frame)
        frame.line = node.span[0]
        if isinstance(value, ClassValue | External):
            value = self.call(value, Arguments())
        handled = self._being_handled(frame)
        self._chain(value, cause, handled)
        if handled is not None and handled.value is value:
            raise handled
        error = Raised(value, self.exception_name(value), None, is_explicit=True)
        error.site = (frame.module.name, frame.line)
        raise error

    def _chain(self, value: Value, cause: Value | None, handled: Raised | None) -> None:
        """What an exception tells of the one that it was raised from, or while which it was raised."""
        if not isinstance(value, InstanceValue):
            return
        if cause is not None:
            given = self.call(cause, Arguments()) if isinstance(cause, ClassValue) else cause
            self.trail.set_item(value.attributes, "__cause__", given)
        if handled is not None and handled.value is not value:
            self.trail.set_item(value.attributes, "__context__", handled.value)

    def _being_handled(self, frame: Frame) -> Raised | None:
        scope: Frame | None = frame
        while scope is not None:
            if scope.handled:
                handled: Raised = scope.handled[-1]
                return handled
            scope = scope.caller
        return None

    def exception_name(self, value: Value) -> str:
        if isinstance(value, InstanceValue):
            return value.cls.name
        return self.describe(value).partition("(")[0].rpartition(".")[2] or "Exception"

    def _try(self, node: nodes.Try, frame: Frame) -> Completion:
        if not node.final:
            return self._try_handled(node, frame)
        try:
            completion = self._try_handled(node, frame)
        except Raised as error:
            line = frame.line
            final = self.execute(node.final, frame)
            if final is not None:  # leaving the finally block drops the exception
                self.note_swallowed(error, frame, node.final[0].span[0])
                return final
            frame.line = line
            raise
        final = self.execute(node.final, frame)
        return final if final is not None else completion

    def _try_handled(self, node: nodes.Try, frame: Frame) -> Completion:
        depth = self.frame
        uncertain = self.uncertain_events
        guards = len(frame.guards)
        try:
            self.attempts.append(node)
            try:
                completion = self.execute(node.body, frame)
            finally:
                self.attempts.pop()
        except Raised as error:
            assert self.frame is depth
            del frame.guards[guards:]
            if node.is_group:
                return self._handle_group(node, error, frame)
            handler = self._matching_handler(node, error, frame)
            if handler is None:
                raise
            return self._handle(handler, error, frame)
        settle = None
        if self.uncertain_events > uncertain and not self.is_exact:
            settle = self._look_at_handlers(node, frame)
        if completion is None:
            completion = self.execute(node.otherwise, frame)
        if settle is not None:
            settle()
        return completion

    def _look_at_handlers(self, node: nodes.Try, frame: Frame) -> Callable[[], None] | None:
        """Something outside the target was called or imported: in worlds nearby it raised."""
        line = node.body[0].span[0] if node.body else node.span[0]
        text = frame.code.lines[line - 1].strip()
        settlements = []
        for handler in node.handlers:
            error = self._likely_exception(handler, frame)
            guard = Guard(f"{frame.code.path}:{line}", True, f"{text} succeeds", True, frame.code.path, line)

            def look(handler: nodes.Handler = handler, error: Raised = error) -> Completion:
                return self._handle(handler, error, frame)

            settlements.append(self.speculate(handler, frame, guard, look))

        def settle_all() -> None:
            for settle in settlements:
                settle()

        return settle_all

    def _likely_exception(self, handler: nodes.Handler, frame: Frame) -> Raised:
        value: Value | None = None
        if handler.type is not None:
            try:
                value = self.evaluate(handler.type, frame)
            except Raised:
                value = None
        if isinstance(value, TupleValue) and value.items:
            value = value.items[0]
        name = value.name if isinstance(value, ClassValue | External) else "Exception"
        if isinstance(value, ClassValue):
            return Raised(InstanceValue(value), name)
        return Raised(self.unknown(name), name)

    def _matching_handler(self, node: nodes.Try, error: Raised, frame: Frame) -> nodes.Handler | None:
        for handler in node.handlers:
            if handler.type is None:
                return handler
            frame.line = handler.span[0]
            if self.catches(self.evaluate(handler.type, frame), error):
                return handler
        return None

    def catches(self, handled: Value, error: Raised) -> bool:
        """Whether ``except handled`` catches the exception."""
        if isinstance(handled, TupleValue):
            return any(self.catches(each, error) for each in handled.items)
        if isinstance(error.value, InstanceValue):
            if isinstance(handled, ClassValue | External):
                return bool(self.is_subclass(error.value.cls, handled))
            return False
        if isinstance(handled, ClassValue):
            return handled.name in ("Exception", "BaseException")
        return isinstance(handled, External) and handled.name.endswith(error.type_name)

    def _handle(self, handler: nodes.Handler, error: Raised, frame: Frame) -> Completion:
        if handler.name is not None:
            self.store_name(handler.name, error.value, frame)
        frame.handled.append(error)
        try:
            completion = self.execute(handler.body, frame)
        except Raised as raised:
            if raised.miss is None and error.miss is not None:
                raised.miss = error.miss
            raise
        finally:
            frame.handled.pop()
            self._unbind(handler.name, frame)
        self.note_swallowed(error, frame, handler.span[0])
        return completion

    def _handle_group(self, node: nodes.Try, error: Raised, frame: Frame) -> Completion:
        """``except*``: each handler takes the exceptions of a group that it catches; the rest leaves."""
        members = self._members_of_group(error)
        is_group = members != [error]
        raised: list[Raised] = []
        for handler in node.handlers:
            if handler.type is None:
                continue
            handled = self.evaluate(handler.type, frame)
            caught = [each for each in members if self.catches(handled, each)]
            if not caught:
                continue
            members = [each for each in members if each not in caught]
            try:
                self._handle(handler, self._group_of(caught), frame)
            except Raised as another:
                raised.append(another)
        if not raised and not members:
            return None
        if not is_group and not raised:
            raise error
        raise self._group_of([*raised, *members]) if is_group or len(raised) > 1 else raised[0]

    def _members_of_group(self, error: Raised) -> list[Raised]:
        """The exceptions of a group; of any other exception itself."""
        value = error.value
        if not (isinstance(value, InstanceValue) and value.cls.name.endswith("ExceptionGroup")):
            return [error]
        given = value.attributes.get("args")
        parts = self.items_of(given.items[1]) if isinstance(given, TupleValue) and len(given.items) > 1 else None
        return [Raised(part, self.exception_name(part), error.miss, error.is_explicit) for part in parts or ()]

    def _group_of(self, members: list[Raised]) -> Raised:
        parts = ListValue(each.value for each in members)
        value = self.call(self.builtins.get("ExceptionGroup", NONE), Arguments((Constant(""), parts)))
        miss = next((each.miss for each in members if each.miss is not None), None)
        return Raised(value, "ExceptionGroup", miss, is_explicit=True)

    def _unbind(self, name: str | None, frame: Frame) -> None:
        if name is None:
            return
        is_global = frame.kind is MODULE or name in frame.global_names
        namespace = frame.module.namespace if is_global else frame.locals
        if name in namespace:
            self.trail.delete_item(namespace, name)

    def _with(self, node: nodes.With, frame: Frame) -> Completion:
        return self._with_items(node, 0, frame)

    def _with_items(self, node: nodes.With, index: int, frame: Frame) -> Completion:
        if index == len(node.items):
            return self.execute(node.body, frame)
        item = node.items[index]
        manager = self.evaluate(item.context, frame)
        frame.line = item.span[0]
        entered = self.enter_context(manager)
        if item.target is not None:
            self.store(item.target, entered, frame)
        guards = len(frame.guards)
        try:
            completion = self._with_items(node, index + 1, frame)
        except Raised as error:
            del frame.guards[guards:]
            line, frame.line = frame.line, item.span[0]
            if not self.exit_context(manager, error):
                frame.line = line
                raise
            self.note_swallowed(error, frame, item.span[0])
            return None
        line, frame.line = frame.line, item.span[0]
        self.exit_context(manager, None)
        frame.line = line
        return completion

    # ------------------------------------------------------------------------------------------ definitions
    def _function_definition(self, node: nodes.FunctionDefinition, frame: Frame) -> Completion:
        decorators = [self.evaluate(decorator, frame) for decorator in node.decorators]
        defaults = tuple(self.evaluate(default, frame) for default in node.defaults)
        keyword_defaults = {name: self.evaluate(default, frame) for name, default in node.keyword_defaults}
        scope = self._scope_of(node.type_parameters, frame)
        function = FunctionValue(node.code, frame.module, scope, defaults, keyword_defaults)
        if self._annotations_are_postponed(frame):
            function.annotations = {name: (expression, scope) for name, expression in node.annotations}
        else:
            function.annotations = {name: self.evaluate(expression, scope) for name, expression in node.annotations}
        self.store_name(node.code.name, self._decorate(function, decorators, node.decorators, frame), frame)
        return None

    def _scope_of(self, type_parameters: tuple[str, ...], frame: Frame) -> Frame:
        """The scope in which a definition with these type parameters stands."""
        if not type_parameters:
            return frame
        values: dict[str, Value] = {name: self.unknown(name) for name in type_parameters}
        scope = Frame(FrameKind.TYPE_PARAMETERS, frame.module, frame.code, frame.name, values, frame, frame.function)
        scope.local_names = frozenset(type_parameters)
        scope.line = frame.line
        return scope

    def _decorate(
        self, value: Value, decorators: list[Value], expressions: tuple[nodes.Expression, ...], frame: Frame
    ) -> Value:
        for decorator, expression in zip(reversed(decorators), reversed(expressions), strict=True):
            frame.line = expression.span[0]
            result = self.call(decorator, Arguments((value,)))
            # A decorator that is not known most often gives back what it was given, or something that acts like it.
            is_known = isinstance(decorator, FunctionValue | BoundMethod)
            if isinstance(result, Symbolic) and (
                isinstance(decorator, External | Symbolic) or (is_known and not self.is_exact)
            ):
                if isinstance(value, ClassValue):
                    self.trail.set_attribute(value, "is_open", True)
                continue
            value = result
        return value

    def _class_definition(self, node: nodes.ClassDefinition, frame: Frame) -> Completion:
        decorators = [self.evaluate(decorator, frame) for decorator in node.decorators]
        bases: list[Value] = []
        scope = self._scope_of(node.type_parameters, frame)
        for base in node.bases:
            value = self.evaluate(base, scope)
            if isinstance(base, nodes.Starred):
                bases.extend(self.items_of(value) or ())
            else:
                bases.append(value)
        keywords = {each.name: self.evaluate(each.value, scope) for each in node.keywords if each.name}
        frame.line = node.span[0]
        qualified = _qualified_name(node.name, frame)
        inner = Frame(FrameKind.CLASS, frame.module, frame.code, qualified, {}, scope, frame.function)
        inner.enumeration = self.begin_enumeration(bases)
        inner.locals["__module__"] = Constant(frame.module.name)
        inner.locals["__qualname__"] = Constant(qualified)
        if node.docstring is not None:
            inner.locals["__doc__"] = Constant(node.docstring)
        meta = keywords.pop("metaclass", None) or self._inherited_metaclass(bases)
        prepare = self.find_attribute(meta, "__prepare__") if isinstance(meta, ClassValue) else None
        if prepare is not None and not isinstance(prepare, Symbolic | External):
            inner.prepared = self.call(prepare, Arguments((Constant(node.name), TupleValue(bases)), keywords))
            inner.locals.update(_named_items(inner.prepared))
        self.push(inner)
        try:
            inner.line = node.span[0]
            self.execute(node.body, inner)
        finally:
            self.pop()
        frame.line = node.span[0]
        inner.locals.update(_named_items(inner.prepared))
        namespace = dict(inner.locals)
        if meta is not None:
            keywords["metaclass"] = meta
        cls = self.make_class(node.name, tuple(bases), namespace, keywords, frame, node.span[0], qualified)
        if isinstance(cls, ClassValue):
            inner.created_class = cls
            for value in namespace.values():
                if isinstance(value, FunctionValue) and value.owner is None and _stands_in(value.closure, inner):
                    value.owner = cls
        self.store_name(node.name, self._decorate(cls, decorators, node.decorators, frame), frame)
        return None

    def _inherited_metaclass(self, bases: list[Value]) -> Value | None:
        """The metaclass that a class gets from its bases, if one of them has its own."""
        metas = [base.metaclass for base in bases if isinstance(base, ClassValue) and base.metaclass is not None]
        derived = [meta for meta in metas if isinstance(meta, ClassValue) and all(other in meta.mro for other in metas)]
        return derived[0] if derived else None

    # ------------------------------------------------------------------------------------------ match
    def _match(self, node: nodes.Match, frame: Frame) -> Completion:
        subject = self.evaluate(node.subject, frame)
        if self.is_exact and is_environment(subject):
            subject = environment_view(self)
        for case in node.cases:
            guards = len(frame.guards)
            frame.line = case.span[0]
            matched = self._matches(case.pattern, subject, frame)
            if matched is None:
                test = self._pattern_test(case.pattern, subject, frame)
                if test is None:
                    test = self.unknown(f"{self.describe(subject)} matches the case of line {case.span[0]}")
                matched = self.decide(test, self.describe(test), case.span[0], frame, False)
                if matched:
                    self._bind_captured(case.pattern, subject, frame)
                elif not self.is_exact and len(frame.guards) > guards:
                    body = case.body
                    self.speculate(case, frame, frame.guards[-1], lambda body=body: self.execute(body, frame))()  # type: ignore[misc]
            if matched and (case.guard is None or self.test(case.guard, frame)):
                completion = self.execute(case.body, frame)
                del frame.guards[guards:]
                return completion
        return None

    def _matches(self, pattern: nodes.Pattern, subject: Value, frame: Frame) -> bool | None:
        match pattern:
            case nodes.CapturePattern(pattern=inner, name=name):
                matched = True if inner is None else self._matches(inner, subject, frame)
                if matched and name is not None:
                    self.store_name(name, subject, frame)
                return matched
            case nodes.ValuePattern(value=expression):
                return self.known_truth(self.compare("==", subject, self.evaluate(expression, frame)))
            case nodes.AlternativePattern(patterns=patterns):
                results = []
                for each in patterns:
                    results.append(self._matches(each, subject, frame))
                    if results[-1]:
                        return True
                return None if None in results else False
            case nodes.ClassPattern(cls=cls, positional=positional, keywords=keywords):
                matched = self.is_instance(subject, self.evaluate(cls, frame))
                if matched and (positional or keywords):
                    return self._attributes_match(positional, keywords, subject, frame)
                return matched
            case nodes.SequencePattern():
                return self._sequence_matches(pattern, subject, frame)
            case nodes.MappingPattern(keys=keys, patterns=patterns):
                if not isinstance(subject, DictValue):
                    return None if isinstance(subject, Symbolic | External) else False
                for key, each in zip(keys, patterns, strict=True):
                    found = subject.items.get(key_of(self.evaluate(key, frame)))
                    if found is None:
                        return False
                    if not (matched := self._matches(each, found[1], frame)):
                        return matched
                return True
        return None

    def _pattern_test(self, pattern: nodes.Pattern, subject: Value, frame: Frame) -> Value | None:
        """What a pattern asks of a value, as an expression; None where that is more than a few comparisons."""
        match pattern:
            case nodes.ValuePattern(value=expression):
                return self.compare("==", subject, self.evaluate(expression, frame))
            case nodes.ClassPattern(cls=cls, positional=(), keywords=()):
                return self.test_of_instance(subject, self.evaluate(cls, frame))
            case nodes.CapturePattern(pattern=nodes.Pattern() as inner):
                return self._pattern_test(inner, subject, frame)
            case nodes.AlternativePattern(patterns=patterns):
                tests = [self._pattern_test(each, subject, frame) for each in patterns]
                known = [test for test in tests if test is not None]
                shown = f"any([{', '.join(self.describe(test) for test in known)}])"
                return apply(shown, lambda *truths: any(truths), *known) if len(known) == len(tests) else None
            case nodes.SequencePattern(patterns=patterns, starred=-1) if isinstance(subject, TupleValue | ListValue):
                if len(patterns) != len(subject.items):
                    return FALSE
                return self._tests_of_items(patterns, subject.items, frame)
            case nodes.MappingPattern(keys=keys, patterns=patterns) if isinstance(subject, DictValue):
                found = [subject.items.get(key_of(self.evaluate(key, frame))) for key in keys]
                items = [pair[1] for pair in found if pair is not None]
                return self._tests_of_items(patterns, items, frame) if len(items) == len(keys) else FALSE
        return None

    def _tests_of_items(self, patterns: Sequence[nodes.Pattern], items: Sequence[Value], frame: Frame) -> Value | None:
        tests = []
        for pattern, item in zip(patterns, items, strict=True):
            if isinstance(pattern, nodes.CapturePattern) and pattern.pattern is None:
                continue
            test = self._pattern_test(pattern, item, frame)
            if test is None:
                return None
            tests.append(test)
        shown = f"all([{', '.join(self.describe(test) for test in tests)}])"
        return apply(shown, lambda *truths: all(truths), *tests)

    def _bind_captured(self, pattern: nodes.Pattern, subject: Value, frame: Frame) -> None:
        """The names in a pattern that an unknown value is taken to match."""
        match pattern:
            case nodes.CapturePattern(pattern=inner, name=name):
                if name is not None:
                    self.store_name(name, subject, frame)
                if inner is not None:
                    self._bind_captured(inner, subject, frame)
            case nodes.AlternativePattern(patterns=patterns):
                self._bind_captured(patterns[0], subject, frame)
            case nodes.ClassPattern(positional=positional, keywords=keywords):
                self._bind_parts([*positional, *(each for _, each in keywords)], subject, frame)
            case nodes.SequencePattern(patterns=patterns, starred=-1) if isinstance(subject, TupleValue | ListValue):
                for each, item in zip(patterns, subject.items, strict=False):
                    self._bind_captured(each, item, frame)
            case (
                nodes.SequencePattern(patterns=patterns, starred_name=name)
                | nodes.MappingPattern(patterns=patterns, rest=name)
            ):
                self._bind_parts(patterns, subject, frame)
                if name is not None:
                    self.store_name(name, self.unknown(f"the rest of {self.describe(subject)}"), frame)

    def _bind_parts(self, patterns: Sequence[nodes.Pattern], subject: Value, frame: Frame) -> None:
        for pattern in patterns:
            self._bind_captured(pattern, self.unknown(f"a part of {self.describe(subject)}"), frame)

    def _attributes_match(
        self,
        positional: tuple[nodes.Pattern, ...],
        keywords: tuple[tuple[str, nodes.Pattern], ...],
        subject: Value,
        frame: Frame,
    ) -> bool | None:
        names = []
        if positional:
            declared = self.find_attribute(subject, "__match_args__")
            if not isinstance(declared, TupleValue):
                return self._matches(positional[0], subject, frame) if isinstance(subject, Constant) else None
            names = [self.text_of(item) or "" for item in declared.items]
        for name, pattern in [*zip(names, positional, strict=False), *keywords]:
            value = self.find_attribute(subject, name)
            if value is None:
                return False
            if not (matched := self._matches(pattern, value, frame)):
                return matched
        return True

    def _sequence_matches(self, pattern: nodes.SequencePattern, subject: Value, frame: Frame) -> bool | None:
        if isinstance(subject, Constant | DictValue):
            return False
        if not isinstance(subject, TupleValue | ListValue):
            return None
        items = list(subject.items)
        count = len(pattern.patterns)
        if pattern.starred < 0:
            if len(items) != count:
                return False
            pairs = list(zip(pattern.patterns, items, strict=True))
        else:
            after = count - pattern.starred - 1
            if len(items) < count - 1:
                return False
            if pattern.starred_name:
                rest = ListValue(items[pattern.starred : len(items) - after])
                self.store_name(pattern.starred_name, rest, frame)
            pairs = list(zip(pattern.patterns[: pattern.starred], items, strict=False))
            if after:
                pairs += list(zip(pattern.patterns[-after:], items[-after:], strict=True))
        for each, item in pairs:
            if not (matched := self._matches(each, item, frame)):
                return matched
        return True


_BRANCHES = frozenset([nodes.If, nodes.Try, nodes.With])
"""Module-level statements whose parts have budgets of their own."""
_IN_PLACE = {
    "+": "__iadd__", "-": "__isub__", "*": "__imul__", "/": "__itruediv__", "|": "__ior__", "&": "__iand__",
    "^": "__ixor__", "%": "__imod__", "//": "__ifloordiv__", "@": "__imatmul__",
}  # fmt: skip


def _qualified_name(name: str, frame: Frame) -> str:
    if frame.name is None:
        return name
    return f"{frame.name}.<locals>.{name}" if frame.kind is FrameKind.FUNCTION else f"{frame.name}.{name}"


def _stands_in(closure: Frame, body: Frame) -> bool:
    """Whether a function with this closure is defined directly in the body, with type parameters or without."""
    return closure is body or (closure.kind is FrameKind.TYPE_PARAMETERS and closure.parent is body)


def _leaves_by_raise(block: nodes.Block) -> bool:
    return bool(block) and isinstance(block[-1], nodes.Raise)


def _can_leave(block: nodes.Block) -> bool:
    """Whether a return, raise, break or continue may end the block (that of an inner loop counts: it does no harm)."""
    return any(
        isinstance(statement, nodes.Return | nodes.Raise | nodes.Break | nodes.Continue)
        or any(_can_leave(inner) for inner in nodes.inner_blocks(statement))
        for statement in block
    )


def _named_items(prepared: Value | None) -> Namespace:
    """The names that a class namespace made by ``__prepare__`` holds."""
    content = prepared.payload if isinstance(prepared, InstanceValue) else prepared
    pairs = content.items.values() if isinstance(content, DictValue) else ()
    return {key.value: item for key, item in pairs if isinstance(key, Constant) and isinstance(key.value, str)}
