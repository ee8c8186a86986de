"""contextvars and threading.local: places for values of one thread; initialisation runs in one."""

from __future__ import annotations

from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.values.model import NONE, ClassValue, InstanceValue, NativeFunction, Value

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


MODELS: dict[str, Model] = {
    "contextvars.ContextVar": _context_variable,
    "threading.local": lambda machine, arguments: _plain_instance(machine, "local"),
}
