"""contextvars and threading.local: places for values of one thread; initialisation runs in one."""

from __future__ import annotations

from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.values.model import FALSE, NONE, TRUE, ClassValue, InstanceValue, NativeFunction, Value

_CONTENT = "_content"


def _plain_instance(machine: Core, name: str) -> InstanceValue:
    return InstanceValue(ClassValue(name, (machine.builtins["object"],)))


def _context_variable(machine: Core, arguments: Arguments) -> Value:
    """contextvars.ContextVar(name, default=...)"""
    variable = _plain_instance(machine, "ContextVar")
    variable.attributes["name"] = arguments.get(0, "name") or NONE
    default = arguments.keywords.get("default")

    def get(inner: Core, given: Arguments) -> Value:
        content = variable.attributes.get(_CONTENT)
        if content is not None:
            return content
        if given.positional:
            return given.positional[0]
        if default is None:
            inner.raise_error("LookupError", "the context variable has no value")
        return default

    def put(inner: Core, given: Arguments) -> Value:
        token = _plain_instance(inner, "Token")
        token.is_open = True
        before = variable.attributes.get(_CONTENT)
        if before is not None:
            token.attributes[_CONTENT] = before
        inner.trail.set_item(variable.attributes, _CONTENT, given.positional[0])
        return token

    def reset(inner: Core, given: Arguments) -> Value:
        token = given.positional[0]
        before = token.attributes.get(_CONTENT) if isinstance(token, InstanceValue) else None
        if before is not None:
            inner.trail.set_item(variable.attributes, _CONTENT, before)
        elif _CONTENT in variable.attributes:
            inner.trail.delete_item(variable.attributes, _CONTENT)
        return NONE

    for name, model in (("get", get), ("set", put), ("reset", reset)):
        variable.attributes[name] = NativeFunction(name, model)
    return variable


def _lock(machine: Core, arguments: Arguments) -> Value:
    """A lock, an event or a semaphore, in the only thread that there is."""
    lock = _plain_instance(machine, "lock")
    state: dict[str, bool] = {"is_held": False}

    def put(is_held: bool, result: Value) -> Model:
        def model(inner: Core, given: Arguments) -> Value:
            inner.trail.set_item(state, "is_held", is_held)
            return result

        return model

    def told(inner: Core, given: Arguments) -> Value:
        return TRUE if state["is_held"] else FALSE

    models: dict[str, Model] = {
        "acquire": put(True, TRUE),
        **dict.fromkeys(("release", "clear"), put(False, NONE)),
        "set": put(True, NONE),
        **dict.fromkeys(("locked", "is_set"), told),
        "wait": lambda inner, given: TRUE,
        **dict.fromkeys(("notify", "notify_all"), lambda inner, given: NONE),
    }
    lock.attributes.update({name: NativeFunction(name, model) for name, model in models.items()})
    lock.cls.namespace["__enter__"] = NativeFunction("__enter__", put(True, TRUE))
    lock.cls.namespace["__exit__"] = NativeFunction("__exit__", put(False, NONE))
    return lock


_LOCKS = ("Lock", "RLock", "Semaphore", "BoundedSemaphore", "Event", "Condition")
MODELS: dict[str, Model] = {
    **{f"threading.{name}": _lock for name in _LOCKS},
    "contextvars.ContextVar": _context_variable,
    "threading.local": lambda machine, arguments: _plain_instance(machine, "local"),
}
