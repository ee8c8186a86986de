"""The copy module: what it calls of the objects that it copies."""

from __future__ import annotations

from typing import TypeVar

from importcycle.evaluate.bases import namespace_of
from importcycle.evaluate.core import Arguments, Core, Model
from importcycle.values.model import (
    BoundMethod,
    ClassMethod,
    Constant,
    DictValue,
    FunctionValue,
    InstanceValue,
    ListValue,
    NamespaceValue,
    SetValue,
    StaticMethod,
    TupleValue,
    Value,
    is_none,
)

Twin = TypeVar("Twin", bound=Value)


class _Copying:
    """One call of ``copy`` or ``deepcopy``."""

    def __init__(self, machine: Core, is_deep: bool) -> None:
        self._machine = machine
        self._is_deep = is_deep
        self._made: dict[int, tuple[Value, Value]] = {}
        """Copies by the identity of what they were made from, which is kept alive meanwhile."""

    def copy(self, value: Value) -> Value:
        if id(value) in self._made:
            return self._made[id(value)][1]
        self._machine.step()
        match value:
            case ListValue():
                twin = self._kept(value, ListValue((), value.is_open))
                twin.items.extend(map(self._part, value.items))
                return twin
            case TupleValue(items=items):
                return self._kept(value, TupleValue(map(self._part, items))) if self._is_deep else value
            case SetValue():
                return SetValue(value.items.values(), value.is_frozen, value.is_open)
            case DictValue():
                twin_dict = self._machine.call_method(value, "copy")
                if not isinstance(twin_dict, DictValue):
                    return value
                self._kept(value, twin_dict)
                for key, (name, content) in value.items.items():
                    twin_dict.items[key] = (name, self._part(content))
                return twin_dict
            case InstanceValue():
                return self._of_instance(value)
        return value

    def _kept(self, value: Value, twin: Twin) -> Twin:
        self._made[id(value)] = (value, twin)
        return twin

    def _part(self, value: Value) -> Value:
        return self.copy(value) if self._is_deep else value

    def _own_method(self, value: InstanceValue, name: str) -> Value | None:
        """A method that the program defines; not what every object has."""
        found = next((each.namespace[name] for each in value.cls.class_mro if name in each.namespace), None)
        is_own = isinstance(found, FunctionValue | ClassMethod | StaticMethod)
        return self._machine.method_of(value, name) if is_own else None

    def _of_instance(self, value: InstanceValue) -> Value:
        machine = self._machine
        special = self._own_method(value, "__deepcopy__" if self._is_deep else "__copy__")
        if special is not None:
            memo = (DictValue(is_open=True),) if self._is_deep else ()
            return self._kept(value, machine.call(special, Arguments(memo)))
        for name, arguments in (("__reduce_ex__", (Constant(4),)), ("__reduce__", ())):
            reduce = self._own_method(value, name)
            if reduce is not None:
                return self._rebuilt(value, machine.call(reduce, Arguments(arguments)))
        if machine.class_attribute(value.cls, "_member_map_") is not None:
            return value
        return self._twin(value)

    def _rebuilt(self, value: InstanceValue, recipe: Value) -> Value:
        """What ``__reduce__`` says: a callable, its arguments, and a state to set."""
        if not isinstance(recipe, TupleValue) or len(recipe.items) < 2:
            return value
        function, given = recipe.items[:2]
        arguments = self._machine.items_of(given) or []
        made = self._kept(value, self._machine.call(function, Arguments(tuple(map(self._part, arguments)))))
        if len(recipe.items) > 2 and isinstance(made, InstanceValue):
            self._set_state(made, recipe.items[2])
        return made

    def _twin(self, value: InstanceValue) -> Value:
        """What ``object.__reduce_ex__`` leads to: ``__new__`` without ``__init__``, then the state."""
        machine = self._machine
        create = self._own_method(value, "__new__")
        given = self._own_method(value, "__getnewargs__")
        arguments = machine.items_of(machine.call(given, Arguments())) if given is not None else []
        if create is None:
            twin = InstanceValue(value.cls, self._part(value.payload) if value.payload is not None else None)
        else:
            function = create.function if isinstance(create, BoundMethod) else create
            made = machine.call(function, Arguments((value.cls, *(arguments or ()))))
            if not isinstance(made, InstanceValue):
                return made
            twin = made
        twin.is_open = value.is_open
        self._kept(value, twin)
        state = self._own_method(value, "__getstate__")
        if state is not None:
            self._set_state(twin, machine.call(state, Arguments()))
        else:
            held = DictValue((Constant(name), content) for name, content in value.attributes.items())
            self._set_state(twin, held)
        return twin

    def _set_state(self, twin: InstanceValue, state: Value) -> None:
        if is_none(state):
            return
        state = self._part(state)
        special = self._own_method(twin, "__setstate__")
        if special is not None:
            self._machine.call(special, Arguments((state,)))
            return
        names = dict(state.namespace) if isinstance(state, NamespaceValue) else namespace_of(state)
        for name, content in names.items():
            self._machine.trail.set_item(twin.attributes, name, content)


def _copying(is_deep: bool) -> Model:
    return lambda machine, arguments: _Copying(machine, is_deep).copy(arguments.positional[0])


MODELS: dict[str, Model] = {"copy.copy": _copying(False), "copy.deepcopy": _copying(True)}
