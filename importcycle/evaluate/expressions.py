"""Expressions: their values, and the names they look up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from importcycle.evaluate.core import Arguments, Core
from importcycle.evaluate.environment import environment_view, is_environment
from importcycle.evaluate.frames import CLASS, COMPREHENSION, FUNCTION, MODULE, Frame, FrameKind, Guard
from importcycle.evaluate.signals import Raised
from importcycle.evaluate.symbols import apply, negation
from importcycle.ir import nodes
from importcycle.ir.nodes import NameLoad
from importcycle.values.model import (
    FALSE,
    NONE,
    TRUE,
    Choice,
    Constant,
    CoroutineValue,
    DictValue,
    FunctionValue,
    GeneratorValue,
    InstanceValue,
    LazyImport,
    ListValue,
    SetValue,
    SliceValue,
    Symbolic,
    TupleValue,
    Value,
    key_of,
)

LONGEST_TEXT = 100_000
"""Characters of a string that is still computed exactly."""


class Expressions(Core):
    """Evaluates expressions by the type of their node."""

    def _expression_table(self) -> dict[type[nodes.Expression], Callable[[Any, Frame], Value]]:
        return {
            nodes.Literal: self._literal,
            nodes.AttributeLoad: self._attribute_load,
            nodes.SubscriptLoad: self._subscript_load,
            nodes.Call: self._call_expression,
            nodes.BinaryOperation: self._binary_operation,
            nodes.UnaryOperation: self._unary_operation,
            nodes.BooleanOperation: self._boolean_operation,
            nodes.Comparison: self._comparison,
            nodes.Conditional: self._conditional,
            nodes.Display: self._display,
            nodes.DictDisplay: self._dict_display,
            nodes.Comprehension: self._comprehension,
            nodes.LambdaExpression: self._lambda,
            nodes.FormattedString: self._formatted_string,
            nodes.TemplateString: self._template_string,
            nodes.FormattedValue: self._formatted_value,
            nodes.NamedExpression: self._named_expression,
            nodes.Slice: self._slice,
            nodes.Starred: lambda node, frame: self.evaluate(node.value, frame),
            nodes.Await: self._await,
            nodes.Yield: self._yield_in_expression,
            nodes.YieldFrom: self._yield_in_expression,
        }

    def evaluate(self, node: nodes.Expression, frame: Frame) -> Value:
        if type(node) is NameLoad:  # half of all expressions
            return self.load_name(node.name, frame)
        return self._expressions[type(node)](node, frame)

    _expressions: dict[type[nodes.Expression], Callable[[Any, Frame], Value]]

    # ------------------------------------------------------------------------------------------ names
    def load_name(self, name: str, frame: Frame) -> Value:
        if frame.kind is FUNCTION:  # most often, the name is a local one
            found = frame.locals.get(name)
            if found is not None:
                return found
        scope: Frame | None = frame
        while scope is not None:
            kind = scope.kind
            if kind is MODULE:
                break
            if kind is CLASS:
                is_seen = scope is frame or (frame.kind is FrameKind.TYPE_PARAMETERS and scope is frame.parent)
                if is_seen and name in scope.locals:
                    return scope.locals[name]
                if name == "__class__" and scope is not frame and scope.created_class is not None:
                    return scope.created_class
            elif name in scope.global_names:
                break
            elif name in scope.local_names:
                value = scope.locals.get(name)
                if value is not None:
                    return value
                if scope is frame:
                    self.raise_error("UnboundLocalError", f"cannot access local variable '{name}'", explicit=True)
                self.raise_error("NameError", f"cannot access free variable '{name}'", explicit=True)
            scope = scope.parent
        value = frame.module.namespace.get(name)
        if value is None:
            value = self.builtins.get(name)
        elif type(value) is LazyImport:
            return self.import_system.load_lazily(frame.module, name, value)
        return value if value is not None else self._missing_name(name, frame)

    def _missing_name(self, name: str, frame: Frame) -> Value:
        self.asked.missed.add(name)
        if frame.module.is_open or frame.module.is_vague:
            return self.unknown(name)
        if name == "__class__" and frame.function is not None and frame.function.owner is not None:
            return frame.function.owner
        miss = self.import_system.missed_global(name, frame)
        if miss is not None and (miss.module, miss.name) in self.repaired:
            return self.unknown(name)
        try:
            self.raise_error("NameError", f"name '{name}' is not defined", miss, explicit=True)
        except Raised as error:
            if isinstance(error.value, InstanceValue):
                error.value.attributes["name"] = Constant(name)
            raise

    def store_name(self, name: str, value: Value, frame: Frame) -> None:
        scope = frame
        while scope.kind is COMPREHENSION and name not in scope.local_names and scope.parent is not None:
            scope = scope.parent
        if scope.kind is MODULE or name in scope.global_names:
            self.trail.set_item(scope.module.namespace, name, value)
            return
        if name in scope.nonlocal_names:
            outer = scope.parent
            while outer is not None and not (outer.kind is FrameKind.FUNCTION and name in outer.local_names):
                outer = outer.parent
            if outer is not None:
                self.trail.set_item(outer.locals, name, value)
                return
        if scope.enumeration is not None:
            value = self.member_value(name, value, scope)
        self.trail.set_item(scope.locals, name, value)
        if isinstance(scope.prepared, InstanceValue):
            self.set_item(scope.prepared, Constant(name), value)

    # ------------------------------------------------------------------------------------------ simple ones
    def _literal(self, node: nodes.Literal, frame: Frame) -> Value:
        content = node.value
        if content is None:
            return NONE
        if content is True:
            return TRUE
        if content is False:
            return FALSE
        return Constant(content)

    def _attribute_load(self, node: nodes.AttributeLoad, frame: Frame) -> Value:
        value = self.evaluate(node.value, frame)
        frame.line = node.span[0]
        return self.get_attribute(value, node.name)

    def _subscript_load(self, node: nodes.SubscriptLoad, frame: Frame) -> Value:
        value = self.evaluate(node.value, frame)
        index = self.evaluate(node.index, frame)
        frame.line = node.span[0]
        return self.get_item(value, index)

    def _slice(self, node: nodes.Slice, frame: Frame) -> Value:
        parts = (NONE if part is None else self.evaluate(part, frame) for part in (node.lower, node.upper, node.step))
        return SliceValue(*parts)

    def _named_expression(self, node: nodes.NamedExpression, frame: Frame) -> Value:
        value = self.evaluate(node.value, frame)
        self.store_name(node.name, value, frame)
        return value

    def _lambda(self, node: nodes.LambdaExpression, frame: Frame) -> Value:
        defaults = tuple(self.evaluate(default, frame) for default in node.defaults)
        keyword_defaults = {name: self.evaluate(default, frame) for name, default in node.keyword_defaults}
        return FunctionValue(node.code, frame.module, frame, defaults, keyword_defaults)

    def _await(self, node: nodes.Await, frame: Frame) -> Value:
        value = self.evaluate(node.value, frame)
        frame.line = node.span[0]
        return value.run() if isinstance(value, CoroutineValue) else self.unknown(f"await {self.describe(value)}")

    def _yield_in_expression(self, node: nodes.Yield | nodes.YieldFrom, frame: Frame) -> Value:
        """A yield deep in an expression: its operand is evaluated, what is sent is not known."""
        if node.value is not None:
            self.evaluate(node.value, frame)
        return self.unknown("yield")

    # ------------------------------------------------------------------------------------------ calls
    def _call_expression(self, node: nodes.Call, frame: Frame) -> Value:
        function = self.evaluate(node.function, frame)
        arguments = self._arguments(node, frame)
        frame.line = node.span[0]
        self.steps += 1
        if self.steps > self.step_limit:
            self.extend_budget()
        return self.call(function, arguments)

    def _arguments(self, node: nodes.Call, frame: Frame) -> Arguments:
        positional: list[Value] = []
        keywords: dict[str, Value] = {}
        is_open = False
        for argument in node.arguments:
            value = self.evaluate(argument, frame)
            if isinstance(argument, nodes.Starred):
                items = self.sequence_of(value)
                is_open = is_open or items is None
                positional.extend(items or ())
            else:
                positional.append(value)
        for keyword in node.keywords:
            value = self.evaluate(keyword.value, frame)
            if keyword.name is not None:
                keywords[keyword.name] = value
                continue
            content = self._as_dict(value)
            if content is None and isinstance(value, InstanceValue) and self.method_of(value, "keys") is not None:
                made = self.call(self.builtins["dict"], Arguments((value,)))
                content = made if isinstance(made, DictValue) else None
            if content is None and isinstance(value, Constant):
                self.raise_error("TypeError", "argument after ** must be a mapping")
            is_open = is_open or content is None or content.is_open
            for key, item in content.items.values() if content else ():
                name = self.text_of(key)
                if name is not None:
                    keywords[name] = item
        return Arguments(tuple(positional), keywords, is_open)

    def _as_dict(self, value: Value) -> DictValue | None:
        if isinstance(value, DictValue):
            return value
        if isinstance(value, InstanceValue) and isinstance(value.payload, DictValue):
            return value.payload
        if self.is_exact and is_environment(value):
            return environment_view(self)
        return None

    # ------------------------------------------------------------------------------------------ operators
    def _binary_operation(self, node: nodes.BinaryOperation, frame: Frame) -> Value:
        # Long chains lean to the left: they are walked down without recursion.
        chain = [node]
        left: nodes.Expression = node.left
        while isinstance(left, nodes.BinaryOperation):
            chain.append(left)
            left = left.left
        value = self.evaluate(left, frame)
        for operation in reversed(chain):
            right = self.evaluate(operation.right, frame)
            frame.line = operation.span[0]
            value = self.binary(operation.operator, value, right)
        return value

    def _unary_operation(self, node: nodes.UnaryOperation, frame: Frame) -> Value:
        value = self.evaluate(node.operand, frame)
        if node.operator == "not":
            truth = self.known_truth(value)
            if truth is not None:
                return FALSE if truth else TRUE
            return negation(f"not {self.describe(value)}", value)
        functions: dict[str, Callable[[Any], Any]] = {"-": lambda x: -x, "+": lambda x: +x, "~": lambda x: ~x}
        function = functions[node.operator]
        if isinstance(value, Constant):
            try:
                return Constant(function(value.value))
            except Exception as error:
                self.raise_error(type(error).__name__, str(error))
        if isinstance(value, Symbolic):
            return apply(f"{node.operator}{value.text}", function, value)
        special = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}[node.operator]
        method = self.method_of(value, special)
        return self.call(method, Arguments()) if method is not None else self.unknown(self.describe(value))

    def _boolean_operation(self, node: nodes.BooleanOperation, frame: Frame) -> Value:
        stops_at = node.operator == "or"
        for index, operand in enumerate(node.operands):
            value = self.evaluate(operand, frame)
            if index == len(node.operands) - 1:
                return value
            guards = len(frame.guards)
            if self.truth(value, operand, frame) is stops_at:
                if len(frame.guards) > guards:
                    rest = node.operands[index + 1 :]
                    others: list[Value] = []

                    def look(rest: tuple[nodes.Expression, ...] = rest, others: list[Value] = others) -> None:
                        others.extend(self.evaluate(each, frame) for each in rest[:1])

                    self.speculate(operand, frame, frame.guards[-1], look)
                    if others:
                        return self._choice(value, others)
                return value
        raise AssertionError("a boolean operation has operands")

    def _choice(self, main: Value, others: list[Value]) -> Value:
        different = tuple(other for other in others if key_of(other) != key_of(main))
        if (
            isinstance(main, Constant | Symbolic)
            and main is not NONE
            and all(isinstance(o, Constant) for o in different)
        ):
            return main
        return Choice(main, different) if different and not self.is_exact else main

    def _comparison(self, node: nodes.Comparison, frame: Frame) -> Value:
        left = self.evaluate(node.left, frame)
        if len(node.operators) == 1:
            right = self.evaluate(node.comparators[0], frame)
            frame.line = node.span[0]
            return self.compare(node.operators[0], left, right)
        result: Value = TRUE
        for index, (operator, comparator) in enumerate(zip(node.operators, node.comparators, strict=True)):
            right = self.evaluate(comparator, frame)
            frame.line = node.span[0]
            result = self.compare(operator, left, right)
            if index < len(node.operators) - 1 and not self.truth(result, node, frame):
                return result
            left = right
        return result

    def _conditional(self, node: nodes.Conditional, frame: Frame) -> Value:
        guards = len(frame.guards)
        is_true = self.test(node.test, frame)
        taken, other = (node.body, node.otherwise) if is_true else (node.otherwise, node.body)
        others: list[Value] = []
        if len(frame.guards) > guards:
            self.speculate(node, frame, frame.guards[-1], lambda: others.append(self.evaluate(other, frame)))
        value = self.evaluate(taken, frame)
        del frame.guards[guards:]
        return self._choice(value, others) if others else value

    # ------------------------------------------------------------------------------------------ displays
    def _display(self, node: nodes.Display, frame: Frame) -> Value:
        items: list[Value] = []
        is_open = False
        for element in node.elements:
            value = self.evaluate(element, frame)
            if isinstance(element, nodes.Starred):
                known = self.items_of(value) if node.kind == "set" else self.sequence_of(value)
                is_open = is_open or known is None
                items.extend(known or ())
            else:
                items.append(value)
        if node.kind == "tuple":
            return self.unknown("tuple") if is_open else TupleValue(items)
        if node.kind == "set":
            self._check_hashable(items)
            self._hash_all(items)
            return SetValue(items, is_open=is_open)
        return ListValue(items, is_open)

    def _check_hashable(self, items: list[Value]) -> None:
        for item in items:
            if isinstance(item, ListValue | DictValue | SetValue) and not (
                isinstance(item, SetValue) and item.is_frozen
            ):
                self.raise_error("TypeError", "unhashable type")

    def _dict_display(self, node: nodes.DictDisplay, frame: Frame) -> Value:
        result = DictValue()
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                content = self._as_dict(self.evaluate(value, frame))
                if content is None:
                    result.is_open = True
                else:
                    self.merge_items(result, content)
                    result.is_open = result.is_open or content.is_open
                continue
            evaluated = self.evaluate(key, frame)
            self._check_hashable([evaluated])
            content_value = self.evaluate(value, frame)
            result.items[self.hash_key(evaluated)] = (evaluated, content_value)
        return result

    def _hash_all(self, items: list[Value]) -> None:
        for item in items:
            self.hash_key(item)

    def _formatted_string(self, node: nodes.FormattedString, frame: Frame) -> Value:
        parts = [self.evaluate(part, frame) for part in node.parts]
        texts = [self.text_of(part) for part in parts]
        if all(text is not None for text in texts):
            joined = "".join(text for text in texts if text is not None)
            return Constant(joined) if len(joined) <= LONGEST_TEXT else self.unknown("a long string")
        if all(isinstance(part, Constant | Symbolic) for part in parts):
            shown = "".join(
                part.value if isinstance(part, Constant) else f"{{{self.describe(part)}}}" for part in parts
            )
            return apply(f'f"{shown}"', lambda *contents: "".join(map(str, contents)), *parts)
        return self.unknown("a formatted string")

    def _template_string(self, node: nodes.TemplateString, frame: Frame) -> Value:
        for part in node.parts:
            match part:
                case nodes.FormattedValue(value=value, specification=specification):
                    self.evaluate(value, frame)
                    if specification is not None:
                        self.evaluate(specification, frame)
        return self.unknown("a template string")

    def _formatted_value(self, node: nodes.FormattedValue, frame: Frame) -> Value:
        value = self.evaluate(node.value, frame)
        specification = "" if node.specification is None else self.text_of(self.evaluate(node.specification, frame))
        frame.line = node.span[0]
        if isinstance(value, Constant) and specification is not None:
            convert: dict[str, Callable[[Any], Any]] = {"": lambda x: x, "s": str, "r": repr, "a": ascii}
            try:
                return Constant(format(convert[node.conversion](value.value), specification))
            except Exception as error:
                self.raise_error(type(error).__name__, str(error))
        special = {"": "__format__", "s": "__str__", "r": "__repr__", "a": "__repr__"}[node.conversion]
        for name in dict.fromkeys((special, "__str__", "__repr__") if not node.conversion else (special,)):
            method = self.method_of(value, name) if isinstance(value, InstanceValue) else None
            if method is not None:
                return self.call(method, Arguments((Constant(specification),) if name == "__format__" else ()))
        if isinstance(value, Symbolic):
            return apply(value.text, lambda content: f"{content}", value)
        return self.unknown(f"{{{self.describe(value)}}}")

    # ------------------------------------------------------------------------------------------ comprehensions
    def _comprehension(self, node: nodes.Comprehension, frame: Frame) -> Value:
        first = self.evaluate(node.clauses[0].iterable, frame)
        frame.line = node.span[0]
        inner = Frame(FrameKind.COMPREHENSION, frame.module, frame.code, frame.name, {}, frame, frame.function)
        inner.local_names = node.local_names
        inner.line = node.span[0]
        if node.kind == "generator":
            return GeneratorValue(self._comprehension_items(node, inner, first))
        result = list(self._comprehension_items(node, inner, first, keep_key=True))
        is_open = inner.is_inferred
        if node.kind == "list":
            return ListValue(result, is_open)
        if node.kind == "set":
            self._check_hashable(result)
            self._hash_all(result)
            return SetValue(result, is_open=is_open)
        pairs = [(pair.items[0], pair.items[1]) for pair in result if isinstance(pair, TupleValue)]
        self._check_hashable([key for key, _ in pairs])
        self._hash_all([key for key, _ in pairs])
        return DictValue(pairs, is_open=is_open)

    def _comprehension_items(
        self, node: nodes.Comprehension, inner: Frame, first: Value, keep_key: bool = False
    ) -> Iterator[Value]:
        """The items, evaluated as they are asked for; ``inner.is_inferred`` tells afterwards that there may be more."""

        def clause(index: int) -> Iterator[Value]:
            if index == len(node.clauses):
                value = self.evaluate(node.element, inner)
                if node.key is not None:
                    value = TupleValue((self.evaluate(node.key, inner), value))
                yield value
                return
            each = node.clauses[index]
            iterable = first if index == 0 else self.evaluate(each.iterable, inner)
            items = self.iterate(iterable)
            if items is None:
                inner.is_inferred = True
                self._look_at_clause(node, index, inner, iterable)
                return
            for item in items:
                self.step()
                self.store(each.target, item, inner)
                guards = len(inner.guards)
                if all(self.test(test, inner) for test in each.conditions):
                    yield from clause(index + 1)
                elif len(inner.guards) > guards and not self.is_exact:  # in a world nearby the item is there
                    inner.is_inferred = True
                del inner.guards[guards:]

        items = clause(0)
        while True:
            self.push(inner)
            try:
                item = next(items, None)
            finally:
                self.pop()
            if item is None:
                return
            yield item

    def _look_at_clause(self, node: nodes.Comprehension, index: int, inner: Frame, iterable: Value) -> None:
        """Items are not known: the rest is evaluated once for one unknown item, in passing."""

        def look() -> None:
            self.store(node.clauses[index].target, self.unknown(f"an item of {self.describe(iterable)}"), inner)
            for later in node.clauses[index + 1 :]:
                self.evaluate(later.iterable, inner)
                self.store(later.target, self.unknown("an item"), inner)
            self.evaluate(node.element, inner)

        text = f"{self.describe(iterable)} has items"
        self.speculate(node, inner, Guard(text, False, text, False, inner.code.path, inner.line), look)
