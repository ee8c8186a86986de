"""logging: which filters, handlers and formatters of the program a record comes to.

Loggers are one object a name. What the library itself does with a record concerns nobody; what classes of the program
have in its place is called. Levels are those of a fresh interpreter, where the program has not set them: a record
below them is looked at in passing, for users can have set them before.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.evaluate.signals import Raised
from importcycle.values.model import (
    NONE,
    BoundMethod,
    ClassValue,
    Constant,
    DictValue,
    External,
    FunctionValue,
    InstanceValue,
    ListValue,
    NativeFunction,
    Symbolic,
    TupleValue,
    Value,
    constant,
    is_none,
)

_LOGGER_CLASS = " class"
"""The key of ``machine.logging`` under which ``setLoggerClass`` keeps its argument; no logger has that name."""
_ROOT = "root"
_LEVELS = {
    "debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "warn": logging.WARNING,
    "error": logging.ERROR, "exception": logging.ERROR, "critical": logging.CRITICAL, "fatal": logging.CRITICAL,
}  # fmt: skip
_HANDLERS = (
    *("Handler", "StreamHandler", "FileHandler", "NullHandler"),
    *("handlers.RotatingFileHandler", "handlers.TimedRotatingFileHandler", "handlers.WatchedFileHandler"),
    *("handlers.SysLogHandler", "handlers.MemoryHandler", "handlers.QueueHandler", "handlers.BufferingHandler"),
)
_UNKNOWN_LEVEL = -1


# ------------------------------------------------------------------------------------------------ loggers
def _get_logger(machine: Core, arguments: Arguments) -> Value:
    """``logging.getLogger(name)``"""
    given = arguments.get(0, "name") or NONE
    name = machine.text_of(given)
    if name is None and not is_none(given):
        return machine.unknown(f"logging.getLogger({machine.describe(given)})")
    return _logger(machine, name or _ROOT)


def _logger(machine: Core, name: str) -> Value:
    known = machine.logging.get(name)
    if known is not None:
        return known
    cls = machine.logging.get(_LOGGER_CLASS)
    made: Value
    if isinstance(cls, ClassValue) and name != _ROOT:
        made = machine.call(cls, Arguments((Constant(name),)))
    else:
        made = _with_methods(machine.unknown(f"logging.getLogger({'' if name == _ROOT else repr(name)})"), "Logger")
    if isinstance(made, InstanceValue):
        made.is_open = True
        for attribute in ("handlers", "filters"):
            made.attributes.setdefault(attribute, ListValue())
    if isinstance(made, InstanceValue | Symbolic):
        made.attributes["name"] = Constant(name)
    machine.trail.set_item(machine.logging, name, made)
    return made


def _with_methods(value: Symbolic, kind: str) -> Symbolic:
    for name, model in _METHODS[kind].items():
        value.attributes[name] = BoundMethod(NativeFunction(name, model), value)
    return value


def _set_logger_class(machine: Core, arguments: Arguments) -> Value:
    machine.trail.set_item(machine.logging, _LOGGER_CLASS, arguments.positional[0])
    return NONE


def _logger_class(machine: Core, arguments: Arguments) -> Value:
    return machine.logging.get(_LOGGER_CLASS) or External("logging.Logger")


def _basic_config(machine: Core, arguments: Arguments) -> Value:
    """``logging.basicConfig(level=..., handlers=[...])``, which does nothing where the root logger has handlers."""
    root = _logger(machine, _ROOT)
    if _kept(machine, root, "handlers"):
        return NONE
    level = arguments.keywords.get("level")
    if level is not None:
        _keep(machine, root, "level", level)
    given = arguments.keywords.get("handlers")
    for handler in (machine.items_of(given) if given is not None else None) or ():
        _add(machine, root, "handlers", handler)
    return NONE


# ------------------------------------------------------------------------------------------------ what is kept
def _attributes(value: Value) -> dict[str, Value]:
    return value.attributes if isinstance(value, InstanceValue | Symbolic) else {}


def _keep(machine: Core, value: Value, name: str, content: Value) -> None:
    machine.trail.set_item(machine.logging, (value, name), content)


def _kept(machine: Core, value: Value, name: str) -> tuple[Value, ...]:
    """What was added under a name."""
    found = machine.logging.get((value, name))
    return found.items if isinstance(found, TupleValue) else ()


def _add(machine: Core, value: Value, name: str, item: Value) -> None:
    known = _kept(machine, value, name)
    if item not in known:
        _keep(machine, value, name, TupleValue((*known, item)))


def _adder(name: str) -> Model:
    def model(machine: Core, arguments: Arguments) -> Value:
        _add(machine, arguments.positional[0], name, arguments.positional[1])
        return NONE

    return model


def _remover(name: str) -> Model:
    def model(machine: Core, arguments: Arguments) -> Value:
        receiver, item = arguments.positional[:2]
        kept = (each for each in _kept(machine, receiver, name) if each is not item)
        _keep(machine, receiver, name, TupleValue(kept))
        return NONE

    return model


def _setter(name: str) -> Model:
    def model(machine: Core, arguments: Arguments) -> Value:
        _keep(machine, arguments.positional[0], name, arguments.positional[1])
        return NONE

    return model


def _formatter_of(machine: Core, handler: Value) -> Value | None:
    return machine.logging.get((handler, "formatter")) or _attributes(handler).get("formatter")


# ------------------------------------------------------------------------------------------------ levels
def _number(level: Value) -> int:
    """A level as a number; names of levels are taken, too."""
    content = level.value if isinstance(level, Constant) else None
    if isinstance(content, str):
        content = _LEVELS.get(content.lower(), logging.NOTSET if content == "NOTSET" else None)
    if isinstance(content, int):
        return content
    if isinstance(level, External):
        found = getattr(logging, level.name.rpartition(".")[2], None)
        return found if isinstance(found, int) else _UNKNOWN_LEVEL
    return _UNKNOWN_LEVEL


def _level_of(machine: Core, value: Value) -> int:
    found = machine.logging.get((value, "level"))
    return logging.NOTSET if found is None else _number(found)


def _lineage(machine: Core, logger: Value) -> Iterator[Value]:
    """The logger and those above it, as far as the program has asked for them."""
    yield logger
    name = _attributes(logger).get("name")
    text = name.value if isinstance(name, Constant) and isinstance(name.value, str) else _ROOT
    while "." in text:
        text = text.rpartition(".")[0]
        if text in machine.logging:
            yield machine.logging[text]
    root = machine.logging.get(_ROOT)
    if root is not None and root is not logger:
        yield root


def _effective_level(machine: Core, lineage: list[Value]) -> int:
    levels = (_level_of(machine, each) for each in lineage)
    return next((level for level in levels if level != logging.NOTSET), logging.WARNING)


# ------------------------------------------------------------------------------------------------ records
def _log_method(name: str) -> Model:
    def model(machine: Core, arguments: Arguments) -> Value:
        return _log(machine, arguments.positional[0], name, _LEVELS[name], arguments.after_first())

    return model


def _log_by_level(machine: Core, arguments: Arguments) -> Value:
    """``logger.log(level, message, ...)``"""
    level = _number(arguments.positional[1])
    return _log(machine, arguments.positional[0], "log", level, arguments.after_first().after_first())


def _log_of_root(name: str) -> Model:
    def model(machine: Core, arguments: Arguments) -> Value:
        return _log(machine, _logger(machine, _ROOT), name, _LEVELS[name], arguments)

    return model


def _log(machine: Core, logger: Value, name: str, level: int, arguments: Arguments) -> Value:
    machine.uncertain_events += 1
    lineage = list(_lineage(machine, logger))
    if not any(_concerns_program(machine, each) for each in lineage):
        return NONE
    least = _effective_level(machine, lineage)

    def emit(inner: Core, given: Arguments) -> Value:
        _pass_on(inner, lineage, _record(inner, logger, level, arguments))
        return NONE

    if _UNKNOWN_LEVEL in (level, least) or level < least:
        machine.call_in_passing(NativeFunction(f"{machine.describe(logger)}.{name}", emit), 0)
    else:
        emit(machine, arguments)
    return NONE


def _concerns_program(machine: Core, logger: Value) -> bool:
    """Whether a record that comes to the logger can come to code of the program."""
    if _kept(machine, logger, "filters"):
        return True
    handlers = _kept(machine, logger, "handlers")
    return any(isinstance(each, InstanceValue) or _formatter_of(machine, each) is not None for each in handlers)


def _record(machine: Core, logger: Value, level: int, arguments: Arguments) -> Value:
    record = machine.unknown("a log record")
    known = level != _UNKNOWN_LEVEL
    record.attributes.update(
        {
            "name": _attributes(logger).get("name") or machine.unknown("record.name"),
            "levelno": Constant(level) if known else machine.unknown("record.levelno"),
            "levelname": Constant(logging.getLevelName(level)) if known else machine.unknown("record.levelname"),
            "msg": arguments.positional[0] if arguments.positional else machine.unknown("record.msg"),
            "args": TupleValue(arguments.positional[1:]),
        }
    )
    extra = arguments.keywords.get("extra")
    for key, content in extra.items.values() if isinstance(extra, DictValue) else ():
        if isinstance(key, Constant):
            record.attributes[str(key.value)] = content
    return record


def _pass_on(machine: Core, lineage: list[Value], record: Value) -> None:
    """What ``Logger.handle`` and ``Logger.callHandlers`` do."""
    if not _is_let_through(machine, lineage[0], record):
        return
    for logger in lineage:
        for handler in _kept(machine, logger, "handlers"):
            least, level = _level_of(machine, handler), _attributes(record)["levelno"]
            if least != _UNKNOWN_LEVEL and isinstance(level, Constant) and level.value < least:
                continue
            _call_or(machine, handler, "handle", record, _handle)
        if machine.known_truth(_attributes(logger).get("propagate") or constant(True)) is False:
            return


def _is_let_through(machine: Core, filtered: Value, record: Value) -> bool:
    for each in _kept(machine, filtered, "filters"):
        method = machine.method_of(each, "filter") if isinstance(each, InstanceValue) else None
        function = method or (each if isinstance(each, FunctionValue | BoundMethod) else None)
        if function is not None and machine.known_truth(machine.call(function, Arguments((record,)))) is False:
            return False
    return True


def _call_or(machine: Core, value: Value, name: str, record: Value, default: Model) -> Value:
    """A method that a class of the program has, or what the library does."""
    method = machine.method_of(value, name)
    return (
        machine.call(method, Arguments((record,)))
        if method is not None
        else default(machine, Arguments((value, record)))
    )


def _handle(machine: Core, arguments: Arguments) -> Value:
    """``Handler.handle(record)``"""
    handler, record = arguments.positional
    if _is_let_through(machine, handler, record):
        _call_or(machine, handler, "emit", record, _emit)
    return constant(True)


def _emit(machine: Core, arguments: Arguments) -> Value:
    """``StreamHandler.emit(record)``: it formats, and prints what goes wrong then."""
    handler, record = arguments.positional
    frame = machine.running
    here = (machine.frame, machine.depth, frame.line)
    try:
        _call_or(machine, handler, "format", record, _format)
    except Raised as error:
        machine.frame, machine.depth, frame.line = here
        machine.note_swallowed(error, frame, frame.line)
    return NONE


def _format(machine: Core, arguments: Arguments) -> Value:
    """``Handler.format(record)``"""
    handler, record = arguments.positional
    formatter = _formatter_of(machine, handler)
    method = machine.method_of(formatter, "format") if formatter is not None else None
    return machine.call(method, Arguments((record,))) if method is not None else machine.unknown("a formatted record")


# ------------------------------------------------------------------------------------------------ what is known
_METHODS: dict[str, dict[str, Model]] = {
    "Logger": {
        **{name: _log_method(name) for name in _LEVELS},
        "log": _log_by_level,
        "addHandler": _adder("handlers"),
        "removeHandler": _remover("handlers"),
        "addFilter": _adder("filters"),
        "removeFilter": _remover("filters"),
        "setLevel": _setter("level"),
    },
    "Handler": {
        "setFormatter": _setter("formatter"),
        "addFilter": _adder("filters"),
        "removeFilter": _remover("filters"),
        "setLevel": _setter("level"),
        "handle": _handle,
        "emit": _emit,
        "format": _format,
    },
}
METHODS: dict[str, dict[str, Model]] = {
    "logging.Logger": _METHODS["Logger"],
    **{f"logging.{name}": _METHODS["Handler"] for name in _HANDLERS},
}
"""By class of the library: what instances of derived classes have of it, each with the receiver first."""


def _handler_maker(name: str) -> Model:
    def model(machine: Core, arguments: Arguments) -> Value:
        shown = ", ".join(map(machine.describe, arguments.positional))
        return _with_methods(machine.unknown(f"{name}({shown})", None, External(name)), "Handler")

    return model


MODELS: dict[str, Model] = {
    "logging.getLogger": _get_logger,
    "logging.setLoggerClass": _set_logger_class,
    "logging.getLoggerClass": _logger_class,
    "logging.basicConfig": _basic_config,
    **{f"logging.{name}": _log_of_root(name) for name in _LEVELS},
    **{f"{cls}.{name}": model for cls, methods in METHODS.items() for name, model in methods.items()},
    **{f"logging.{name}": _handler_maker(f"logging.{name}") for name in _HANDLERS},
}
