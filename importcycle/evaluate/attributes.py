"""Attributes: lookup on every kind of value, with descriptors, ``__getattr__`` and the module rules of PEP 562."""

from __future__ import annotations

import builtins
import datetime
import decimal
import fractions
import inspect
import re
import types
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

from importcycle.evaluate.bases import TRANSPARENT_BASES, is_abstract_base, is_left_to_subclasses, own_slots
from importcycle.evaluate.core import Arguments, Core, Model, library_class, library_object
from importcycle.evaluate.mixins import mixed_in_method
from importcycle.evaluate.signals import BudgetExceededError, Raised
from importcycle.evaluate.sizes import is_large_method
from importcycle.evaluate.symbols import UnknownError, apply, plain
from importcycle.evaluate.worlds import joined
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
    LazyImport,
    ListValue,
    ModuleValue,
    Namespace,
    NamespaceValue,
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
    constant,
    is_none,
)

Methods = dict[str, Callable[[Any, Any, Arguments], Value]]


class Attributes(Core):
    """Reads and writes attributes by the type of the value."""

    native_methods: dict[type[Value], Methods]
    """Methods of builtin types."""
    object_methods: dict[str, Callable[[Any, Arguments], Value]]
    """What ``object`` itself defines."""
    type_methods: dict[str, Callable[[Any, Arguments], Value]]
    """What ``type`` itself defines, for metaclasses."""
    base_methods: Mapping[str, Mapping[str, Model]]
    """Methods of classes outside the target that classes of the target derive from, by class and name."""
    external_values: dict[str, Callable[[Any], Value]]
    """What is known of names outside the target."""

    def _attribute_table(self) -> dict[type[Value], Callable[[Any, str], Value | None]]:
        return {
            ModuleValue: self._of_module,
            ClassValue: self._of_class,
            InstanceValue: self._of_instance,
            FunctionValue: self._of_function,
            BoundMethod: self._of_method,
            External: self._of_external,
            Symbolic: self._of_symbolic,
            Constant: self._of_constant,
            Choice: self._of_choice,
            SuperValue: self._of_super,
            PropertyValue: self._of_property,
            PartialValue: self._of_partial,
            WrapperValue: self._of_wrapper,
            GenericAlias: self._of_alias,
            NativeFunction: self._of_native_function,
            StaticMethod: self._of_method_object,
            ClassMethod: self._of_method_object,
            TupleValue: self._of_container,
            ListValue: self._of_container,
            DictValue: self._of_container,
            SetValue: self._of_container,
            GeneratorValue: self._of_container,
            CoroutineValue: self._of_container,
            NamespaceValue: self._of_container,
            SliceValue: self._of_slice,
        }

    _attributes: dict[type[Value], Callable[[Any, str], Value | None]]

    def get_attribute(self, value: Value, name: str) -> Value:
        handler = self._attributes.get(type(value))
        found = handler(value, name) if handler is not None else self.unknown(f"{self.describe(value)}.{name}")
        if found is None and name == "__class__":
            found = self.class_of(value)
        if found is None:
            self._refuse(value, name)
        return found

    def _refuse(self, value: Value, name: str) -> NoReturn:
        """What CPython says where a value has no such attribute."""
        cls = self.class_of(value)
        kind = cls.name if isinstance(cls, ClassValue) else self.describe(value)
        if isinstance(value, Constant):
            kind = type(value.value).__name__
        shown = f"type object '{value.name}'" if isinstance(value, ClassValue) else f"'{kind}' object"
        try:
            self.raise_error("AttributeError", f"{shown} has no attribute '{name}'")
        except Raised as error:
            if isinstance(error.value, InstanceValue):
                error.value.attributes |= {"name": Constant(name), "obj": value}
            raise

    def find_attribute(self, value: Value, name: str) -> Value | None:
        misses = len(self.misses)
        try:
            return self.get_attribute(value, name)
        except Raised as error:
            if error.type_name == "AttributeError":
                del self.misses[misses:]
                return None
            raise

    def probe_attribute(self, value: Value, name: str) -> Value | None:
        misses = len(self.misses)
        try:
            return self.get_attribute(value, name)
        except Raised as error:
            if error.type_name != "AttributeError":
                raise
            del self.misses[misses:]
            if error.miss is not None and error.miss.stack[-1].frame is not self.running.outside_comprehensions:
                self.note_swallowed(error, self.running, self.running.line)
            return None

    # ------------------------------------------------------------------------------------------ modules
    def _of_module(self, module: ModuleValue, name: str) -> Value | None:
        own = self.class_attribute(module.cls, name) if module.cls is not None else None
        if isinstance(own, PropertyValue):
            return self._read_property(own, module)
        value = module.namespace.get(name)
        if type(value) is LazyImport:
            return self.import_system.load_lazily(module, name, value)
        if value is not None:
            return value
        self.asked.missed.add(name)
        if own is not None and module.cls is not None:
            return self.bind(own, module, module.cls)
        if name == "__dict__":
            return self.namespace_of(module)
        if name == "__class__":
            return module.cls or External("types.ModuleType")
        fallback = module.namespace.get("__getattr__")
        by_class = self.class_attribute(module.cls, "__getattr__") if module.cls is not None else None
        if by_class is not None:
            fallback = BoundMethod(by_class, module)
        if fallback is not None:
            try:
                return self.call(fallback, Arguments((Constant(name),)))
            except Raised as error:
                if error.type_name == "AttributeError" and error.miss is None:
                    error.miss = self.import_system.missed_attribute(module, name)
                if error.miss is not None and (error.miss.module, error.miss.name) in self.repaired:
                    return self.unknown(f"{module.name}.{name}")
                raise
        if module.is_open and name not in _TOLD_BY_ABSENCE:
            return self.unknown(f"{module.name}.{name}")
        miss = self.import_system.missed_attribute(module, name)
        if miss is not None and (miss.module, miss.name) in self.repaired:
            return self.unknown(f"{module.name}.{name}")
        try:
            self.raise_error("AttributeError", self._refusal(module, name), miss, explicit=True)
        except Raised as error:
            error.shadow = self.import_system.shadow_miss(module, "AttributeError", name)
            if isinstance(error.value, InstanceValue):
                error.value.attributes |= {"name": Constant(name), "obj": module}
            raise

    def _refusal(self, module: ModuleValue, name: str) -> str:
        """What CPython says where a module has no such attribute."""
        circular = "(most likely due to a circular import)"
        version = self.project.python_version
        file = module.namespace.get("__file__")
        origin = f" from {file.value!r}" if isinstance(file, Constant) and version >= (3, 13) else ""
        if module.is_initializing:
            return f"partially initialized module {module.name!r}{origin} has no attribute {name!r} {circular}"
        child = self.import_system.loaded_modules().get(f"{module.name}.{name}")
        if version >= (3, 11) and isinstance(child, ModuleValue) and child.is_initializing:
            return f"cannot access submodule {name!r} of module {module.name!r} {circular}"
        return f"module {module.name!r} has no attribute {name!r}"

    # ------------------------------------------------------------------------------------------ classes
    def class_attribute(self, cls: ClassValue, name: str) -> Value | None:
        for each in cls.class_mro:
            value = each.namespace.get(name)
            if value is not None:
                return value
        return None

    def _of_class(self, cls: ClassValue, name: str) -> Value | None:
        meta = cls.metaclass
        if isinstance(meta, ClassValue) and not meta.is_builtin:
            custom = self.class_attribute(meta, "__getattribute__")
            if isinstance(custom, FunctionValue):
                return self.call(custom, Arguments((cls, Constant(name))))
        return self.type_attribute(cls, name)

    def type_attribute(self, cls: ClassValue, name: str) -> Value | None:
        meta = cls.metaclass
        if isinstance(meta, ClassValue) and not meta.is_builtin:
            found = self.class_attribute(meta, name)
            if isinstance(found, PropertyValue):
                return self.bind(found, cls, meta)
        value = self.class_attribute(cls, name)
        if value is not None:
            return self.bind(value, None, cls)
        special = self._class_special(cls, name)
        if special is not None:
            return special
        if name in self.object_methods:  # every class inherits them; only then is the metaclass asked
            is_meta = any(each.is_builtin and each.name == "type" for each in cls.class_mro)
            methods = self.type_methods if is_meta and name in self.type_methods else self.object_methods
            return NativeFunction(name, lambda machine, arguments: methods[name](machine, arguments))
        if isinstance(meta, ClassValue) and not meta.is_builtin:
            found = self.class_attribute(meta, name)
            if found is not None:
                return self.bind(found, cls, meta)
            fallback = self.class_attribute(meta, "__getattr__")
            if fallback is not None:
                return self.call(self.bind(fallback, cls, meta), Arguments((Constant(name),)))
            if meta.is_open:
                return self.unknown(f"{cls.name}.{name}")
        if cls.is_open or any(isinstance(each, External) for each in cls.mro) or isinstance(meta, External | Symbolic):
            return None if _is_surely_absent(cls, name) else self.unknown(f"{cls.name}.{name}")
        if cls.is_builtin:
            return self._of_builtin_class(cls, name)
        if any(each.is_builtin and each.name not in ("object", "type") for each in cls.class_mro):
            return self.unknown(f"{cls.name}.{name}")
        if name.startswith("__") and name.endswith("__") and name not in ("__getattr__", "__wrapped__", "__call__"):
            return self._absent_special(cls, name)
        return None

    def _absent_special(self, cls: ClassValue, name: str) -> Value | None:
        """Special attributes that every class has, though nothing is known of their value."""
        return self.unknown(f"{cls.name}.{name}") if name in _SPECIAL_OF_CLASSES else None

    def _class_special(self, cls: ClassValue, name: str) -> Value | None:
        match name:
            case "__name__":
                return Constant(cls.name)
            case "__qualname__":
                return Constant(cls.qualified_name)
            case "__module__":
                return Constant(cls.code_module)
            case "__mro__":
                return TupleValue(cls.mro)
            case "__bases__":
                return TupleValue(cls.bases or ((self.builtins["object"],) if cls.name != "object" else ()))
            case "__dict__":
                return NamespaceValue(cls.namespace, cls)
            case "__class__":
                return cls.metaclass or self.builtins["type"]
            case "__doc__":
                return NONE
            case "__annotations__":
                return cls.namespace.get("__annotations__") or DictValue()
            case "mro":
                return NativeFunction("mro", lambda machine, arguments: ListValue(cls.mro))
            case "__subclasses__":
                return NativeFunction("__subclasses__", lambda machine, arguments: ListValue(cls.subclasses))
            case "__abstractmethods__" if is_abstract_base(cls):
                return SetValue(map(Constant, self.abstract_names(cls)), is_frozen=True)
            case "register" if is_abstract_base(cls):
                return NativeFunction(
                    "register", lambda machine, arguments: _register_subclass(machine, cls, arguments)
                )
        return None

    def _of_builtin_class(self, cls: ClassValue, name: str) -> Value | None:
        """``dict.fromkeys``, ``str.lower``, ``list.append`` ... as plain functions."""
        if cls.name == "type" and name in self.type_methods:
            return NativeFunction(name, lambda machine, arguments: self.type_methods[name](machine, arguments))

        def unbound(machine: Core, arguments: Arguments) -> Value:
            if not arguments.positional:
                return self.unknown(f"{cls.name}.{name}()")
            receiver = arguments.positional[0]
            if isinstance(receiver, InstanceValue) and receiver.payload is not None:
                receiver = receiver.payload
            return machine.call(machine.get_attribute(receiver, name), arguments.after_first())

        real = getattr(builtins, cls.name, None)
        if isinstance(real, type) and not hasattr(real, name):
            return None
        if cls.name == "dict" and name == "fromkeys":
            return NativeFunction(name, _dict_from_keys)
        if cls.name in _PLAIN_CLASSES and isinstance(
            vars(_PLAIN_CLASSES[cls.name]).get(name), staticmethod | _CLASS_METHOD
        ):
            return NativeFunction(
                name, lambda machine, given: _constant_method(machine, name, given.with_first(_plain_class(cls)))
            )
        return NativeFunction(f"{cls.name}.{name}", unbound)

    # ------------------------------------------------------------------------------------------ instances
    def _of_instance(self, instance: InstanceValue, name: str) -> Value | None:
        cls = instance.cls
        custom = self.class_attribute(cls, "__getattribute__")
        if custom is not None:
            return self.call(BoundMethod(custom, instance), Arguments((Constant(name),)))
        return self.instance_attribute(instance, name)

    def instance_attribute(self, instance: InstanceValue, name: str) -> Value | None:
        """What ``object.__getattribute__`` gives, and after it ``__getattr__``."""
        cls = instance.cls
        found = self.class_attribute(cls, name)
        if found is not None and self._is_data_descriptor(found):
            return self.bind(found, instance, cls)
        value = instance.attributes.get(name)
        if value is not None:
            return value
        if found is not None:
            return self.bind(found, instance, cls)
        if name == "__class__":
            return cls
        if name == "__dict__":
            slots = _slots_of(instance.cls)
            held = {key: each for key, each in instance.attributes.items() if key not in slots} if slots else None
            return NamespaceValue(instance.attributes if held is None else held, instance)
        if instance.payload is not None:
            inner = self.find_attribute(instance.payload, name)
            if inner is not None:
                return inner
        fallback = self.class_attribute(cls, "__getattr__")
        if fallback is not None and not name.startswith("__"):
            return self._by_fallback(BoundMethod(fallback, instance), instance, name)
        if name in ("__module__", "__doc__"):
            return self._class_special(cls, name)
        if "args" in instance.attributes:
            if name in _EMPTY_OF_EXCEPTIONS:
                return NONE
            if name in ("with_traceback", "add_note"):
                result = instance if name == "with_traceback" else NONE
                return NativeFunction(name, lambda machine, arguments: result)
        inherited = mixed_in_method(instance, name) or self._base_method(instance.cls.mro, name, instance)
        if inherited is not None:
            return inherited
        if cls.is_open or instance.is_open or any(isinstance(each, External) for each in cls.mro):
            return self._inferred_attribute(instance, name)
        if name in self.object_methods:
            function = NativeFunction(name, lambda machine, arguments: self.object_methods[name](machine, arguments))
            return BoundMethod(function, instance)
        if any(each.is_builtin and each.name != "object" for each in cls.class_mro):
            return self.unknown(f"{cls.name}(...).{name}")
        return None

    def _by_fallback(self, fallback: Value, instance: InstanceValue, name: str) -> Value:
        """``__getattr__``, unless a base class outside the target has the name: of most of these that is not known."""
        bases = [each.name for each in instance.cls.mro if isinstance(each, External)]
        others = [base for base in bases if base not in TRANSPARENT_BASES]
        if any(hasattr(library_class(base), name) for base in others):
            return self._inferred_attribute(instance, name)
        try:
            return self.call(fallback, Arguments((Constant(name),)))
        except Raised as error:
            is_told = error.type_name != "AttributeError" or error.miss is not None
            if is_told or all(library_class(base) is not None for base in others):
                raise
            return self._inferred_attribute(instance, name)

    def _inferred_attribute(self, instance: InstanceValue, name: str) -> Value:
        """Nothing is bound: an annotation in the class body may say what it would be."""
        inferred = None
        for each in instance.cls.class_mro:
            annotations = each.namespace.get("__annotations__")
            if isinstance(annotations, DictValue) and ("str", name) in annotations.items:
                inferred = annotations.items[("str", name)][1]
                break
        return self.unknown(f"{instance.cls.name}(...).{name}", None, inferred)

    def _is_data_descriptor(self, value: Value) -> bool:
        if isinstance(value, PropertyValue):
            return not value.is_cached
        if isinstance(value, InstanceValue):
            return any(self.class_attribute(value.cls, name) is not None for name in ("__set__", "__delete__"))
        return False

    def bind(self, value: Value, instance: Value | None, cls: ClassValue) -> Value:
        """What a class attribute gives when it is read through an instance or the class (the descriptor protocol)."""
        match value:
            case FunctionValue():
                return value if instance is None else BoundMethod(value, instance)
            case NativeFunction() | WrapperValue() if instance is not None:
                return BoundMethod(value, instance)
            case PartialValue(is_method=True) if instance is not None:
                return BoundMethod(value, instance)
            case StaticMethod(function=function):
                return function
            case ClassMethod(function=function):
                return BoundMethod(function, cls)
            case PropertyValue():
                return value if instance is None else self._read_property(value, instance)
            case InstanceValue():
                getter = self.class_attribute(value.cls, "__get__")
                if getter is None:
                    return value
                receiver = NONE if instance is None else instance
                return self.call(BoundMethod(getter, value), Arguments((receiver, cls)))
            case Choice(main=main):
                return self.bind(main, instance, cls)
        return value

    def _read_property(self, value: PropertyValue, instance: Value) -> Value:
        if value.getter is None:
            self.raise_error("AttributeError", "unreadable attribute")
        result = self.call(value.getter, Arguments((instance,)))
        if value.is_cached and value.name and isinstance(instance, InstanceValue):
            self.trail.set_item(instance.attributes, value.name, result)
        return result

    def method_of(self, value: Value, name: str) -> Value | None:
        if isinstance(value, InstanceValue):
            found = self.class_attribute(value.cls, name)
            if found is None or is_none(found):
                return None
            return self.bind(found, value, value.cls)
        if isinstance(value, ClassValue) and isinstance(value.metaclass, ClassValue):
            found = self.class_attribute(value.metaclass, name)
            return None if found is None else self.bind(found, value, value.metaclass)
        return None

    # ------------------------------------------------------------------------------------------ others
    def _of_function(self, function: FunctionValue, name: str) -> Value | None:
        if name in function.attributes:
            return function.attributes[name]
        match name:
            case "__name__":
                return Constant(function.code.name)
            case "__qualname__":
                return Constant(function.code.qualified_name)
            case "__module__":
                return Constant(function.module.name)
            case "__dict__":
                return NamespaceValue(function.attributes, function)
            case "__globals__":
                return self.namespace_of(function.module)
            case "__doc__":
                return constant(function.code.body.docstring)
            case "__defaults__":
                return TupleValue(function.defaults) if function.defaults else NONE
            case "__kwdefaults__":
                given = function.keyword_defaults
                return DictValue((Constant(key), item) for key, item in given.items()) if given else NONE
            case "__call__":
                return function
            case "__code__":
                return self._code_object(function)
            case "__get__":
                return NativeFunction("__get__", lambda machine, arguments: _bind_by_get(function, arguments))
            case "__annotations__":
                known = {n: v for n, v in function.annotations.items() if isinstance(v, Value)}
                return DictValue(((Constant(n), v) for n, v in known.items()), is_open=len(known) < 1)
        if name.startswith("__") and name in _SPECIAL_OF_FUNCTIONS:
            return self.unknown(f"{function.code.name}.{name}")
        return None

    def _code_object(self, function: FunctionValue) -> Value:
        """What programs read of a function's ``__code__``."""
        parameters = function.code.parameters
        named = (*parameters.positional_only, *parameters.positional)
        rest = (name for name in (parameters.variadic, parameters.keywords) if name is not None)
        arguments = (*named, *parameters.keyword_only, *rest)
        others = sorted(function.code.body.local_names - set(arguments))
        result = InstanceValue(ClassValue("code", (self.builtins["object"],)))
        result.is_open = True
        contents = {
            "co_argcount": len(named),
            "co_posonlyargcount": len(parameters.positional_only),
            "co_kwonlyargcount": len(parameters.keyword_only),
            "co_varnames": (*arguments, *others),
            "co_name": function.code.name,
            "co_firstlineno": function.code.line,
            "co_flags": _code_flags(function),
        }
        result.attributes.update({name: constant(content) for name, content in contents.items()})
        return result

    def _of_method(self, method: BoundMethod, name: str) -> Value | None:
        if name == "__func__":
            return method.function
        if name == "__self__":
            return method.receiver
        return self.find_attribute(method.function, name)

    def _of_native_function(self, function: NativeFunction, name: str) -> Value | None:
        if name in ("__name__", "__qualname__"):
            return Constant(function.name)
        if name == "__module__":
            return Constant("builtins")
        # Functions written in C have no attributes but those of their kind.
        return self.unknown(f"{function.name}.{name}") if name.startswith("__") else None

    def _of_external(self, value: External, name: str) -> Value:
        if name in value.attributes:
            return value.attributes[name]
        dotted = f"{value.name}.{name}"
        known = self.external_values.get(dotted)
        if known is not None:
            return known(self)
        if name == "__name__":
            kind = getattr(types, value.name.removeprefix("types."), None) if value.name.startswith("types.") else None
            if isinstance(kind, type):  # types.FunctionType is called "function"
                return Constant(kind.__name__)
            return Constant(value.name.rpartition(".")[2] if value.name[:1].isupper() else value.name)
        if name in ("__file__", "__path__", "__version__", "__doc__"):
            return self.unknown(dotted)
        if name == "__module__" and "." in value.name and not isinstance(library_object(value.name), types.ModuleType):
            module = value.name.rpartition(".")[0]
            return Constant("builtins" if module == "types" else module)
        if name == "__mro__" and (loaded := library_class(value.name)) is not None:
            return TupleValue((value, *map(self._class_by_itself, loaded.__mro__[1:])))
        return External(dotted)

    def _class_by_itself(self, loaded: type) -> Value:
        """The value that stands for a class of the standard library."""
        if loaded.__module__ == "builtins" and loaded.__name__ in self.builtins:
            return self.builtins[loaded.__name__]
        return External(f"{loaded.__module__}.{loaded.__qualname__}")

    def _of_symbolic(self, value: Symbolic, name: str) -> Value | None:
        if name in value.attributes:
            return value.attributes[name]
        text = f"{value.text}.{name}"
        if value.compute is not None and not name.startswith("_"):
            return NativeFunction(name, lambda machine, arguments: _symbolic_method(machine, value, name, arguments))
        if value.inferred is not None:
            made = self.class_of(value)
            if isinstance(made, ClassValue):
                if name == "__class__":
                    return made
                if not hasattr(getattr(builtins, made.name), name):
                    return None
            typed = self.instance_from_annotation(value.inferred, value.text)
            if isinstance(typed, InstanceValue):
                found = self.class_attribute(typed.cls, name)
                if found is not None:
                    return self._method_by_hierarchy(typed, name, found)
                return self._inferred_attribute(typed, name)
            if isinstance(typed, ClassValue):
                return self.find_attribute(typed, name) or self.unknown(text)
        return self.unknown(text)

    def _method_by_hierarchy(self, typed: InstanceValue, name: str, found: Value) -> Value:
        """An annotation names the class only: the method may be that of any subclass."""
        overrides = [(cls, each) for cls, each in _overrides(typed.cls, name) if not is_left_to_subclasses(each)]
        if overrides and is_left_to_subclasses(found):
            bound = []
        else:
            try:
                bound = [self.bind(found, typed, typed.cls)]
            except (Raised, BudgetExceededError):
                return self.unknown(f"{typed.cls.name}(...).{name}")
        for cls, override in overrides:
            receiver = InstanceValue(cls)
            receiver.is_open = True
            bound.append(self.bind(override, receiver, cls))
        result = bound[0]
        for other in bound[1:]:
            result = joined(result, other)
        return result

    def _of_constant(self, value: Constant, name: str) -> Value | None:
        content = value.value
        if not hasattr(content, name):
            return None
        if name == "__class__":
            return self.class_of(value)
        attribute = getattr(content, name)
        if not callable(attribute):
            return constant(attribute)
        return BoundMethod(
            NativeFunction(name, lambda machine, arguments: _constant_method(machine, name, arguments)), value
        )

    def _of_choice(self, value: Choice, name: str) -> Value:
        others = []
        for other in value.others:
            if isinstance(other, Constant):
                continue
            found = self.look_elsewhere(None, lambda other=other: self.find_attribute(other, name))  # type: ignore[misc]
            if found is not None:
                others.append(found)
        if is_none(value.main) and others:
            main, others = others[0], others[1:]
        else:
            main = self.get_attribute(value.main, name)
        for other in others:
            main = joined(main, other)
        return main

    def _of_super(self, value: SuperValue, name: str) -> Value | None:
        receiver = value.receiver
        owner = receiver.cls if isinstance(receiver, InstanceValue) else receiver
        mro = owner.mro if isinstance(owner, ClassValue) else value.cls.mro
        in_metaclass = isinstance(owner, ClassValue) and value.cls not in mro
        if in_metaclass and isinstance(owner, ClassValue) and isinstance(owner.metaclass, ClassValue):
            mro = owner.metaclass.mro  # a method of a metaclass: the receiver is the class
        rest = mro[mro.index(value.cls) + 1 :] if value.cls in mro else mro[1:]
        for each in rest:
            if isinstance(each, ClassValue):
                found = each.namespace.get(name)
                if found is not None:
                    return self._bind_super(found, receiver, owner, each, name)
            elif isinstance(each, External):
                if in_metaclass and name == "__call__" and not each.name.startswith("enum."):
                    return BoundMethod(NativeFunction(name, self.type_methods[name]), receiver or NONE)
                return self._external_base_method(each, name, receiver)
        is_meta = any(isinstance(each, ClassValue) and each.name == "type" for each in rest)
        methods = self.type_methods if is_meta and name in self.type_methods else self.object_methods
        if isinstance(receiver, InstanceValue) and receiver.payload is not None and name not in self.object_methods:
            return self.find_attribute(receiver.payload, name)
        if isinstance(receiver, InstanceValue) and receiver.payload is not None and name == "__init__":
            return NativeFunction("__init__", lambda machine, arguments: _fill_payload(machine, receiver, arguments))
        if name in methods:
            function = NativeFunction(name, lambda machine, arguments: methods[name](machine, arguments))
            if name == "__new__" or receiver is None:
                return function
            return BoundMethod(function, receiver)
        if any(isinstance(each, ClassValue) and each.is_open for each in mro) or name.startswith("__"):
            return self.unknown(f"super().{name}")
        return None

    def _bind_super(
        self, found: Value, receiver: Value | None, owner: Value | None, each: ClassValue, name: str
    ) -> Value:
        if name == "__new__" and isinstance(found, FunctionValue | WrapperValue | Choice):
            return found  # a static method even where it is not declared one
        if name in ("__init_subclass__", "__class_getitem__") and isinstance(found, FunctionValue):
            return BoundMethod(found, owner) if owner is not None else found
        cls = owner if isinstance(owner, ClassValue) else each
        return self.bind(found, receiver, cls)

    def _external_base_method(self, base: External, name: str, receiver: Value | None) -> Value:
        if name in ("__init__", "__init_subclass__", "__setattr__", "__new__") and name in self.object_methods:
            function = NativeFunction(name, self.object_methods[name])
            if name == "__new__" and not (isinstance(receiver, InstanceValue) or receiver is None):
                function = NativeFunction(name, self._new_by_arguments)
            if name == "__init__" and base.name == "types.ModuleType":
                function = NativeFunction(name, _initialize_module)
            return function if name == "__new__" or receiver is None else BoundMethod(function, receiver)
        inherited = self._base_method((base,), name, receiver)
        return inherited if inherited is not None else self.unknown(f"{base.name}.{name}")

    def _base_method(self, mro: tuple[Value, ...], name: str, receiver: Value | None) -> Value | None:
        """What is known of a method that a class outside the target gives to those that derive from it."""
        for each in mro:
            model = self.base_methods.get(each.name, _NOTHING).get(name) if isinstance(each, External) else None
            if model is not None:
                function = NativeFunction(name, model)
                return function if receiver is None else BoundMethod(function, receiver)
        return None

    def _new_by_arguments(self, machine: Core, arguments: Arguments) -> Value:
        """``__new__`` of a base that is not known: what it is given tells whether it makes a class or an instance."""
        given = arguments.positional[1:]
        is_class = len(given) == 3 and isinstance(given[1], TupleValue) and isinstance(given[2], DictValue)
        return (self.type_methods if is_class else self.object_methods)["__new__"](machine, arguments)

    def _of_property(self, value: PropertyValue, name: str) -> Value | None:
        def with_part(machine: Core, arguments: Arguments) -> Value:
            function = arguments.positional[0] if arguments.positional else None
            return PropertyValue(
                function if name == "getter" else value.getter,
                function if name == "setter" else value.setter,
                function if name == "deleter" else value.deleter,
                value.is_cached,
                value.name,
            )

        if name in ("getter", "setter", "deleter"):
            return NativeFunction(name, with_part)
        parts = {"fget": value.getter, "fset": value.setter, "fdel": value.deleter, "func": value.getter}
        if name in parts:
            return self.none_or(parts[name])
        return self.unknown(f"property.{name}")

    def _of_partial(self, value: PartialValue, name: str) -> Value | None:
        match name:
            case "func":
                return value.function
            case "args":
                return TupleValue(value.arguments)
            case "keywords":
                return DictValue((Constant(key), item) for key, item in value.keywords.items())
        return self.find_attribute(value.function, name)

    def _of_wrapper(self, value: WrapperValue, name: str) -> Value | None:
        if name in value.attributes:
            return value.attributes[name]
        if name == "__wrapped__":
            return value.function
        if name == "register" and value.kind.startswith("singledispatch"):
            return NativeFunction("register", lambda machine, arguments: _register(machine, value, arguments))
        if name in ("cache_clear", "cache_info", "cache_parameters"):
            return NativeFunction(name, lambda machine, arguments: NONE)
        return self.find_attribute(value.function, name)

    def _of_method_object(self, value: StaticMethod | ClassMethod, name: str) -> Value | None:
        """A staticmethod or classmethod object itself, as it stands in a class's ``__dict__``."""
        if name in ("__func__", "__wrapped__"):
            return value.function
        if name == "__get__":

            def bind(machine: Core, arguments: Arguments) -> Value:
                if isinstance(value, StaticMethod):
                    return value.function
                owner = arguments.get(1, "owner") or arguments.get(0, "instance") or NONE
                return BoundMethod(value.function, owner)

            return NativeFunction("__get__", bind)
        return self.find_attribute(value.function, name)

    def _of_alias(self, value: GenericAlias, name: str) -> Value | None:
        match name:
            case "__origin__":
                return value.origin
            case "__args__":
                return TupleValue(value.arguments)
            case "__parameters__":
                return TupleValue()
        return self.get_attribute(value.origin, name)

    def _of_container(self, value: Value, name: str) -> Value | None:
        if isinstance(value, DictValue) and value.attributes and name in value.attributes:
            return value.attributes[name]
        implementation = self.native_methods.get(type(value), {}).get(name)
        if implementation is not None:
            found = implementation

            def call(machine: Core, arguments: Arguments) -> Value:
                return found(machine, arguments.positional[0], arguments.after_first())

            return BoundMethod(NativeFunction(name, call), value)
        if name == "__class__":
            return self.class_of(value)
        real = _CONTAINERS.get(type(value))
        if isinstance(value, NamespaceValue) or (real is not None and _has_own(real, name)):
            return self.unknown(f"{self.describe(value)}.{name}")
        return None

    def _of_slice(self, value: SliceValue, name: str) -> Value | None:
        if name == "indices":
            return NativeFunction(name, lambda machine, given: self._indices_of(value, given.positional[0]))
        return {"start": value.lower, "stop": value.upper, "step": value.step}.get(name)

    def _indices_of(self, value: SliceValue, length: Value) -> Value:
        """``slice.indices(length)``"""
        parts = [self.as_index(part) for part in (value.lower, value.upper, value.step)]
        try:
            lower, upper, step = (plain(part, {}) for part in parts)
            return constant(slice(lower, upper, step).indices(plain(self.as_index(length), {})))
        except UnknownError:
            return TupleValue(self.unknown(f"{self.describe(value)}.indices()[{index}]") for index in range(3))
        except (TypeError, ValueError) as error:
            self.raise_error(type(error).__name__, str(error))

    # ------------------------------------------------------------------------------------------ writing
    def set_attribute(self, value: Value, name: str, content: Value) -> None:
        match value:
            case ModuleValue():
                if name == "__class__" and isinstance(content, ClassValue):
                    self.trail.set_attribute(value, "cls", content)
                else:
                    self.trail.set_item(value.namespace, name, content)
            case InstanceValue():
                self._set_on_instance(value, name, content)
            case ClassValue():
                setter = None
                if isinstance(value.metaclass, ClassValue):
                    setter = self.class_attribute(value.metaclass, "__setattr__")
                if setter is not None:
                    self.call(BoundMethod(setter, value), Arguments((Constant(name), content)))
                else:
                    self.trail.set_item(value.namespace, name, content)
            case FunctionValue() | WrapperValue() | External() | Symbolic():
                self.trail.set_item(value.attributes, name, content)
            case BoundMethod():
                self.set_attribute(value.function, name, content)
            case DictValue(attributes=dict() as attributes):
                self.trail.set_item(attributes, name, content)
            case Choice(main=main):
                self.set_attribute(main, name, content)
            case Constant() | TupleValue() | ListValue() | DictValue() | SetValue():
                self.raise_error("AttributeError", f"'{self.describe(value)}' has no attribute '{name}'")

    def _set_on_instance(self, instance: InstanceValue, name: str, content: Value) -> None:
        custom = self.class_attribute(instance.cls, "__setattr__")
        if custom is not None:
            self.call(BoundMethod(custom, instance), Arguments((Constant(name), content)))
            return
        self.set_instance_attribute(instance, name, content)

    def set_instance_attribute(self, instance: InstanceValue, name: str, content: Value) -> None:
        """What ``object.__setattr__`` does."""
        found = self.class_attribute(instance.cls, name)
        if isinstance(found, PropertyValue) and not found.is_cached:
            if found.setter is None:
                self.raise_error("AttributeError", f"property '{name}' has no setter")
            self.call(found.setter, Arguments((instance, content)))
            return
        if isinstance(found, InstanceValue):
            setter = self.class_attribute(found.cls, "__set__")
            if setter is not None:
                self.call(BoundMethod(setter, found), Arguments((instance, content)))
                return
        if name not in instance.attributes and _has_no_place(instance, name):
            self.raise_error("AttributeError", f"'{instance.cls.name}' object has no attribute '{name}'")
        self.trail.set_item(instance.attributes, name, content)

    def delete_attribute(self, value: Value, name: str) -> None:
        if isinstance(value, InstanceValue | ClassValue):
            custom = self.method_of(value, "__delattr__")
            if custom is not None:
                self.call(custom, Arguments((Constant(name),)))
                return
        if isinstance(value, InstanceValue):
            self.delete_instance_attribute(value, name)
        else:
            self._delete_plain(value, name)

    def delete_instance_attribute(self, instance: InstanceValue, name: str) -> None:
        found = self.class_attribute(instance.cls, name)
        if isinstance(found, PropertyValue) and not found.is_cached:
            if found.deleter is None:
                self.raise_error("AttributeError", f"property '{name}' has no deleter")
            self.call(found.deleter, Arguments((instance,)))
            return
        deleter = self.class_attribute(found.cls, "__delete__") if isinstance(found, InstanceValue) else None
        if deleter is not None and found is not None:
            self.call(BoundMethod(deleter, found), Arguments((instance,)))
            return
        self._delete_plain(instance, name)

    def _delete_plain(self, value: Value, name: str) -> None:
        namespaces: Namespace | None = None
        match value:
            case ModuleValue():
                namespaces = value.namespace
            case InstanceValue() | FunctionValue() | External() | Symbolic():
                namespaces = value.attributes
            case ClassValue():
                namespaces = value.namespace
        if namespaces is not None and name in namespaces:
            self.trail.delete_item(namespaces, name)
        elif isinstance(value, ModuleValue) and not value.is_open:
            self.raise_error("AttributeError", f"module '{value.name}' has no attribute '{name}'", explicit=True)
        elif isinstance(value, InstanceValue) and not (value.is_open or value.cls.is_open):
            self.raise_error("AttributeError", name)


_NOTHING: Mapping[str, Model] = {}
_CONTAINERS: dict[type[Value], type] = {
    TupleValue: tuple, ListValue: list, DictValue: dict, SetValue: set, GeneratorValue: types.GeneratorType,
}  # fmt: skip
_EMPTY_OF_EXCEPTIONS = frozenset(["__cause__", "__context__"])
"""What exceptions have without having been given it."""
_TOLD_BY_ABSENCE = frozenset(["__all__", "__path__", "__getattr__", "__dir__", "__wrapped__"])
"""Names that programs ask of modules to see whether they are there: most modules lack them."""
_TAKE_APART = frozenset(["split", "rsplit", "partition", "rpartition"])
_SPECIAL_OF_CLASSES = frozenset(
    [
        "__doc__",
        "__weakref__",
        "__init__",
        "__new__",
        "__repr__",
        "__hash__",
        "__eq__",
        "__str__",
        "__signature__",
        "__text_signature__",
    ]
)
_SPECIAL_OF_FUNCTIONS = frozenset(
    ["__code__", "__closure__", "__kwdefaults__", "__signature__", "__type_params__", "__builtins__"]
)


def _has_own(cls: type, name: str) -> bool:
    """Whether the instances of a class have an attribute: not all that the class itself has (``list.__module__``)."""
    return any(name in vars(each) for each in cls.__mro__)


def _symbolic_method(machine: Core, value: Symbolic, name: str, arguments: Arguments) -> Value:
    machine.raise_where_none(value, "AttributeError", f"{value.text}.{name}")
    for argument in arguments.positional:
        machine.constraints.note_constant(value, argument)
        if name in _TAKE_APART:
            machine.constraints.note_separator(value, argument)
    shown = ", ".join(map(machine.describe, arguments.positional))
    return apply(f"{value.text}.{name}({shown})", _method_within_limits(name), value, *arguments.positional)


def _method_within_limits(name: str) -> Callable[..., Any]:
    def compute(content: Any, *others: Any) -> Any:
        if is_large_method(name, content, others, {}):
            raise UnknownError
        return getattr(content, name)(*others)

    return compute


def _code_flags(function: FunctionValue) -> int:
    """``inspect.CO_OPTIMIZED`` and its like."""
    parameters, is_generator = function.code.parameters, function.code.body.is_generator
    flags = inspect.CO_OPTIMIZED | inspect.CO_NEWLOCALS
    flags |= inspect.CO_VARARGS if parameters.variadic is not None else 0
    flags |= inspect.CO_VARKEYWORDS if parameters.keywords is not None else 0
    if function.code.is_coroutine:
        return flags | (inspect.CO_ASYNC_GENERATOR if is_generator else inspect.CO_COROUTINE)
    return flags | (inspect.CO_GENERATOR if is_generator else 0)


_TESTS_OF_TEXT: dict[str, Callable[[str, str], bool]] = {"startswith": str.startswith, "endswith": str.endswith}
"""Methods that loops over the lines of files call most."""


def _constant_method(machine: Core, name: str, arguments: Arguments) -> Value:
    """A method of a plain value, on arguments that are plain too."""
    receiver, *others = arguments.positional
    if name in _TESTS_OF_TEXT and len(others) == 1 and isinstance(receiver, Constant):
        (other,) = others
        if isinstance(other, Constant) and type(receiver.value) is type(other.value) is str:
            return TRUE if _TESTS_OF_TEXT[name](receiver.value, other.value) else FALSE
    if isinstance(receiver, Constant) and isinstance(receiver.value, re.Pattern):
        return machine.call(External(f"re.{name}"), arguments)
    if name in ("join",) and others:
        items = machine.items_of(others[0])
        others = [TupleValue(items) if items is not None else machine.unknown(machine.describe(others[0]))]
    if name == "format":
        others = [machine.text_by(each, "format") if isinstance(each, InstanceValue) else each for each in others]
    if any(isinstance(other, Symbolic) for other in others):
        for other in others:
            if isinstance(other, Symbolic) and other.inputs:
                machine.constraints.note_constant(other, receiver)
        text = f"{machine.describe(receiver)}.{name}({', '.join(machine.describe(other) for other in others)})"
        return apply(text, _method_within_limits(name), receiver, *others)
    try:
        content = plain(receiver, {})
        plain_others = [plain(other, {}) for other in others]
        keywords = {key: plain(item, {}) for key, item in arguments.keywords.items()}
    except UnknownError:
        return machine.unknown(f"{machine.describe(receiver)}.{name}(...)")
    if is_large_method(name, content, plain_others, keywords):
        return machine.unknown("a long string")
    if isinstance(content, str | bytes):
        machine.spend(len(content))
    try:
        result = getattr(content, name)(*plain_others, **keywords)
    except Exception as error:
        machine.raise_error(type(error).__name__, str(error))
    return constant(result) if isinstance(result, _PLAIN) else machine.unknown(name)


_PLAIN_CLASSES: dict[str, type] = {"str": str, "bytes": bytes, "int": int, "float": float}
_CLASS_METHOD = type(vars(int)["from_bytes"])


def _plain_class(cls: ClassValue) -> Value:
    return Constant(_PLAIN_CLASSES[cls.name])


_PLAIN = (
    *(str, bytes, int, float, complex, bool, type(None), tuple, list, dict, re.Match, re.Pattern),
    *(datetime.date, datetime.time, datetime.timedelta, decimal.Decimal, fractions.Fraction),
)


def _bind_by_get(function: FunctionValue, arguments: Arguments) -> Value:
    instance = arguments.get(0, "instance")
    if instance is None or is_none(instance):
        return function
    return BoundMethod(function, instance)


def _dict_from_keys(machine: Core, arguments: Arguments) -> Value:
    keys = machine.items_of(arguments.positional[0]) if arguments.positional else []
    content = arguments.get(1, "value") or NONE
    return DictValue(((key, content) for key in keys or ()), is_open=keys is None)


def _initialize_module(machine: Core, arguments: Arguments) -> Value:
    """``types.ModuleType.__init__(name, doc=None)`` on an instance of a class that derives from it."""
    receiver, name, doc = arguments.get(0, "self"), arguments.get(1, "name"), arguments.get(2, "doc")
    if isinstance(receiver, InstanceValue) and name is not None:
        names = {"__name__": name, "__doc__": doc or NONE, "__package__": NONE, "__loader__": NONE, "__spec__": NONE}
        for key, content in names.items():
            machine.trail.set_item(receiver.attributes, key, content)
    return NONE


def _fill_payload(machine: Core, receiver: InstanceValue, arguments: Arguments) -> Value:
    """``super().__init__(...)`` of a class that derives from a builtin container."""
    if arguments.positional or arguments.keywords:
        name = type(receiver.payload).__name__.removesuffix("Value").lower()
        cls = machine.builtins.get(name)
        if isinstance(cls, ClassValue):
            machine.trail.set_attribute(receiver, "payload", machine.instantiate(cls, arguments))
    return NONE


def _has_no_place(instance: InstanceValue, name: str) -> bool:
    """Whether the ``__slots__`` of all its classes leave no place for an attribute."""
    if instance.is_open or instance.cls.is_open:
        return False
    for each in instance.cls.mro:
        is_empty = isinstance(each, External) and each.name in TRANSPARENT_BASES
        is_object = isinstance(each, ClassValue) and each.name == "object" and each.is_builtin
        if not (is_empty or is_object or (isinstance(each, ClassValue) and "__slots__" in each.namespace)):
            return False
    declared = _slots_of(instance.cls)
    return name not in declared and "__dict__" not in declared


def _slots_of(cls: ClassValue) -> set[str]:
    """The names for which the classes of an instance keep places of their own."""
    return {name for each in cls.class_mro for name in own_slots(each)}


def _overrides(cls: ClassValue, name: str) -> Iterator[tuple[ClassValue, Value]]:
    """The methods of a name in all subclasses of a class, those of its own subclasses first."""
    pending = deque(cls.subclasses)
    while pending:
        subclass = pending.popleft()
        override = subclass.namespace.get(name)
        if isinstance(override, FunctionValue | ClassMethod | StaticMethod):
            yield subclass, override
        pending.extend(subclass.subclasses)


def _is_surely_absent(cls: ClassValue, name: str) -> bool:
    """Whether none of the bases of others, which add nothing, can have given the class an attribute."""
    meta = cls.metaclass
    is_plain = meta is None or (isinstance(meta, External) and meta.name == "abc.ABCMeta")
    bases = [each.name for each in cls.mro if isinstance(each, External)]
    own = [each for each in cls.class_mro if each.is_builtin and each.name != "object"]
    is_known = is_plain and not own and not cls.is_open and all(each in TRANSPARENT_BASES for each in bases)
    return is_known and not name.startswith("_")


def _register_subclass(machine: Core, cls: ClassValue, arguments: Arguments) -> Value:
    """``Abstract.register(cls)``"""
    held = cls.namespace.get("_abc_registry")
    known = held.items if isinstance(held, TupleValue) else ()
    machine.trail.set_item(cls.namespace, "_abc_registry", TupleValue((*known, arguments.positional[0])))
    return arguments.positional[0]


def _register(machine: Core, value: WrapperValue, arguments: Arguments) -> Value:
    """``singledispatch_function.register(cls)(function)``, ``register(cls, function)``, or by annotation."""
    if not arguments.positional:
        return machine.unknown("register()")
    first = arguments.positional[0]
    if isinstance(first, FunctionValue):
        annotations = machine.annotations_of(first)
        annotation = next((each for name, each in annotations.items() if name != "return"), None)
        for each in annotation.arguments if isinstance(annotation, GenericAlias) else (annotation,):
            machine.trail.set_item(value.state, each, first)
        return first
    if len(arguments.positional) > 1:
        machine.trail.set_item(value.state, first, arguments.positional[1])
        return arguments.positional[1]

    def decorate(inner: Core, given: Arguments) -> Value:
        function = given.positional[0]
        inner.trail.set_item(value.state, first, function)
        return function

    return NativeFunction("register", decorate)
