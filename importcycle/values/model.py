"""Abstract values: what the evaluator computes with in place of Python's objects.

Mutable values (modules, classes, instances, lists, ...) have identity, as in Python. Their contents are plain Python
containers that are changed only through a `Trail`, so that a speculative run can be undone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from importcycle.ir import FunctionCode, nodes


class Value:
    """Anything that a name can be bound to."""

    __slots__ = ()


Namespace: TypeAlias = "dict[str, Value]"


class Constant(Value):
    """An immutable value that is known exactly: None, a number, a string, bytes, an ellipsis."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Constant({self.value!r})"


NONE = Constant(None)
TRUE = Constant(True)
FALSE = Constant(False)
NOT_IMPLEMENTED = Constant(NotImplemented)


class TupleValue(Value):
    """A tuple of known length."""

    __slots__ = ("items",)

    def __init__(self, items: Iterable[Value] = ()) -> None:
        self.items = tuple(items)


class ListValue(Value):
    """A list; ``is_open`` says that it may hold more than the known items."""

    __slots__ = ("is_open", "items", "possible")

    def __init__(self, items: Iterable[Value] = (), is_open: bool = False) -> None:
        self.items = list(items)
        self.is_open = is_open
        self.possible: tuple[Value, ...] = ()
        """Items that it holds in worlds nearby."""


class SetValue(Value):
    """A set or frozenset, in order of insertion."""

    __slots__ = ("is_frozen", "is_open", "items")

    def __init__(self, items: Iterable[Value] = (), is_frozen: bool = False, is_open: bool = False) -> None:
        self.items: dict[Hashable, Value] = {key_of(item): item for item in items}
        self.is_frozen = is_frozen
        self.is_open = is_open


class DictValue(Value):
    """A dict by key; ``default`` is the factory of a defaultdict."""

    __slots__ = ("attributes", "default", "is_doubtful", "is_open", "items", "keeps_default")

    def __init__(
        self,
        items: Iterable[tuple[Value, Value]] = (),
        default: Value | None = None,
        is_open: bool = False,
        keeps_default: bool = True,
    ) -> None:
        self.keeps_default = keeps_default
        """Whether what the factory gives is put into the dict."""
        self.items: dict[Hashable, tuple[Value, Value]] = {key_of(key): (key, value) for key, value in items}
        self.attributes: Namespace | None = None
        """The attributes of an OrderedDict or defaultdict: a plain dict can have none."""
        self.default = default
        self.is_open = is_open
        self.is_doubtful = False
        """Whether it is open only because it was changed in worlds nearby."""


class ModuleValue(Value):
    """A module object: what is in ``sys.modules`` from before its body runs."""

    __slots__ = ("cls", "is_initializing", "is_open", "is_package", "is_vague", "name", "namespace")

    def __init__(self, name: str, is_package: bool) -> None:
        self.cls: ClassValue | None = None
        """The class of the program's own that ``module.__class__ = ...`` gave it."""
        self.name = name
        self.is_package = is_package
        self.namespace: Namespace = {}
        self.is_initializing = False
        self.is_open = False
        """Whether names may have been bound that are not known."""
        self.is_vague = False
        """Whether some names may have come from a standard module of another version of Python."""

    def __repr__(self) -> str:
        return f"<module {self.name}>"


class LazyImport(Value):
    """What ``lazy import`` binds (PEP 810): the import that runs when the name is first used."""

    __slots__ = ("module", "statement")

    def __init__(self, statement: nodes.Import | nodes.ImportFrom, module: str) -> None:
        self.statement = statement
        """The statement with one of its names."""
        self.module = module
        """The absolute name of the module to import."""

    def __repr__(self) -> str:
        return f"<lazy import of {self.module}>"


class ClassValue(Value):
    """A class made by a class statement, or a builtin class (``is_builtin``)."""

    __slots__ = (
        "bases",
        "class_mro",
        "code_module",
        "hasher",
        "is_builtin",
        "is_open",
        "line",
        "metaclass",
        "mro",
        "name",
        "namespace",
        "qualified_name",
        "subclasses",
    )

    def __init__(self, name: str, bases: tuple[Value, ...] = (), is_builtin: bool = False) -> None:
        self.name = name
        self.qualified_name = name
        self.code_module = "builtins"
        self.line = 0
        self.hasher: Callable[[InstanceValue], Hashable] | None = None
        """What identifies an instance as a dict key, where the class defines that itself."""
        self.bases = bases
        self.mro: tuple[Value, ...]
        self.class_mro: tuple[ClassValue, ...]
        """The classes of the MRO that are known."""
        self.linearize((self,))
        self.namespace: Namespace = {}
        self.metaclass: Value | None = None
        self.is_builtin = is_builtin
        self.is_open = False
        """Whether attributes may exist that are not known (an external base, an unknown decorator)."""
        self.subclasses: list[ClassValue] = []

    def __repr__(self) -> str:
        return f"<class {self.code_module}.{self.qualified_name}>"

    def linearize(self, mro: tuple[Value, ...]) -> None:
        """Give the class its MRO."""
        self.mro = mro
        self.class_mro = tuple(each for each in mro if isinstance(each, ClassValue))


class InstanceValue(Value):
    """An instance; ``payload`` is the content of one whose class derives from a builtin container."""

    __slots__ = ("attributes", "cls", "is_open", "key", "payload")

    def __init__(self, cls: ClassValue, payload: Value | None = None) -> None:
        self.cls = cls
        self.attributes: Namespace = {}
        self.payload = payload
        self.key: Hashable = None
        """What identifies it as a dict key, once that was asked and if its class says so."""
        self.is_open = False

    def __repr__(self) -> str:
        return f"<instance of {self.cls.name}>"


class FunctionValue(Value):
    """A function with its closure; called, its code runs in a new frame."""

    __slots__ = ("annotations", "attributes", "closure", "code", "defaults", "keyword_defaults", "module", "owner")

    def __init__(
        self,
        code: FunctionCode,
        module: ModuleValue,
        closure: Any,
        defaults: tuple[Value, ...] = (),
        keyword_defaults: dict[str, Value] | None = None,
    ) -> None:
        self.code = code
        self.module = module
        self.closure = closure
        self.defaults = defaults
        self.keyword_defaults = keyword_defaults or {}
        self.attributes: Namespace = {}
        self.owner: ClassValue | None = None
        self.annotations: dict[str, Any] = {}

    def __repr__(self) -> str:
        return f"<function {self.module.name}.{self.code.qualified_name}>"


class BoundMethod(Value):
    """A callable with its first argument."""

    __slots__ = ("function", "receiver")

    def __init__(self, function: Value, receiver: Value) -> None:
        self.function = function
        self.receiver = receiver


class NativeFunction(Value):
    """A function or method that the evaluator itself implements."""

    __slots__ = ("implementation", "name")

    def __init__(self, name: str, implementation: Callable[..., Value]) -> None:
        self.name = name
        self.implementation = implementation

    def __repr__(self) -> str:
        return f"<native {self.name}>"


class StaticMethod(Value):
    __slots__ = ("function",)

    def __init__(self, function: Value) -> None:
        self.function = function


class ClassMethod(Value):
    __slots__ = ("function",)

    def __init__(self, function: Value) -> None:
        self.function = function


class PropertyValue(Value):
    """A property; ``is_cached`` for functools.cached_property."""

    __slots__ = ("deleter", "getter", "is_cached", "name", "setter")

    def __init__(
        self,
        getter: Value | None,
        setter: Value | None = None,
        deleter: Value | None = None,
        is_cached: bool = False,
        name: str | None = None,
    ) -> None:
        self.getter = getter
        self.setter = setter
        self.deleter = deleter
        self.is_cached = is_cached
        self.name = name


class PartialValue(Value):
    """functools.partial and its like: a callable with arguments that come first."""

    __slots__ = ("arguments", "function", "is_method", "keywords")

    def __init__(
        self, function: Value, arguments: tuple[Value, ...], keywords: dict[str, Value], is_method: bool = False
    ) -> None:
        self.function = function
        self.arguments = arguments
        self.keywords = keywords
        self.is_method = is_method


class WrapperValue(Value):
    """A callable object around a function that stays what it wraps: lru_cache, singledispatch, contextmanager."""

    __slots__ = ("attributes", "function", "kind", "state")

    def __init__(self, kind: str, function: Value) -> None:
        self.kind = kind
        self.function = function
        self.attributes: Namespace = {}
        self.state: dict[Hashable, Any] = {}


class GeneratorValue(Value):
    """A generator or another iterator: nothing of it runs before it is asked for its next item."""

    __slots__ = ("has_ended", "iterator", "kind")

    def __init__(self, iterator: Iterator[Value], kind: str = "generator") -> None:
        self.iterator = iterator
        self.kind = kind
        self.has_ended = False


class CoroutineValue(Value):
    """The result of calling a coroutine function; it runs only when awaited."""

    __slots__ = ("run",)

    def __init__(self, run: Callable[[], Value]) -> None:
        self.run = run


class SuperValue(Value):
    __slots__ = ("cls", "receiver")

    def __init__(self, cls: ClassValue, receiver: Value | None) -> None:
        self.cls = cls
        self.receiver = receiver


class SliceValue(Value):
    __slots__ = ("lower", "step", "upper")

    def __init__(self, lower: Value, upper: Value, step: Value) -> None:
        self.lower = lower
        self.upper = upper
        self.step = step


class NamespaceValue(Value):
    """``globals()``, ``vars(x)``, ``x.__dict__``: a live view of a namespace."""

    __slots__ = ("namespace", "owner")

    def __init__(self, namespace: Namespace, owner: Value | None) -> None:
        self.namespace = namespace
        self.owner = owner


class GenericAlias(Value):
    """``Class[arguments]`` of a class that does not define ``__class_getitem__`` itself."""

    __slots__ = ("arguments", "origin")

    def __init__(self, origin: Value, arguments: tuple[Value, ...]) -> None:
        self.origin = origin
        self.arguments = arguments


class External(Value):
    """Something of a module outside the target, known by its dotted name only."""

    __slots__ = ("attributes", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.attributes: Namespace = {}

    def __repr__(self) -> str:
        return f"<external {self.name}>"


LONGEST_TEXT = 300
"""Characters of a symbolic value's text; longer ones are told apart by a digest."""


def _shortened(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{text[: LONGEST_TEXT - 20]}... #{digest}"


class Symbolic(Value):
    """A value that is not known; ``text`` is the expression that it stands for."""

    __slots__ = ("attributes", "compute", "enables", "inferred", "inputs", "likely", "negated", "size", "text")

    def __init__(
        self,
        text: str,
        likely: Value | None = None,
        inferred: Value | None = None,
        inputs: frozenset[str] = frozenset(),
        compute: Callable[[dict[str, Any]], Any] | None = None,
    ) -> None:
        self.text = text if len(text) <= LONGEST_TEXT else _shortened(text)
        self.size = 1
        """How many values it is computed from, with repetition: what it costs to compute it."""
        self.likely = likely
        """What the value most often is, where that is known (an environment variable is not set)."""
        self.inferred = inferred
        """The class of the value, as an annotation says."""
        self.inputs = inputs
        """The inputs (environment variables, platform) that alone determine the value; see ``compute``."""
        self.compute = compute
        """The value as plain Python, from those of the inputs."""
        self.enables = ""
        """An expression that can only be evaluated where this one is true."""
        self.negated: Value | None = None
        """The value whose truth is the opposite of this one's."""
        self.attributes: Namespace = {}

    def __repr__(self) -> str:
        return f"<symbolic {self.text}>"


class Choice(Value):
    """One of several values: the first is that of the world that is followed, the others are of worlds nearby."""

    __slots__ = ("main", "others")

    def __init__(self, main: Value, others: tuple[Value, ...]) -> None:
        self.main = main
        self.others = others


MOST_PARTS_OF_A_KEY = 10_000
"""Values inside a tuple that decide whether it is the same as another; a larger one is itself only."""


def key_of(value: Value) -> Hashable:
    """What identifies a value as a dict key or set member: equal constants are one key, other things are themselves."""
    kind = type(value)
    if kind is Constant:
        return (_kind_of_constant(value.value), value.value)  # type: ignore[attr-defined]
    if kind is ClassValue:
        return value
    return _Key().of(value)


class _Key:
    def __init__(self) -> None:
        self._left = MOST_PARTS_OF_A_KEY

    def of(self, value: Value) -> Hashable:
        self._left -= 1
        if self._left < 0:
            return value
        match value:
            case Constant(value=constant):
                return (_kind_of_constant(constant), constant)
            case TupleValue(items=items):
                return ("tuple", tuple(self.of(item) for item in items))
            case SetValue(items=members):
                return ("set", frozenset(members))
            case External(name=name):
                return ("external", name)
            case InstanceValue(payload=Constant() as content):  # a subclass of int or str
                return self.of(content)
            case Symbolic(text=text, compute=compute) if compute is not None:
                return ("symbolic", text)
            case BoundMethod(function=function, receiver=receiver):
                return ("method", self.of(function), self.of(receiver))
            case GenericAlias(origin=origin, arguments=arguments):
                return ("alias", self.of(origin), tuple(self.of(argument) for argument in arguments))
            case InstanceValue(cls=ClassValue(hasher=hasher)) if hasher is not None:
                return value.key if value.key is not None else hasher(value)
        return value


def _kind_of_constant(constant: object) -> str:
    """Numbers of all types compare equal to one another; nothing else does across types."""
    if isinstance(constant, int | float | complex) or type(constant) in (Decimal, Fraction):
        return "number"
    return type(constant).__name__


def constant(value: Any) -> Value:
    """The abstract value of a plain Python one (nested containers included)."""
    match value:
        case None:
            return NONE
        case True:
            return TRUE
        case False:
            return FALSE
        case tuple():
            return TupleValue(constant(item) for item in value)
        case list():
            return ListValue(constant(item) for item in value)
        case dict():
            return DictValue((constant(key), constant(item)) for key, item in value.items())
        case set() | frozenset():
            ordered = sorted(value, key=repr)
            return SetValue((constant(item) for item in ordered), isinstance(value, frozenset))
    return Constant(value)


def is_none(value: Value) -> bool:
    """Whether a value is the analysed program's ``None``."""
    return isinstance(value, Constant) and value.value is None


def maker_of(value: Value) -> External | None:
    """The class outside the target whose call gave a value, if one did."""
    if isinstance(value, Symbolic) and isinstance(value.inferred, External):
        return value.inferred if value.text.startswith(f"{value.inferred.name}(") else None
    return None


def is_plain(value: Value) -> bool:
    """Whether a value is plain data, known in full."""
    match value:
        case Constant():
            return True
        case TupleValue(items=items) | ListValue(items=items, is_open=False):
            return all(map(is_plain, items))
        case SetValue(items=members, is_open=False):
            return all(map(is_plain, members.values()))
        case DictValue(items=pairs, is_open=False, default=None):
            return all(is_plain(key) and is_plain(content) for key, content in pairs.values())
    return False


def copied(value: Value) -> Value:
    """Plain data once more, to be changed apart."""
    match value:
        case TupleValue(items=items):
            return TupleValue(copied(item) for item in items)
        case ListValue(items=items):
            return ListValue(copied(item) for item in items)
        case SetValue(items=members, is_frozen=is_frozen):
            return SetValue((copied(item) for item in members.values()), is_frozen)
        case DictValue(items=pairs):
            return DictValue((copied(key), copied(content)) for key, content in pairs.values())
    return value
