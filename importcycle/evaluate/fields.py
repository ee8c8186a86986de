"""Classes made of fields: dataclasses, attrs, named tuples."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.evaluate.signals import Raised
from importcycle.values.model import (
    FALSE,
    NONE,
    NOT_IMPLEMENTED,
    TRUE,
    ClassMethod,
    ClassValue,
    Constant,
    DictValue,
    External,
    GenericAlias,
    InstanceValue,
    NativeFunction,
    TupleValue,
    Value,
    key_of,
)

FIELDS = "__dataclass_fields__"
_FROZEN_ERROR = "dataclasses.FrozenInstanceError"


# ------------------------------------------------------------------------------------------------ fields
def new_field(machine: Core, options: dict[str, Value]) -> InstanceValue:
    """What ``field(...)`` gives: its options as attributes."""
    instance = InstanceValue(ClassValue("Field", (machine.builtins["object"],)))
    instance.attributes.update(options)
    instance.is_open = True
    # The class body may use ``@field.default`` and ``@field.validator`` of attrs.
    for name in ("default", "validator"):
        instance.cls.namespace[name] = NativeFunction(name, lambda inner, given: given.positional[-1])
    return instance


def is_field(value: Value | None) -> bool:
    """Whether it is what ``field(...)`` gives."""
    return isinstance(value, InstanceValue) and value.cls.name == "Field"


def fields_of(value: Value) -> dict[str, InstanceValue]:
    """The fields of a dataclass or of an instance of one, with those that only ``__init__`` takes."""
    cls = value.cls if isinstance(value, InstanceValue) else value
    for each in cls.class_mro if isinstance(cls, ClassValue) else ():
        known = each.namespace.get(FIELDS)
        if isinstance(known, DictValue):
            pairs = known.items.values()
            return {key.value: field for key, field in pairs if isinstance(key, Constant) and _is_instance(field)}  # type: ignore[misc]
    return {}


def _is_instance(value: Value) -> bool:
    return isinstance(value, InstanceValue)


def stored_fields(value: Value) -> dict[str, InstanceValue]:
    """The fields that instances keep: without ``InitVar``."""
    return {name: field for name, field in fields_of(value).items() if "_is_variable" not in field.attributes}


def _has(machine: Core, field: InstanceValue, option: str) -> bool:
    """Whether an option of a field that is true by default has not been switched off."""
    return machine.known_truth(field.attributes.get(option, TRUE)) is not False


def _is_keyword(machine: Core, field: InstanceValue) -> bool:
    return machine.known_truth(field.attributes.get("kw_only", FALSE)) is True


def option_of(machine: Core, options: Arguments, name: str, default: bool) -> bool:
    """An option of the decorator; the default where its value is not known."""
    truth = machine.known_truth(options.keywords.get(name, Constant(default)))
    return default if truth is None else truth


def collect_fields(machine: Core, cls: ClassValue, options: Arguments) -> dict[str, InstanceValue]:
    """The fields that a class inherits and declares, in order."""
    found: dict[str, InstanceValue] = {}
    for each in reversed(list(cls.class_mro)[1:]):
        if FIELDS in each.namespace:
            found.update(fields_of(each))
    declared = cls.namespace.get("__annotations__")
    pairs = [*declared.items.values()] if isinstance(declared, DictValue) else []
    annotations = {machine.text_of(key) or "": annotation for key, annotation in pairs}
    annotations |= {name: NONE for name, value in cls.namespace.items() if is_field(value) and name not in annotations}
    is_keyword = option_of(machine, options, "kw_only", False)
    for name, annotation in annotations.items():
        if _is_marked(annotation, "KW_ONLY"):
            is_keyword = True
        elif not _is_marked(annotation, "ClassVar"):
            found[name] = _declared_field(machine, cls, name, annotation, is_keyword)
    return found


def _declared_field(machine: Core, cls: ClassValue, name: str, annotation: Value, is_keyword: bool) -> InstanceValue:
    content = cls.namespace.get(name)
    given = content.attributes if is_field(content) and isinstance(content, InstanceValue) else {}
    field = new_field(machine, dict(given))
    if content is not None and not is_field(content):
        field.attributes["default"] = content
    field.attributes["name"] = Constant(name)
    field.attributes["type"] = annotation
    field.attributes.setdefault("kw_only", TRUE if is_keyword else FALSE)
    if _is_marked(annotation, "InitVar"):
        field.attributes["_is_variable"] = TRUE
    return field


def _is_marked(annotation: Value, name: str) -> bool:
    if isinstance(annotation, GenericAlias):
        annotation = annotation.origin
    if isinstance(annotation, Constant) and isinstance(annotation.value, str):
        return re.match(rf"(\w+\.)?{name}\b", annotation.value) is not None
    return isinstance(annotation, External) and annotation.name.endswith(f".{name}")


# ------------------------------------------------------------------------------------------------ what is made
def synthesize(machine: Core, cls: ClassValue, options: Arguments, is_tuple: bool) -> None:
    """Give a class the methods that follow from its fields, where it has none of its own."""
    fields = collect_fields(machine, cls, options)
    cls.namespace[FIELDS] = DictValue((Constant(name), field) for name, field in fields.items())
    positional = [
        name for name, each in fields.items() if _has(machine, each, "init") and not _is_keyword(machine, each)
    ]
    cls.namespace.setdefault("__match_args__", TupleValue(map(Constant, positional)))
    is_frozen = is_tuple or option_of(machine, options, "frozen", False)
    if option_of(machine, options, "init", True):
        cls.namespace.setdefault("__init__", NativeFunction("__init__", _initialization(fields, is_frozen, is_tuple)))
    if is_tuple:
        _complete_tuple(cls, fields)
        return
    for name in fields:
        _leave_default(cls, name, fields[name])
    compared = tuple(name for name in stored_fields(cls) if _has(machine, fields[name], "compare"))
    _add_comparisons(machine, cls, options, compared)
    if option_of(machine, options, "repr", True):
        shown = tuple(name for name in stored_fields(cls) if _has(machine, fields[name], "repr"))
        cls.namespace.setdefault("__repr__", NativeFunction("__repr__", _representation(shown)))
    if is_frozen:
        cls.namespace.setdefault("__setattr__", NativeFunction("__setattr__", _refuse_change))
        cls.namespace.setdefault("__delattr__", NativeFunction("__delattr__", _refuse_change))
    if option_of(machine, options, "slots", False):
        own = [name for name in stored_fields(cls) if name in _own_annotations(cls)]
        cls.namespace["__slots__"] = TupleValue(map(Constant, own))


def _complete_tuple(cls: ClassValue, fields: dict[str, InstanceValue]) -> None:
    """What named tuples have beside their fields."""

    def as_dict(machine: Core, arguments: Arguments) -> Value:
        receiver = arguments.positional[0]
        return DictValue((Constant(name), machine.get_attribute(receiver, name)) for name in fields)

    def replaced(machine: Core, arguments: Arguments) -> Value:
        receiver, keywords = arguments.positional[0], arguments.keywords
        if keywords.keys() - fields.keys():
            machine.raise_error("ValueError" if machine.project.python_version < (3, 13) else "TypeError")
        contents = [keywords.get(name) or machine.get_attribute(receiver, name) for name in fields]
        own = receiver.cls if isinstance(receiver, InstanceValue) else cls
        return machine.call(own, Arguments(tuple(contents)))

    def made(machine: Core, arguments: Arguments) -> Value:
        contents = machine.items_of(arguments.positional[1]) or []
        return machine.call(arguments.positional[0], Arguments(tuple(contents)))

    cls.namespace.setdefault("_fields", TupleValue(map(Constant, fields)))
    cls.namespace["_asdict"] = NativeFunction("_asdict", as_dict)
    cls.namespace["_replace"] = NativeFunction("_replace", replaced)
    cls.namespace["_make"] = ClassMethod(NativeFunction("_make", made))
    defaults = [(name, field.attributes["default"]) for name, field in fields.items() if "default" in field.attributes]
    cls.namespace["_field_defaults"] = DictValue((Constant(name), content) for name, content in defaults)


def _own_annotations(cls: ClassValue) -> set[object]:
    declared = cls.namespace.get("__annotations__")
    pairs = declared.items.values() if isinstance(declared, DictValue) else ()
    return {key.value for key, _ in pairs if isinstance(key, Constant)}


def _leave_default(cls: ClassValue, name: str, field: InstanceValue) -> None:
    """In place of what ``field(...)`` gave, the class holds the default, or nothing."""
    if is_field(cls.namespace.get(name)):
        default = field.attributes.get("default")
        if default is not None:
            cls.namespace[name] = default
        else:
            del cls.namespace[name]


def _initialization(fields: dict[str, InstanceValue], is_frozen: bool, is_tuple: bool) -> Model:
    def initialize(machine: Core, arguments: Arguments) -> Value:
        receiver = arguments.positional[0]
        if isinstance(receiver, InstanceValue):
            _initialize(machine, receiver, fields, arguments.after_first(), is_frozen)
            if is_tuple and all(name in receiver.attributes for name in fields):  # it is a tuple of its fields too
                content = TupleValue(receiver.attributes[name] for name in fields)
                machine.trail.set_attribute(receiver, "payload", content)
        return NONE

    return initialize


def _initialize(
    machine: Core, receiver: InstanceValue, fields: dict[str, InstanceValue], arguments: Arguments, is_frozen: bool
) -> None:
    taken = {name: field for name, field in fields.items() if _has(machine, field, "init")}
    positional = [name for name, field in taken.items() if not _is_keyword(machine, field)]
    given = dict(zip(positional, arguments.positional, strict=False))
    is_vague = arguments.is_open or receiver.cls.is_open
    if not is_vague and (len(arguments.positional) > len(positional) or arguments.keywords.keys() - taken.keys()):
        machine.raise_error("TypeError", "__init__() got an unexpected argument")
    given.update(arguments.keywords)
    variables: list[Value] = []
    for name, field in fields.items():
        value = given[name] if name in given else _default(machine, field, name in taken, is_vague)
        if value is None:
            continue
        if "_is_variable" in field.attributes:
            variables.append(value)
        elif is_frozen:
            machine.trail.set_item(receiver.attributes, name, value)
        else:  # a plain assignment: __setattr__ and descriptors of the class see it
            machine.set_attribute(receiver, name, value)
    for hook_name in ("__post_init__", "__attrs_post_init__"):
        hook = machine.method_of(receiver, hook_name)
        if hook is not None:
            machine.call(hook, Arguments(tuple(variables)))


def _default(machine: Core, field: InstanceValue, is_taken: bool, is_vague: bool) -> Value | None:
    """What a field is without an argument for it; None where it stays unset."""
    factory = field.attributes.get("default_factory")
    if factory is not None:
        return machine.call(factory, Arguments())
    if "default" in field.attributes:
        return field.attributes["default"]
    if not is_taken:
        return None
    name = machine.describe(field.attributes["name"])
    if not is_vague:
        machine.raise_error("TypeError", f"__init__() missing required argument: {name}")
    return machine.unknown(name.strip("'"))


def _add_comparisons(machine: Core, cls: ClassValue, options: Arguments, fields: tuple[str, ...]) -> None:
    """Dataclasses of one class compare as the tuples of their fields do."""
    is_equal = option_of(machine, options, "eq", True)
    wanted = {"__eq__": "=="} if is_equal else {}
    if option_of(machine, options, "order", False):
        wanted |= {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}
    for name, operator in wanted.items():
        cls.namespace.setdefault(name, NativeFunction(name, _comparison(operator, fields)))
    is_frozen, is_unsafe = (option_of(machine, options, name, False) for name in ("frozen", "unsafe_hash"))
    if "__hash__" in cls.namespace or not (is_unsafe or is_equal):
        return
    if is_unsafe or is_frozen:
        cls.namespace["__hash__"] = NativeFunction("__hash__", _hashing(fields))
        cls.hasher = lambda instance: (cls, tuple(key_of(instance.attributes.get(name, NONE)) for name in fields))
    else:
        cls.namespace["__hash__"] = NONE


def _contents(machine: Core, value: Value, fields: Sequence[str]) -> TupleValue:
    return TupleValue(machine.get_attribute(value, name) for name in fields)


def _comparison(operator: str, fields: tuple[str, ...]) -> Model:
    def compare(machine: Core, arguments: Arguments) -> Value:
        left, right = arguments.positional
        if not (isinstance(left, InstanceValue) and isinstance(right, InstanceValue) and left.cls is right.cls):
            return NOT_IMPLEMENTED
        return machine.compare(operator, *(_contents(machine, each, fields) for each in (left, right)))

    return compare


def _hashing(fields: tuple[str, ...]) -> Model:
    def compute(machine: Core, arguments: Arguments) -> Value:
        contents = _contents(machine, arguments.positional[0], fields)
        return machine.call(machine.builtins["hash"], Arguments((contents,)))

    return compute


def _representation(fields: tuple[str, ...]) -> Model:
    def represent(machine: Core, arguments: Arguments) -> Value:
        receiver = arguments.positional[0]
        texts = [machine.text_of(machine.text_by(machine.get_attribute(receiver, name), "repr")) for name in fields]
        if not isinstance(receiver, InstanceValue) or None in texts:
            return machine.unknown(f"repr({machine.describe(receiver)})")
        shown = ", ".join(f"{name}={text}" for name, text in zip(fields, texts, strict=True))
        return Constant(f"{receiver.cls.qualified_name}({shown})")

    return represent


def frozen_error(machine: Core) -> ClassValue:
    """``dataclasses.FrozenInstanceError``, one for each machine."""
    known = machine.builtins.get(_FROZEN_ERROR)
    if isinstance(known, ClassValue):
        return known
    base = machine.builtins["AttributeError"]
    cls = ClassValue("FrozenInstanceError", (base,), is_builtin=True)
    cls.code_module = "dataclasses"
    cls.linearize((cls, *(base.mro if isinstance(base, ClassValue) else ())))
    machine.builtins[_FROZEN_ERROR] = cls
    return cls


def _refuse_change(machine: Core, arguments: Arguments) -> Value:
    cls = frozen_error(machine)
    raise Raised(machine.call(cls, Arguments((Constant("cannot assign to field"),))), cls.name)


# ------------------------------------------------------------------------------------------------ functions
def _fields(machine: Core, arguments: Arguments) -> Value:
    return TupleValue(stored_fields(arguments.positional[0]).values())


def _is_dataclass(machine: Core, arguments: Arguments) -> Value:
    value = arguments.positional[0]
    if isinstance(value, InstanceValue | ClassValue):
        return TRUE if machine.find_attribute(value, FIELDS) is not None and fields_of(value) is not None else FALSE
    return FALSE if isinstance(value, Constant) else machine.unknown(f"is_dataclass({machine.describe(value)})")


def _converted(machine: Core, value: Value, gather: Callable[[dict[str, Value]], Value]) -> Value:
    """``asdict`` and ``astuple``: also of what lists, tuples and dictionaries hold."""
    match value:
        case InstanceValue() if stored_fields(value):
            parts = {name: machine.get_attribute(value, name) for name in stored_fields(value)}
            return gather({name: _converted(machine, part, gather) for name, part in parts.items()})
        case TupleValue(items=items):
            return TupleValue(_converted(machine, each, gather) for each in items)
        case DictValue(is_open=False):
            pairs = value.items.values()
            return DictValue((key, _converted(machine, each, gather)) for key, each in pairs)
    copied: Value = machine.call(External("copy.deepcopy"), Arguments((value,)))
    return copied


def _as_dict(machine: Core, arguments: Arguments) -> Value:
    def gather(parts: dict[str, Value]) -> Value:
        return DictValue((Constant(name), part) for name, part in parts.items())

    return _converted(machine, arguments.positional[0], gather)


def _as_tuple(machine: Core, arguments: Arguments) -> Value:
    return _converted(machine, arguments.positional[0], lambda parts: TupleValue(parts.values()))


def _replace(machine: Core, arguments: Arguments) -> Value:
    value = arguments.positional[0]
    if not isinstance(value, InstanceValue):
        return machine.unknown("dataclasses.replace(...)")
    kept = [name for name, field in stored_fields(value).items() if _has(machine, field, "init")]
    keywords = {name: machine.get_attribute(value, name) for name in kept if name not in arguments.keywords}
    return machine.call(value.cls, Arguments((), {**keywords, **arguments.keywords}))


MODELS: dict[str, Model] = {
    "dataclasses.fields": _fields,
    "dataclasses.is_dataclass": _is_dataclass,
    "dataclasses.asdict": _as_dict,
    "dataclasses.astuple": _as_tuple,
    "dataclasses.replace": _replace,
}
VALUES: dict[str, Callable[[Core], Value]] = {_FROZEN_ERROR: frozen_error}
