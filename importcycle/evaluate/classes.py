"""Classes: creation with its hooks, method resolution order, instances."""

from __future__ import annotations

import builtins
import types
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from importcycle.evaluate.bases import TRANSPARENT_BASES, is_abstract_base, is_to_be_overridden, namespace_of, own_slots
from importcycle.evaluate.core import Arguments, Core, library_class, library_object
from importcycle.evaluate.fields import synthesize
from importcycle.evaluate.frames import Frame
from importcycle.evaluate.signals import BudgetExceededError, Raised
from importcycle.evaluate.symbols import apply
from importcycle.values.model import (
    FALSE,
    NONE,
    TRUE,
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
    is_none,
    key_of,
    maker_of,
)

_ENUMERATIONS = frozenset(["enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag"])
_TRANSPARENT_METACLASSES = frozenset(("abc.ABCMeta", "enum.EnumMeta", "enum.EnumType"))
_CONTAINERS_BY_NAME = {
    "collections.UserDict": "dict", "collections.OrderedDict": "dict", "collections.UserList": "list",
    "typing.Dict": "dict", "typing.List": "list", "typing.Set": "set",
}  # fmt: skip
"""Classes of the library that act like builtin ones."""
_CONTAINERS = {"dict": DictValue, "list": ListValue, "set": SetValue, "frozenset": SetValue, "tuple": TupleValue}


def _merged(sequences: Sequence[tuple[Value, ...]]) -> list[Value] | None:
    """Every value of the sequences once, in an order that agrees with each of them (C3); None if there is none."""
    left = [[(key_of(each), each) for each in reversed(sequence)] for sequence in sequences]
    followers = Counter(key for sequence in left for key, _ in sequence[:-1])
    """How many sequences have something before the value."""
    result: list[Value] = []
    left = [sequence for sequence in left if sequence]
    while left:
        head = next((sequence[-1] for sequence in left if not followers[sequence[-1][0]]), None)
        if head is None:
            return None
        result.append(head[1])
        for sequence in left:
            if sequence[-1][0] == head[0]:
                sequence.pop()
                if sequence:
                    followers[sequence[-1][0]] -= 1
        left = [sequence for sequence in left if sequence]
    return result


def _slot(name: str) -> PropertyValue:
    """The descriptor of a slot."""

    def read(machine: Core, arguments: Arguments) -> Value:
        instance = arguments.positional[0]
        found = instance.attributes.get(name) if isinstance(instance, InstanceValue) else None
        if found is None:
            machine.raise_error("AttributeError", name)
        return found

    def write(machine: Core, arguments: Arguments) -> Value:
        instance, content = arguments.positional
        if isinstance(instance, InstanceValue):
            machine.trail.set_item(instance.attributes, name, content)
        return NONE

    return PropertyValue(NativeFunction(name, read), NativeFunction(name, write))


class Classes(Core):
    """Creates classes and instances as CPython's ``type`` does (Objects/typeobject.c)."""

    constructors: dict[str, Callable[[Any, Arguments], Value]]
    """What calling a builtin class gives, by its name."""
    flag_methods: dict[str, Callable[[Any, Arguments], Value]]
    """What ``enum.Flag`` defines."""

    def make_class(
        self,
        name: str,
        bases: tuple[Value, ...],
        namespace: Namespace,
        keywords: dict[str, Value],
        frame: Frame,
        line: int,
        qualified_name: str,
    ) -> Value:
        keywords = dict(keywords)
        meta = keywords.pop("metaclass", None)
        bases = tuple(base for index, base in enumerate(bases) if not _is_implied(base, bases, index))
        resolved = tuple(resolved for base in bases for resolved in self._resolved_base(base))
        if isinstance(meta, FunctionValue):  # any callable will do as metaclass
            return self.call(meta, Arguments((Constant(name), TupleValue(resolved), _as_dict(namespace)), keywords))
        meta = meta or self._derived_metaclass(resolved)
        if isinstance(meta, ClassValue) and not meta.is_builtin:
            return self._make_by_metaclass(meta, name, resolved, namespace, keywords)
        return self.build_class(name, resolved, namespace, keywords, meta)

    def _resolved_base(self, base: Value) -> tuple[Value, ...]:
        if isinstance(base, Choice):
            base = base.main
        if isinstance(base, GenericAlias):
            return self._resolved_base(base.origin)
        if isinstance(base, InstanceValue):
            entries = self.method_of(base, "__mro_entries__")
            if entries is not None:
                result = self.call(entries, Arguments((TupleValue((base,)),)))
                return result.items if isinstance(result, TupleValue) else ()
        if isinstance(base, External) and base.name in _CONTAINERS_BY_NAME:
            return (self.builtins[_CONTAINERS_BY_NAME[base.name]],)
        if isinstance(base, Constant | ModuleValue):
            self.raise_error("TypeError", f"{self.describe(base)} is not an acceptable base type")
        return (base,)

    def _derived_metaclass(self, bases: tuple[Value, ...]) -> Value | None:
        """The most derived metaclass of the bases."""
        found: Value | None = None
        for base in bases:
            meta = base.metaclass if isinstance(base, ClassValue) else None
            if meta is None:
                continue
            if found is None or (isinstance(meta, ClassValue) and found in meta.mro):
                found = meta
        return found

    def _make_by_metaclass(
        self, meta: ClassValue, name: str, bases: tuple[Value, ...], namespace: Namespace, keywords: dict[str, Value]
    ) -> Value:
        arguments = Arguments((Constant(name), TupleValue(bases), _as_dict(namespace)), keywords)
        custom_call = self.method_of(meta, "__call__")
        if custom_call is not None:
            return self.call(custom_call, arguments)
        create = self.class_attribute(meta, "__new__")
        if create is not None:
            function = create.function if isinstance(create, StaticMethod) else create
            cls = self.call(function, arguments.with_first(meta))
        else:
            cls = self.build_class(name, bases, namespace, keywords, meta)
        if isinstance(cls, ClassValue):
            initialise = self.class_attribute(meta, "__init__")
            if initialise is not None:
                self.call(BoundMethod(initialise, cls), arguments)
        return cls

    def build_class(
        self,
        name: str,
        bases: tuple[Value, ...],
        namespace: Namespace,
        keywords: dict[str, Value],
        meta: Value | None,
    ) -> ClassValue:
        """``type.__new__``: the class object, then ``__set_name__`` and ``__init_subclass__`` (PEP 487)."""
        cls = ClassValue(name, bases)
        qualified, module = namespace.get("__qualname__"), namespace.get("__module__")
        if isinstance(qualified, Constant):
            cls.qualified_name = str(qualified.value)
        if isinstance(module, Constant):
            cls.code_module = str(module.value)
        cls.namespace = {key: value for key, value in namespace.items() if key != "__qualname__"}
        cls.metaclass = meta
        cls.linearize(self._linearized(cls))
        cls.is_open = any(_may_add_attributes(each) for each in (meta.mro if isinstance(meta, ClassValue) else (meta,)))
        for each in cls.mro[1:]:
            if isinstance(each, ClassValue):
                cls.is_open = cls.is_open or each.is_open
            elif not (isinstance(each, External) and each.name in TRANSPARENT_BASES | _ENUMERATIONS):
                cls.is_open = True
        self._make_slots(cls)
        own = [self.class_attribute(cls, special) for special in ("__hash__", "__eq__")]
        if all(isinstance(each, FunctionValue) for each in own):
            cls.hasher = self._key_of_instance
        for base in bases:
            if isinstance(base, ClassValue) and not base.is_builtin:
                self.trail.append(base.subclasses, cls)
        if any(isinstance(each, External) and each.name in _ENUMERATIONS for each in cls.mro):
            self._make_members(cls)
        if any(isinstance(each, External) and each.name.endswith("NamedTuple") for each in bases):
            self.synthesize_fields(cls, Arguments(), is_tuple=True)
        for key in ("__init_subclass__", "__class_getitem__"):
            implicit = cls.namespace.get(key)
            if isinstance(implicit, FunctionValue):
                cls.namespace[key] = ClassMethod(implicit)
        for value in namespace.values():
            if isinstance(value, FunctionValue) and value.owner is None:
                value.owner = cls
        self._run_hooks(cls, keywords)
        return cls

    def _make_slots(self, cls: ClassValue) -> None:
        """The names in ``__slots__`` hide what base classes hold under them."""
        for name in own_slots(cls):
            if name not in cls.namespace and self.class_attribute(cls, name) is not None:
                cls.namespace[name] = _slot(name)

    def _key_of_instance(self, instance: InstanceValue) -> Hashable:
        """Instances of a class with a ``__hash__`` of its own are one key if that gives the same."""
        here = (self.frame, self.depth)
        instance.key = instance  # should the method look for it in a dict
        method = self.method_of(instance, "__hash__")
        mark, misses = self.trail.mark(), len(self.misses)
        try:
            given = self.call(method, Arguments()) if method is not None else None
        except (Raised, BudgetExceededError):
            given = None
            self.frame, self.depth = here
            del self.misses[misses:]
        finally:
            self.trail.commit(mark)
        instance.key = ("hash", given.value) if isinstance(given, Constant) else instance
        return instance.key

    def _run_hooks(self, cls: ClassValue, keywords: dict[str, Value]) -> None:
        for key, value in list(cls.namespace.items()):
            if isinstance(value, InstanceValue):
                hook = self.method_of(value, "__set_name__")
                if hook is not None:
                    self._set_name(hook, cls, key)
            elif isinstance(value, PropertyValue) and value.name is None:
                value.name = key
        for each in cls.mro[1:]:
            hook = each.namespace.get("__init_subclass__") if isinstance(each, ClassValue) else None
            if hook is not None:
                function = hook.function if isinstance(hook, ClassMethod) else hook
                self.call(function, Arguments((cls,), keywords))
                return

    def _set_name(self, hook: Value, cls: ClassValue, key: str) -> None:
        try:
            self.call(hook, Arguments((cls, Constant(key))))
        except Raised as error:
            if self.project.python_version >= (3, 12):
                raise
            self.raise_error("RuntimeError", "Error calling __set_name__", error.miss)  # until Python 3.12

    def _linearized(self, cls: ClassValue) -> tuple[Value, ...]:
        """The C3 linearization; external bases count as classes of which no more is known."""
        base = self.builtins["object"]
        if len(cls.bases) == 1 and isinstance(cls.bases[0], ClassValue):  # most often
            return cls, *cls.bases[0].mro
        sequences: list[tuple[Value, ...]] = []
        for each in cls.bases:
            sequences.append(each.mro if isinstance(each, ClassValue) else (each, base))
        sequences.append(cls.bases or (base,))
        merged = _merged(sequences)
        if merged is None:
            self.raise_error("TypeError", "Cannot create a consistent method resolution order (MRO)")
        return cls, *merged

    def _make_members(self, cls: ClassValue) -> None:
        """Members of an enumeration: each simple class attribute becomes an instance (Lib/enum.py)."""
        members = DictValue()
        for each in cls.class_mro:
            known = each.namespace.get("_member_map_")
            if isinstance(known, DictValue):
                members.items.update(known.items)
        contents: list[Value] = []
        firsts: dict[Hashable, InstanceValue] = {}
        for key, value in list(cls.namespace.items()):
            if key.startswith("_") or isinstance(value, _NOT_MEMBERS):
                continue
            member = InstanceValue(cls, value if isinstance(value, Constant) else None)
            content = self._next_member_value(key, (cls,), {}, contents) if _is_auto(value) else value
            contents.append(content)
            member.payload = content if self._holds_content(cls) else None
            member.attributes.update(
                {"name": Constant(key), "value": content, "_name_": Constant(key), "_value_": content}
            )
            cls.namespace[key] = member
            self._initialize_member(cls, member, content)
            # A member with the value of an earlier one is another name for that.
            cls.namespace[key] = member = firsts.setdefault(key_of(member.attributes["_value_"]), member)
            members.items[("str", key)] = (Constant(key), member)
        if any(isinstance(each, External) and each.name in ("enum.Flag", "enum.IntFlag") for each in cls.mro):
            for name, model in self.flag_methods.items():
                cls.namespace.setdefault(name, NativeFunction(name, model))
        cls.namespace["_member_map_"] = members
        cls.namespace["__members__"] = members

    def _holds_content(self, cls: ClassValue) -> bool:
        """Whether members are numbers or strings themselves."""
        mixed = ("enum.IntEnum", "enum.IntFlag", "enum.StrEnum")
        return any(
            each.name in mixed
            if isinstance(each, External)
            else each.is_builtin and each.name in ("int", "str", "float")
            for each in cls.mro
            if isinstance(each, External | ClassValue)
        )

    def begin_enumeration(self, bases: Sequence[Value]) -> tuple[Sequence[Value], list[Value]] | None:
        if any(isinstance(each, External) and each.name in _ENUMERATIONS for base in bases for each in _mro_of(base)):
            return bases, []
        return None

    def member_value(self, name: str, value: Value, body: Frame) -> Value:
        if body.enumeration is None or name.startswith("_") or isinstance(value, _NOT_MEMBERS):
            return value
        bases, contents = body.enumeration
        if _is_auto(value):
            value = self._next_member_value(name, bases, body.locals, contents)
        contents.append(value)
        return value

    def _next_member_value(
        self, name: str, bases: Sequence[Value], namespace: Namespace, contents: list[Value]
    ) -> Value:
        """What ``enum.auto()`` stands for: the value of the next member."""
        generate = namespace.get("_generate_next_value_")
        if generate is None:
            found = (
                self.class_attribute(base, "_generate_next_value_") for base in bases if isinstance(base, ClassValue)
            )
            generate = next((each for each in found if each is not None), None)
        count = len(contents)
        if generate is not None:
            function = generate.function if isinstance(generate, StaticMethod) else generate
            return self.call(function, Arguments((Constant(name), Constant(1), Constant(count), ListValue(contents))))
        kinds = {each.name for base in bases for each in _mro_of(base) if isinstance(each, External)}
        if "enum.StrEnum" in kinds:
            return Constant(name.lower())
        numbers = [each.value for each in contents if isinstance(each, Constant) and isinstance(each.value, int)]
        if kinds & {"enum.Flag", "enum.IntFlag"}:
            return Constant(1 << max((number.bit_length() for number in numbers), default=0))
        return Constant(max(numbers) + 1 if numbers else count + 1)

    def _initialize_member(self, cls: ClassValue, member: InstanceValue, content: Value) -> None:
        create = self.class_attribute(cls, "__new__")
        arguments = content.items if isinstance(content, TupleValue) else (content,)
        if isinstance(create, FunctionValue):
            made = self.call(create, Arguments((cls, *arguments)))
            if isinstance(made, InstanceValue):
                member.attributes.update({k: v for k, v in made.attributes.items() if k not in ("name", "_name_")})
                member.attributes["value"] = made.attributes.get("_value_", content)
        initialise = self.class_attribute(cls, "__init__")
        if isinstance(initialise, FunctionValue):
            self.call(BoundMethod(initialise, member), Arguments(arguments))

    # ------------------------------------------------------------------------------------------ instances
    def instantiate(self, cls: ClassValue, arguments: Arguments) -> Value:
        meta = cls.metaclass
        if isinstance(meta, ClassValue) and not meta.is_builtin:
            custom = self.class_attribute(meta, "__call__")
            if custom is not None:
                return self.call(BoundMethod(custom, cls), arguments)
        return self.create_instance(cls, arguments)

    def create_instance(self, cls: ClassValue, arguments: Arguments) -> Value:
        """``type.__call__``: ``__new__``, then ``__init__`` if an instance of the class came out."""
        if cls.is_builtin:
            constructor = self.constructors.get(cls.name)
            if constructor is None:
                return self._plain_instance(cls, arguments)
            return self.call(NativeFunction(cls.name, constructor), arguments)
        if any(isinstance(each, ClassValue) and each.name == "type" for each in cls.mro):
            return self._make_class_by_call(cls, arguments)
        if any(_is_named(each, "TypedDict") for each in cls.mro):
            return self.constructors["dict"](self, arguments)
        members = self.class_attribute(cls, "_member_map_")
        if isinstance(members, DictValue) and members.items:
            return self._member_by_value(cls, members, arguments)
        create = self.class_attribute(cls, "__new__")
        if create is not None:
            function = create.function if isinstance(create, StaticMethod) else create
            instance = self.call(function, arguments.with_first(cls))
            if not (isinstance(instance, InstanceValue) and cls in instance.cls.mro):
                return instance
        else:
            instance = self.allocate(cls, arguments)
        initialise = self.class_attribute(instance.cls, "__init__")
        if initialise is not None:
            self.call(self.bind_method(initialise, instance), arguments)
        elif any(isinstance(each, External) and each.name == "types.ModuleType" for each in instance.cls.mro):
            self.call(self.get_attribute(SuperValue(instance.cls, instance), "__init__"), arguments)
        elif cls.is_open:
            for name, value in arguments.keywords.items():  # models of other packages keep their keyword arguments
                self.trail.set_item(instance.attributes, name, value)
        return instance

    def bind_method(self, function: Value, receiver: InstanceValue) -> Value:
        """A function found on the class, bound."""
        return function if isinstance(function, StaticMethod) else BoundMethod(function, receiver)

    def allocate(self, cls: ClassValue, arguments: Arguments) -> InstanceValue:
        """``object.__new__``, or that of the builtin container that the class derives from."""
        if self._is_abstract(cls):
            self.raise_error("TypeError", f"Can't instantiate abstract class {cls.name}")
        instance = InstanceValue(cls)
        instance.is_open = cls.is_open
        for each in cls.class_mro:
            if each.is_builtin and each.name != "object":
                instance.payload = self._payload(cls, each, arguments)
                if instance.payload is None and self._is_exception(each):
                    instance.attributes.update(_exception_attributes(each, arguments))
                break
        return instance

    def _is_abstract(self, cls: ClassValue) -> bool:
        """Whether abc keeps the class from having instances: a method of its bases is still to be overridden."""
        if cls.is_open or not is_abstract_base(cls):
            return False
        return bool(self.abstract_names(cls))

    def abstract_names(self, cls: ClassValue) -> list[str]:
        names = dict.fromkeys(name for each in cls.class_mro if not each.is_builtin for name in each.namespace)
        return [name for name in names if is_to_be_overridden(self.class_attribute(cls, name))]

    def _payload(self, cls: ClassValue, builtin: ClassValue, arguments: Arguments) -> Value | None:
        container = _CONTAINERS.get(builtin.name)
        has_own = self.class_attribute(cls, "__init__") is not None
        if container is not None and (has_own and builtin.name != "tuple"):
            return self.constructors[builtin.name](self, Arguments())
        if container is not None or builtin.name in ("str", "int", "float", "bytes"):
            constructor = self.constructors.get(builtin.name)
            keywords = arguments.keywords if builtin.name == "dict" else {}
            return constructor(self, Arguments(arguments.positional[:1], keywords)) if constructor else None
        return None

    def _is_exception(self, cls: ClassValue) -> bool:
        return any(each.name == "BaseException" for each in cls.class_mro)

    def _plain_instance(self, cls: ClassValue, arguments: Arguments) -> Value:
        instance = InstanceValue(cls)
        if self._is_exception(cls):
            instance.attributes.update(_exception_attributes(cls, arguments))
        return instance

    def _make_class_by_call(self, meta: ClassValue, arguments: Arguments) -> Value:
        if len(arguments.positional) < 3:
            return self.unknown(f"{meta.name}(...)")
        name, bases, namespace = arguments.positional[:3]
        values = namespace_of(namespace)
        resolved = tuple(self.items_of(bases) or ())
        return self._make_by_metaclass_without_call(
            meta, self.text_of(name) or "?", resolved, values, arguments.keywords
        )

    def _make_by_metaclass_without_call(
        self, meta: ClassValue, name: str, bases: tuple[Value, ...], namespace: Namespace, keywords: dict[str, Value]
    ) -> Value:
        arguments = Arguments((Constant(name), TupleValue(bases), _as_dict(namespace)), keywords)
        create = self.class_attribute(meta, "__new__")
        if create is not None:
            cls = self.call(create, arguments.with_first(meta))
        else:
            cls = self.build_class(name, bases, namespace, keywords, meta)
        initialise = self.class_attribute(meta, "__init__")
        if initialise is not None and isinstance(cls, ClassValue):
            self.call(BoundMethod(initialise, cls), arguments)
        return cls

    def _member_by_value(self, cls: ClassValue, members: DictValue, arguments: Arguments) -> Value:
        if not arguments.positional:
            return self.unknown(f"{cls.name}()")
        wanted = arguments.positional[0]
        for _, member in members.items.values():
            if isinstance(member, InstanceValue):
                if member is wanted:
                    return member
                value = member.attributes.get("value")
                if value is not None and self._is_member_value(value, wanted):
                    return member
        if self.is_exact and isinstance(wanted, Symbolic) and wanted.compute is not None:
            self.raise_error("ValueError", f"{self.describe(wanted)} is not a valid {cls.name}")
        missing = self.class_attribute(cls, "_missing_")
        if missing is not None and isinstance(wanted, Constant):
            function = missing.function if isinstance(missing, ClassMethod) else missing
            return self.call(function, Arguments((cls, wanted)))
        if isinstance(wanted, Constant) and not any(map(_has_unknown_value, members.items.values())):
            self.raise_error("ValueError", f"{self.describe(wanted)} is not a valid {cls.name}")
        instance = InstanceValue(cls)
        instance.is_open = True
        return instance

    def _is_member_value(self, value: Value, wanted: Value) -> bool:
        if key_of(value) == key_of(wanted):
            return True
        if not self.is_exact or not any(
            isinstance(each, Symbolic) and each.compute is not None for each in (value, wanted)
        ):
            return False
        test = self.compare("==", wanted, value)
        return self.decide(test, self.describe(test), self.running.line, self.running)

    # ------------------------------------------------------------------------------------------ fields
    def synthesize_fields(self, cls: ClassValue, options: Arguments, is_tuple: bool = False) -> None:
        """Give a dataclass-like class an ``__init__`` made from its annotations (dataclasses, attrs, NamedTuple)."""
        synthesize(self, cls, options, is_tuple)

    # ------------------------------------------------------------------------------------------ tests
    def class_of(self, value: Value) -> Value | None:
        match value:
            case InstanceValue(cls=cls):
                return cls
            case ClassValue(metaclass=meta):
                return meta or self.builtins["type"]
            case Constant(value=content):
                return self.builtins.get(type(content).__name__) or External(f"types.{type(content).__name__}")
            case Symbolic(inferred=ClassValue(is_builtin=True) as made, text=text):
                return made if text.startswith(f"{made.name}(") else None  # what a call of the class itself gave
            case Symbolic() | External():
                return None
            case Choice(main=main):
                return self.class_of(main)
            case ModuleValue():
                return External("types.ModuleType")
            case FunctionValue():
                return External("types.FunctionType")
            case BoundMethod():
                return External("types.MethodType")
            case NativeFunction():
                return External("types.BuiltinFunctionType")
            case GeneratorValue(kind="generator"):
                return External("types.GeneratorType")
            case CoroutineValue():
                return External("types.CoroutineType")
            case SetValue(is_frozen=is_frozen):
                return self.builtins["frozenset" if is_frozen else "set"]
        name = {
            TupleValue: "tuple", ListValue: "list", DictValue: "dict", PropertyValue: "property",
            StaticMethod: "staticmethod", ClassMethod: "classmethod", SliceValue: "slice",
        }.get(type(value))  # fmt: skip
        return self.builtins.get(name) if name else None

    def is_instance(self, value: Value, cls: Value) -> bool | None:
        if isinstance(cls, TupleValue):
            return _any(self.is_instance(value, each) for each in cls.items)
        if isinstance(cls, GenericAlias) and isinstance(cls.origin, External) and cls.origin.name == "typing.Union":
            return _any(self.is_instance(value, each) for each in cls.arguments)
        if is_none(cls):
            return is_none(value)
        if isinstance(cls, ClassValue) and isinstance(cls.metaclass, ClassValue):
            custom = self.class_attribute(cls.metaclass, "__instancecheck__")
            if custom is not None:
                return self.known_truth(self.call(BoundMethod(custom, cls), Arguments((value,))))
        if isinstance(cls, InstanceValue):
            custom = self.method_of(cls, "__instancecheck__")
            if custom is not None:
                return self.known_truth(self.call(custom, Arguments((value,))))
        if isinstance(value, ClassValue) and isinstance(cls, ClassValue) and cls is self.builtins["type"]:
            return True
        own = self.class_of(value)
        if own is None:
            return self._is_instance_by_kind(value, cls)
        if isinstance(cls, ClassValue) and any(_is_named(base, "Protocol") for base in cls.bases):
            return cls in getattr(own, "mro", ()) or self._has_members(value, cls)
        if isinstance(cls, External):
            return self._is_external_instance(value, own, cls)
        return self.is_subclass(own, cls)

    def _is_instance_by_kind(self, value: Value, cls: Value) -> bool | None:
        """Whether a value whose class is none of the program's is an instance of a builtin or standard class."""
        if isinstance(value, WrapperValue | PartialValue | GeneratorValue) and cls is self.builtins["type"]:
            return False
        found = library_object(value.name) if isinstance(value, External) else None
        if found is None or value.name in _CLASSES_AT_TIMES:  # type: ignore[attr-defined]
            return _is_made_by(value, cls)
        is_builtin = isinstance(cls, ClassValue) and cls.is_builtin
        wanted = getattr(builtins, cls.name, None) if is_builtin else None  # type: ignore[attr-defined]
        if isinstance(cls, External):
            wanted = library_class(cls.name)
        return isinstance(found, wanted) if isinstance(wanted, type) else None

    def _has_members(self, value: Value, protocol: ClassValue) -> bool:
        """Whether a value has all that a protocol, checked at run time, asks for."""
        names: set[str] = set()
        for each in protocol.class_mro:
            annotations = each.namespace.get("__annotations__")
            if not each.is_builtin:
                names |= {name for name in each.namespace if name not in _NOT_OF_PROTOCOLS}
            if isinstance(annotations, DictValue):
                names |= {self.text_of(key) or "" for key, _ in annotations.items.values()}
        return all(self.find_attribute(value, name) is not None for name in names)

    def test_of_instance(self, value: Value, cls: Value) -> Value:
        known = self.is_instance(value, cls)
        if known is not None:
            return TRUE if known else FALSE
        text = f"isinstance({self.describe(value)}, {self.describe(cls)})"
        plain_class = getattr(builtins, cls.name, None) if isinstance(cls, ClassValue) and cls.is_builtin else None
        if isinstance(plain_class, type):
            return apply(text, lambda content: isinstance(content, plain_class), value)
        return self.unknown(text)

    def _is_external_instance(self, value: Value, own: Value, cls: External) -> bool | None:
        known = library_class(cls.name)
        if known is not None and isinstance(value, Constant):
            return isinstance(value.value, known)
        plain_class = _PLAIN_CLASSES.get(type(value))
        if known is not None and plain_class is not None:
            return issubclass(plain_class, known)
        short = cls.name.rpartition(".")[2]
        asked = _ASKED_BY_ABSTRACT_CLASSES.get(short) if isinstance(value, InstanceValue) else None
        if asked is not None and cls.name.startswith(("collections.abc.", "typing.")):
            methods = [self.class_attribute(value.cls, name) for name in asked]  # type: ignore[attr-defined]
            return not any(each is None or is_none(each) for each in methods)
        if cls.name == "types.CodeType":
            return isinstance(value, InstanceValue) and value.cls.name == "code"
        if cls.name in ("types.NoneType", "types.EllipsisType"):
            return isinstance(value, Constant) and value.value is (None if short == "NoneType" else ...)
        kinds: dict[str, tuple[type[Value], ...]] = {
            "ModuleType": (ModuleValue,), "FunctionType": (FunctionValue,), "LambdaType": (FunctionValue,),
            "MethodType": (BoundMethod,), "Mapping": (DictValue,), "MutableMapping": (DictValue,),
            "Sequence": (ListValue, TupleValue), "MutableSequence": (ListValue,), "Set": (SetValue,),
        }  # fmt: skip
        if short in kinds:
            return isinstance(value, kinds[short]) if not isinstance(value, InstanceValue) else None
        if short == "Callable":
            return isinstance(value, FunctionValue | BoundMethod | ClassValue | NativeFunction)
        if short in ("Iterable", "Collection"):
            return isinstance(value, ListValue | TupleValue | DictValue | SetValue)
        return self.is_subclass(own, cls)

    def is_subclass(self, value: Value, cls: Value) -> bool | None:
        if isinstance(cls, TupleValue):
            return _any(self.is_subclass(value, each) for each in cls.items)
        if isinstance(value, GenericAlias):
            value = value.origin
        if isinstance(cls, GenericAlias):
            cls = cls.origin
        if isinstance(value, Choice):
            value = value.main
        custom = self._subclass_check(cls)
        if custom is not None:
            return self.known_truth(self.call(custom, Arguments((value,))))
        if isinstance(cls, ClassValue) and isinstance(value, ClassValue) and not cls.is_builtin:
            hooked = self._by_hook(value, cls)
            if hooked is not None:
                return hooked
        if isinstance(value, External) and isinstance(cls, External):
            return True if value.name == cls.name else None
        if isinstance(value, External) and value.name.startswith("types.") and isinstance(cls, ClassValue):
            return cls.name == "object"
        if not isinstance(value, ClassValue) or not isinstance(cls, ClassValue | External):
            return None
        if value.is_builtin and isinstance(cls, External):
            return None
        if cls in value.mro if isinstance(cls, ClassValue) else key_of(cls) in map(key_of, value.mro):
            return True
        if isinstance(cls, ClassValue) and cls.name == "object":
            return True
        if isinstance(cls, ClassValue) and cls.is_builtin:
            return self._derives_from_builtin(value, cls)
        unknown = any(isinstance(each, Symbolic) for each in value.mro)
        if isinstance(cls, External) and any(
            isinstance(e, External) and e.name not in TRANSPARENT_BASES for e in value.mro
        ):
            unknown = True
        return None if unknown else False

    def _subclass_check(self, cls: Value) -> Value | None:
        """The ``__subclasscheck__`` of the program that answers for a class, or for an instance given as one."""
        if isinstance(cls, InstanceValue):
            return self.method_of(cls, "__subclasscheck__")
        if isinstance(cls, ClassValue) and isinstance(cls.metaclass, ClassValue):
            custom = self.class_attribute(cls.metaclass, "__subclasscheck__")
            return None if custom is None or isinstance(custom, NativeFunction) else BoundMethod(custom, cls)
        return None

    def _by_hook(self, value: ClassValue, cls: ClassValue) -> bool | None:
        """What an abstract class says by ``__subclasshook__``, or by the classes that it has registered."""
        if not is_abstract_base(cls):
            return None
        hook = self.class_attribute(cls, "__subclasshook__")
        if isinstance(hook, ClassMethod):
            answer = self.call(hook.function, Arguments((cls, value)))
            if not (isinstance(answer, Constant) and answer.value is NotImplemented):
                return self.known_truth(answer)
        registered = [derived.namespace.get("_abc_registry") for derived in _with_subclasses(cls)]
        known = [each for held in registered if isinstance(held, TupleValue) for each in held.items]
        return True if any(each in value.mro for each in known) else None

    def _derives_from_builtin(self, value: ClassValue, cls: ClassValue) -> bool | None:
        """Whether one of the bases of others is, or derives from, a builtin class."""
        wanted = getattr(builtins, cls.name, None)
        results: list[bool | None] = []
        for each in value.mro:
            if isinstance(each, External) and each.name not in TRANSPARENT_BASES:
                known = library_class(each.name)
                decided = known is not None and isinstance(wanted, type)
                results.append(issubclass(known, wanted) if decided else None)  # type: ignore[arg-type]
            elif isinstance(each, Symbolic):
                results.append(None)
        return _any(results)


_PLAIN_CLASSES: dict[type[Value], type] = {
    ListValue: list, TupleValue: tuple, DictValue: dict, SetValue: set, GeneratorValue: types.GeneratorType,
    FunctionValue: types.FunctionType, BoundMethod: types.MethodType, NativeFunction: types.BuiltinFunctionType,
    ClassValue: type, ModuleValue: types.ModuleType, CoroutineValue: types.CoroutineType,
}  # fmt: skip
"""What is made of values that are no instances of the program's own classes."""
_ASKED_BY_ABSTRACT_CLASSES: dict[str, tuple[str, ...]] = {
    "Callable": ("__call__",), "Iterable": ("__iter__",), "Iterator": ("__iter__", "__next__"), "Sized": ("__len__",),
    "Container": ("__contains__",), "Collection": ("__len__", "__iter__", "__contains__"),
    "Reversible": ("__iter__", "__reversed__"), "Awaitable": ("__await__",), "AsyncIterable": ("__aiter__",),
}  # fmt: skip
"""The methods by which an abstract class of the library takes a class for one of its own."""
_CLASSES_AT_TIMES = frozenset(["threading.Lock", "typing.Annotated", "typing.Any"])
"""What is a class in some versions of Python, and none in others."""
_NOT_OF_PROTOCOLS = frozenset(
    ["__module__", "__qualname__", "__doc__", "__annotations__", "__init__", "__slots__", "__class_getitem__"]
)
_NOT_MEMBERS = (FunctionValue, ClassMethod, StaticMethod, PropertyValue, NativeFunction, ClassValue, BoundMethod)


def _exception_attributes(cls: ClassValue, arguments: Arguments) -> Namespace:
    """What a builtin exception keeps of its arguments."""
    given = arguments.positional
    found: Namespace = {"args": TupleValue(given)}
    names = {each.name for each in cls.class_mro}
    if "BaseExceptionGroup" in names and len(given) > 1:
        members = given[1].items if isinstance(given[1], ListValue | TupleValue) else ()
        found |= {"message": given[0], "exceptions": TupleValue(members)}
    if "StopIteration" in names:
        found["value"] = given[0] if given else NONE
    if "SystemExit" in names:
        found["code"] = NONE if not given else given[0] if len(given) == 1 else TupleValue(given)
    if "ImportError" in names:
        found["msg"] = given[0] if len(given) == 1 else NONE
        found |= {name: arguments.keywords.get(name, NONE) for name in ("name", "path")}
    if "NameError" in names or "AttributeError" in names:
        found |= {name: arguments.keywords[name] for name in ("name", "obj") if name in arguments.keywords}
    return found


def _is_made_by(value: Value, cls: Value) -> bool | None:
    """Whether what a call of a standard class gave is an instance of another."""
    maker = maker_of(value)
    if maker is None or not isinstance(cls, External):
        return None
    made, wanted = library_class(maker.name), library_class(cls.name)
    if made is None or wanted is None:
        return None
    return issubclass(made, wanted)


def _may_add_attributes(meta: Value | None) -> bool:
    """Whether a metaclass, or a base of one, may give its classes attributes that are not known."""
    return isinstance(meta, External | Symbolic) and getattr(meta, "name", "") not in _TRANSPARENT_METACLASSES


def _with_subclasses(cls: ClassValue) -> Iterator[ClassValue]:
    yield cls
    for each in cls.subclasses:
        yield from _with_subclasses(each)


def _mro_of(base: Value) -> tuple[Value, ...]:
    return base.mro if isinstance(base, ClassValue) else (base,)


def _is_auto(value: Value) -> bool:
    """Whether it is what ``enum.auto()`` gives."""
    return isinstance(value, Symbolic) and value.text.startswith("enum.auto(")


def _is_implied(base: Value, bases: tuple[Value, ...], index: int) -> bool:
    """``Generic[...]`` leaves the bases when another of them brings it (its ``__mro_entries__``)."""
    if not (isinstance(base, GenericAlias) and _is_named(base.origin, "Generic")):
        return False
    if any(_is_named(each, "Protocol") for each in bases):
        return True
    return any(
        isinstance(each, GenericAlias) and not (isinstance(each.origin, ClassValue) and each.origin.is_builtin)
        for each in bases[index + 1 :]
    )


def _is_named(value: Value, name: str) -> bool:
    return isinstance(value, External) and value.name in (f"typing.{name}", f"typing_extensions.{name}")


def _any(results: Any) -> bool | None:
    found = list(results)
    return True if True in found else (None if None in found else False)


def _as_dict(namespace: Namespace) -> DictValue:
    return DictValue((Constant(name), value) for name, value in namespace.items())


def _has_unknown_value(member: tuple[Value, Value]) -> bool:
    """Whether nobody can tell, in any world, which value a member of an enumeration has."""
    value = member[1].attributes.get("value") if isinstance(member[1], InstanceValue) else None
    return isinstance(value, Symbolic) and value.compute is None
