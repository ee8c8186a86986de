"""hashlib: digests of known bytes, which programs use as keys of their caches."""

from __future__ import annotations

import hashlib

from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.values.model import NONE, ClassValue, Constant, InstanceValue, NativeFunction, Value

_NAMES = "md5 sha1 sha224 sha256 sha384 sha512 sha3_224 sha3_256 sha3_384 sha3_512 blake2b blake2s".split()
_CONTENT = "_content"


def _digest(machine: Core, name: str, content: Value) -> Value:
    """A hash object that remembers all that it was given; a content that is not known stays so."""
    instance = InstanceValue(ClassValue("HASH", (machine.builtins["object"],)))
    instance.attributes[_CONTENT] = content

    def update(inner: Core, arguments: Arguments) -> Value:
        known, more = instance.attributes[_CONTENT], arguments.get(0, "data") or NONE
        inner.trail.set_item(instance.attributes, _CONTENT, _joined(inner, known, more))
        return NONE

    def result(method: str) -> Model:
        def model(inner: Core, arguments: Arguments) -> Value:
            known = instance.attributes[_CONTENT]
            if not isinstance(known, Constant):
                return inner.unknown(f"hashlib.{name}(...).{method}()")
            return Constant(getattr(hashlib.new(name, known.value), method)())

        return model

    instance.attributes["name"] = Constant(name)
    instance.attributes["update"] = NativeFunction("update", update)
    for method in ("digest", "hexdigest"):
        instance.attributes[method] = NativeFunction(method, result(method))
    copy = NativeFunction("copy", lambda inner, arguments: _digest(inner, name, instance.attributes[_CONTENT]))
    instance.attributes["copy"] = copy
    return instance


def _joined(machine: Core, known: Value, more: Value) -> Value:
    if isinstance(more, Constant) and not isinstance(more.value, bytes):
        machine.raise_error("TypeError", "object supporting the buffer API required")
    if isinstance(known, Constant) and isinstance(more, Constant):
        return Constant(known.value + more.value)
    return machine.unknown("bytes")


def _constructor(name: str) -> Model:
    def model(machine: Core, arguments: Arguments) -> Value:
        given = arguments.get(0, "string") or arguments.keywords.get("data") or Constant(b"")
        return _digest(machine, name, _joined(machine, Constant(b""), given))

    return model


def _by_name(machine: Core, arguments: Arguments) -> Value:
    """``hashlib.new(name, data)``"""
    name = machine.text_of(arguments.get(0, "name") or NONE)
    if name is None or name.lower() not in _NAMES:
        return machine.unknown("hashlib.new(...)")
    return _constructor(name.lower())(machine, arguments.after_first())


MODELS: dict[str, Model] = {f"hashlib.{name}": _constructor(name) for name in _NAMES} | {"hashlib.new": _by_name}
