"""Calls: what can be called, how arguments are bound, and what the annotations say where a result is not known."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterable, Sequence
from itertools import chain, repeat
from typing import Any

from importcycle.evaluate.core import Arguments, Core, Model, library_class
from importcycle.evaluate.frames import FUNCTION, Frame, Guard
from importcycle.evaluate.signals import BudgetExceededError, NestedTooDeepError, Raised, Returned
from importcycle.evaluate.worlds import MOST_CHOICES, joined
from importcycle.ir import FunctionBody
from importcycle.values.model import (
    NONE,
    BoundMethod,
    Choice,
    ClassMethod,
    ClassValue,
    Constant,
    CoroutineValue,
    DictValue,
    External,
    FunctionValue,
    GeneratorValue,
    GenericAlias,
    InstanceValue,
    ListValue,
    ModuleValue,
    Namespace,
    NativeFunction,
    PartialValue,
    PropertyValue,
    SetValue,
    SliceValue,
    StaticMethod,
    SuperValue,
    Symbolic,
    TupleValue,
    Value,
    WrapperValue,
    copied,
    is_none,
    is_plain,
)

_OTHER_SPELLING = frozenset(("ctypes", "win32api", "win32con", "win32file", "win32gui", "win32process", "_winapi"))
"""Modules whose functions are spelt as classes are elsewhere."""
LEAST_STEPS_KEPT = 2_000
"""Steps of a call whose result is worth keeping."""
DEEPEST_DESCRIPTION = 12
LONGEST_DESCRIPTION = 300
"""Characters of a value's description after which no more of it is shown."""


class Calls(Core):
    """Calls values by their type."""

    models: dict[str, Model]
    """What is known of callables outside the target, by dotted name."""

    def _call_table(self) -> dict[type[Value], Callable[[Any, Arguments], Value]]:
        return {
            FunctionValue: self.run_function,
            BoundMethod: lambda value, arguments: self.call(value.function, arguments.with_first(value.receiver)),
            NativeFunction: lambda value, arguments: self._call_model(value.implementation, arguments, value.name),
            ClassValue: self.instantiate,
            InstanceValue: self._call_instance,
            External: self._call_external,
            Symbolic: self._call_symbolic,
            Choice: self._call_choice,
            PartialValue: self._call_partial,
            WrapperValue: self._call_wrapper,
            StaticMethod: lambda value, arguments: self.call(value.function, arguments),
            ClassMethod: lambda value, arguments: self._not_callable(value),
            GenericAlias: lambda value, arguments: self.call(value.origin, arguments),
            Constant: lambda value, arguments: self._not_callable(value),
            ModuleValue: lambda value, arguments: self._not_callable(value),
            TupleValue: lambda value, arguments: self._not_callable(value),
        }

    _calls: dict[type[Value], Callable[[Any, Arguments], Value]]

    def call(self, function: Value, arguments: Arguments, text: str = "") -> Value:
        handler = self._calls.get(type(function))
        if handler is None:
            return self.unknown(f"{self.describe(function)}(...)")
        return handler(function, arguments)

    def _not_callable(self, value: Value) -> Value:
        self.raise_error("TypeError", f"'{self.describe(value)}' object is not callable")

    # ------------------------------------------------------------------------------------------ functions
    def run_function(self, function: FunctionValue, arguments: Arguments) -> Value:
        owner = function.owner
        if owner is not None and owner.is_open:  # what others make of the class may call its functions otherwise
            try:
                local_values = self.bind_arguments(function, arguments)
            except Raised:
                return self.unknown(f"{function.code.qualified_name}(...)")
        else:
            local_values = self.bind_arguments(function, arguments)
        code = function.code
        body = code.body
        closure: Frame = function.closure
        frame = Frame(FUNCTION, function.module, closure.code, code.qualified_name, local_values, closure, function)
        frame.line = code.line
        frame.local_names = body.local_names
        frame.global_names = body.global_names
        frame.nonlocal_names = body.nonlocal_names
        if body.is_generator:
            return GeneratorValue(self._run_generator(frame, body))
        if code.is_coroutine:
            return CoroutineValue(lambda: self._run_body(function, frame, body))
        return self._run_body(function, frame, body)

    def _run_body(self, function: FunctionValue, frame: Frame, body: FunctionBody) -> Value:
        here = (self.frame, self.depth)
        self.push(frame)
        try:
            completion = self.execute(body.statements, frame)
            self.pop()
        except NestedTooDeepError as error:
            self.frame, self.depth = here
            if error.frame is not frame:
                raise
            self.cut(error.reason, is_early=True)
            return self.unknown(f"{function.code.name}(...)")
        except BaseException:
            self.pop()
            raise
        result = completion.value if isinstance(completion, Returned) else NONE
        for alternative in frame.alternative_returns[:MOST_CHOICES]:
            if alternative is not result:
                result = joined(result, alternative)
        if isinstance(result, Symbolic) and result.inferred is None and "return" in function.annotations:
            inferred = self._annotated(function, "return")
            if inferred is not None:
                result = Symbolic(result.text, result.likely, inferred, result.inputs, result.compute)
        return result

    def annotations_of(self, function: FunctionValue) -> dict[str, Value]:
        for name, annotation in function.annotations.items():
            if isinstance(annotation, tuple):
                expression, frame = annotation
                function.annotations[name] = self.evaluate(expression, frame)
        return {name: value for name, value in function.annotations.items() if isinstance(value, Value)}

    def _annotated(self, function: FunctionValue, name: str) -> Value | None:
        """The annotation of a parameter or of the result; evaluated on demand where it was postponed."""
        annotation = function.annotations.get(name)
        if isinstance(annotation, tuple):
            expression, frame = annotation
            mark = self.trail.mark()
            here = (self.frame, self.depth, frame.line, len(self.misses))
            try:
                annotation = self.evaluate(expression, frame)
            except (Raised, BudgetExceededError):
                annotation = None
            finally:
                self.trail.undo(mark)
                self.frame, self.depth, frame.line = here[:3]
                del self.misses[here[3] :]
            function.annotations[name] = annotation
        return annotation

    def _run_generator(self, frame: Frame, body: FunctionBody) -> Generator[Value, Value | None, Value]:
        """Drive a generator's body; its frame is on the stack only while it runs."""
        items = self.iterate_generator(body.statements, frame)
        action: Callable[[], Value] = lambda: next(items)  # noqa: E731
        while True:
            here = (self.frame, self.depth)
            self.push(frame)
            try:
                item = action()
            except StopIteration as stop:
                returned: Value = stop.value
                return returned
            except NestedTooDeepError as too_deep:
                if too_deep.frame is not frame:
                    raise
                self.cut(too_deep.reason, is_early=True)
                return NONE
            finally:
                self.frame, self.depth = here
            try:
                sent = yield item
                action = lambda: items.send(sent)  # noqa: E731, B023
            except Raised as thrown:
                error = thrown
                action = lambda: items.throw(error)  # noqa: E731, B023

    def bind_arguments(self, function: FunctionValue, arguments: Arguments) -> Namespace:
        """The parameters with their values. Raises Raised (TypeError) as CPython does."""
        parameters = function.code.parameters
        named = (*parameters.positional_only, *parameters.positional)
        bound: Namespace = dict(zip(named, arguments.positional, strict=False))
        extra = arguments.positional[len(named) :]
        if parameters.variadic is not None:
            bound[parameters.variadic] = TupleValue(extra)
        elif extra:
            self._argument_error(function, "too many positional arguments")
        keywords = dict(arguments.keywords)
        for name in (*parameters.positional, *parameters.keyword_only) if keywords else ():
            if name in keywords:
                if name in bound:
                    self._argument_error(function, f"multiple values for argument '{name}'")
                bound[name] = keywords.pop(name)
        if parameters.keywords is not None:
            rest = DictValue((Constant(name), value) for name, value in keywords.items())
            rest.is_open = arguments.is_open
            bound[parameters.keywords] = rest
        elif keywords:
            self._argument_error(function, f"unexpected keyword argument '{next(iter(keywords))}'")
        self._bind_defaults(function, arguments, named, bound)
        return bound

    def _bind_defaults(
        self, function: FunctionValue, arguments: Arguments, named: tuple[str, ...], bound: Namespace
    ) -> None:
        with_default = function.keyword_defaults
        if function.defaults:
            aligned = zip(reversed(named), reversed(function.defaults), strict=False)
            with_default = {**dict(aligned), **with_default}
        for name in (*named, *function.code.parameters.keyword_only):
            value = bound.get(name)
            if value is not None:
                if type(value) is Symbolic and value.inferred is None and value.compute is None:
                    inferred = self._annotated(function, name)
                    if inferred is not None:
                        bound[name] = Symbolic(value.text, value.likely, inferred)
            elif arguments.is_open:
                bound[name] = self._unknown_parameter(function, name)
            elif name in with_default:
                bound[name] = with_default[name]
            else:
                kind = "positional" if name in named else "keyword-only"
                self._argument_error(function, f"missing 1 required {kind} argument: '{name}'")

    def _unknown_parameter(self, function: FunctionValue, name: str) -> Value:
        return self.unknown(name, None, self._annotated(function, name))

    def _argument_error(self, function: FunctionValue, text: str) -> None:
        self.raise_error("TypeError", f"{function.code.qualified_name}() {text}")

    # ------------------------------------------------------------------------------------------ others
    def _call_instance(self, value: InstanceValue, arguments: Arguments) -> Value:
        method = self.method_of(value, "__call__")
        if method is not None:
            return self.call(method, arguments)
        if any(isinstance(each, External) and each.name == "contextlib.ContextDecorator" for each in value.cls.mro):
            return self._decorated_by_context(lambda: value, arguments)
        if value.is_open or value.cls.is_open:
            return self.unknown(f"{self.describe(value)}(...)")
        return self._not_callable(value)

    def _call_external(self, value: External, arguments: Arguments) -> Value:
        model = self.models.get(value.name)
        if model is not None:
            return self._call_model(model, arguments, value.name)
        return self._unknown_result(value, value.name, arguments, library_class(value.name) is not None)

    def _unknown_result(self, function: Value, name: str, arguments: Arguments, is_class: bool = False) -> Value:
        """What a call of something outside the target gives: an instance of a class, or mostly the default given."""
        self.uncertain_events += 1
        shown = ", ".join(self.describe(argument) for argument in arguments.positional)
        if is_class or _is_named_as_class(name):
            return self.unknown(f"{name}({shown})", None, function if type(function) is External else External(name))
        default = arguments.keywords.get("default", arguments.keywords.get("fallback"))
        return self.unknown(f"{name}({shown})", default if isinstance(default, Constant) else None)

    def _call_model(self, model: Model, arguments: Arguments, name: str) -> Value:
        """Models take their arguments as they are mostly given: with others, the result is not known."""
        here = (self.frame, self.depth)
        try:
            return model(self, arguments)
        except (ValueError, LookupError, TypeError, ArithmeticError) as error:
            if _has_called_back(error):
                raise
            self.frame, self.depth = here
            self.uncertain_events += 1
            return self.unknown(f"{name}(...)")

    def _call_symbolic(self, value: Symbolic, arguments: Arguments) -> Value:
        inferred = self.instance_from_annotation(value.inferred, value.text) if value.inferred is not None else None
        if isinstance(inferred, InstanceValue):
            method = self.method_of(inferred, "__call__")
            if method is not None:
                return self.call(method, arguments)
        return self._unknown_result(value, value.text, arguments)

    def _call_choice(self, value: Choice, arguments: Arguments) -> Value:
        running = self.running
        here = (running.code.path, running.line)

        def call_instead(other: Value) -> Value:
            shown = f"{self.describe(value.main)} is {_qualified(other)}"
            running.guards.append(Guard(shown, True, shown, True, running.code.path, running.line))
            return self.call(other, arguments)

        results = [
            self.look_elsewhere((*here, _definition_of(other)), lambda other=other: call_instead(other))  # type: ignore[misc]
            for other in value.others
            if not isinstance(other, Constant)
        ]
        result = self.call(value.main, arguments)
        for other in results:
            # What alternatives make of the same arguments differs in little when it is of one class.
            if other is not None and not (isinstance(other, InstanceValue) and _is_of_class(result, other.cls)):
                result = joined(result, other)
        return result

    def _call_partial(self, value: PartialValue, arguments: Arguments) -> Value:
        keywords = {**value.keywords, **arguments.keywords}
        receiver = 1 if value.is_method else 0
        given = arguments.positional
        positional = (*given[:receiver], *value.arguments, *given[receiver:])
        return self.call(value.function, Arguments(positional, keywords, arguments.is_open))

    def _call_wrapper(self, value: WrapperValue, arguments: Arguments) -> Value:
        match value.kind:
            case "cache":
                return self._call_cached(value, arguments)
            case "singledispatch":
                return self.call(self._dispatched(value, arguments), arguments)
            case "singledispatchmethod":
                return self.call(self._dispatched(value, arguments.after_first()), arguments)
            case "contextmanager":
                return self._new_context(value, arguments)
            case "context":
                again: Callable[[], Value] = value.state["again"]
                return self._decorated_by_context(again, arguments)
        return self.call(value.function, arguments)

    def _new_context(self, value: WrapperValue, arguments: Arguments) -> Value:
        """What a function decorated by contextlib.contextmanager gives: a context manager, or a decorator."""
        context = WrapperValue("context", self.call(value.function, arguments))
        context.state["again"] = lambda: self._new_context(value, arguments)
        return context

    def _decorated_by_context(self, manager: Callable[[], Value], arguments: Arguments) -> Value:
        """contextlib.ContextDecorator: the function, in a context of its own each time it is called."""
        function = arguments.positional[0]
        name = function.code.name if isinstance(function, FunctionValue) else "inner"
        return NativeFunction(name, lambda machine, given: self.call_within(manager(), function, given))

    def _call_cached(self, value: WrapperValue, arguments: Arguments) -> Value:
        """functools.lru_cache: equal arguments give the result of the first call; an exception is not kept."""
        positional = tuple(self.hash_key(argument) for argument in arguments.positional)
        keywords = tuple((name, self.hash_key(argument)) for name, argument in sorted(arguments.keywords.items()))
        key = (positional, keywords)
        if key in value.state and not arguments.is_open:
            known: Value = value.state[key]
            return known
        result = self._call_once(value.function, key, arguments)
        self.trail.set_item(value.state, key, result)
        return result

    def _call_once(self, function: Value, key: Hashable, arguments: Arguments) -> Value:
        """Call a function that its author declares to depend on its arguments alone; costly results are kept."""
        if not isinstance(function, FunctionValue) or not all(map(is_plain, arguments.positional)):
            return self.call(function, arguments)
        place = (function.closure.code.path, function.code.qualified_name, function.code.line, key)
        if place in self.results:
            return copied(self.results[place])
        before = (self.steps, len(self.made), len(self.import_system.loaded_modules()), len(self.cuts))
        result = self.call(function, arguments)
        after = (len(self.made), len(self.import_system.loaded_modules()), len(self.cuts))
        if self.steps - before[0] > LEAST_STEPS_KEPT and after == before[1:] and is_plain(result):
            self.results[place] = copied(result)
        return result

    def _dispatched(self, value: WrapperValue, arguments: Arguments) -> Value:
        """functools.singledispatch: the implementation registered for the class of the first argument."""
        if arguments.positional:
            cls = self.class_of(arguments.positional[0])
            for each in cls.mro if isinstance(cls, ClassValue) else ():
                if each in value.state:
                    found: Value = value.state[each]
                    return found
        return value.function

    # ------------------------------------------------------------------------------------------ annotations
    def instance_from_annotation(self, annotation: Value | None, text: str) -> Value | None:
        match annotation:
            case ClassValue(is_builtin=False):
                instance = InstanceValue(annotation)
                instance.is_open = True
                return instance
            case GenericAlias(origin=External(name=name), arguments=arguments):
                if name.rpartition(".")[2] in ("Optional", "Annotated", "Union", "Final", "ClassVar") and arguments:
                    known = (self.instance_from_annotation(each, text) for each in arguments)
                    return next((each for each in known if each is not None), None)
                if name.rpartition(".")[2] in ("type", "Type") and arguments:
                    return arguments[0]
                return None
            case GenericAlias(origin=ClassValue(name="type", is_builtin=True), arguments=arguments) if arguments:
                return arguments[0]
            case GenericAlias(origin=origin):
                return self.instance_from_annotation(origin, text)
        return None

    def describe(self, value: Value, depth: int = 0) -> str:
        if depth > DEEPEST_DESCRIPTION:
            return "..."
        match value:
            case Constant(value=content):
                shown = repr(content)
                return shown if len(shown) <= 60 else shown[:57] + "..."
            case Symbolic(text=text):
                return text
            case External(name=name):
                return name
            case ModuleValue(name=name) | ClassValue(name=name) | NativeFunction(name=name):
                return name
            case FunctionValue(code=code):
                return code.name
            case BoundMethod(function=function):
                return self.describe(function, depth + 1)
            case InstanceValue(cls=cls):
                return f"{cls.name}(...)"
            case Choice(main=main):
                return self.describe(main, depth + 1)
            case PartialValue(function=function) | WrapperValue(function=function):
                return self.describe(function, depth + 1)
            case StaticMethod(function=function) | ClassMethod(function=function):
                return self.describe(function, depth + 1)
            case PropertyValue() | SuperValue():
                return "super()" if isinstance(value, SuperValue) else "property"
            case GenericAlias(origin=origin):
                return self.describe(origin, depth + 1)
            case TupleValue(items=items):
                shown = self._describe_all(items, depth)
                return f"({shown},)" if len(items) == 1 else f"({shown})"
            case ListValue(items=elements, is_open=False):
                return f"[{self._describe_all(elements, depth)}]"
            case SetValue(items=members, is_open=False):
                shown = f"{{{self._describe_all([*members.values()], depth)}}}" if members else "set()"
                return f"frozenset({shown})" if value.is_frozen else shown
            case DictValue(items=pairs, is_open=False):
                shown_items = (f"{self.describe(key, depth + 1)}: " for key, _ in pairs.values())
                return f"{{{self._describe_all([each for _, each in pairs.values()], depth, shown_items)}}}"
            case SliceValue(lower=lower, upper=upper):
                ends = ("" if is_none(end) else self.describe(end, depth + 1) for end in (lower, upper))
                return ":".join(ends)
        return type(value).__name__.removesuffix("Value").lower()

    def _describe_all(self, items: Sequence[Value], depth: int, prefixes: Iterable[str] = ()) -> str:
        """The first of the items, as far as anybody would read; of a dictionary, with their keys."""
        shown = ""
        for index, (item, prefix) in enumerate(zip(items[:20], chain(prefixes, repeat("")), strict=False)):
            if len(shown) > LONGEST_DESCRIPTION:
                return f"{shown}, ..."
            shown += (", " if index else "") + prefix + self.describe(item, depth + 1)
        return shown


def _is_named_as_class(name: str) -> bool:
    """Whether the last part of a dotted name is spelt as names of classes are (those of foreign functions are not)."""
    root, _, rest = name.partition(".")
    own = rest.rpartition(".")[2].lstrip("_")
    return own[:1].isupper() and own.isidentifier() and not own.isupper() and root not in _OTHER_SPELLING


def _qualified(function: Value) -> str:
    """A callable as users tell it from others of its name."""
    while isinstance(function, BoundMethod | PartialValue | WrapperValue | StaticMethod | ClassMethod):
        function = function.function
    match function:
        case FunctionValue(module=module, code=code):
            return f"{module.name}.{code.qualified_name}"
        case ClassValue(code_module=module_name, qualified_name=name):
            return f"{module_name}.{name}"
        case External(name=name) | NativeFunction(name=name):
            return name
    return "another one"


def _definition_of(function: Value) -> Hashable:
    """Where a callable is written, or itself: the same for all closures and bound methods of one definition."""
    while isinstance(function, BoundMethod | PartialValue | WrapperValue | StaticMethod | ClassMethod):
        function = function.function
    if isinstance(function, FunctionValue):
        return (function.closure.code.path, function.code.qualified_name, function.code.line)
    return function


def _is_of_class(value: Value, cls: ClassValue) -> bool:
    return isinstance(value, InstanceValue) and value.cls is cls


def _has_called_back(error: Exception) -> bool:
    """Whether an exception of a model comes from something that the model called in its turn, not from itself."""
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code is Calls.call.__code__:
            return True
        step = step.tb_next
    return False
