"""Operators, comparisons, subscripts and iteration."""

from __future__ import annotations

import itertools
import operator as python_operator
import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

from importcycle.evaluate.bases import TRANSPARENT_BASES
from importcycle.evaluate.core import Arguments, Core
from importcycle.evaluate.environment import environment_view, is_environment
from importcycle.evaluate.signals import Raised
from importcycle.evaluate.sizes import LONGEST_ITERATION, LONGEST_SEQUENCE, is_large_result
from importcycle.evaluate.symbols import UnknownError, apply, is_compound, negation, plain
from importcycle.values.model import (
    FALSE,
    NONE,
    TRUE,
    BoundMethod,
    Choice,
    ClassMethod,
    ClassValue,
    Constant,
    DictValue,
    External,
    FunctionValue,
    GeneratorValue,
    GenericAlias,
    InstanceValue,
    ListValue,
    ModuleValue,
    NamespaceValue,
    SetValue,
    SliceValue,
    Symbolic,
    TupleValue,
    Value,
    constant,
    is_none,
    key_of,
    maker_of,
)

_DIVISIONS = frozenset(["/", "//", "%"])
MOST_NOTED = 20
"""Members of a container whose inputs are looked at when it is compared."""
_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": python_operator.add, "-": python_operator.sub, "*": python_operator.mul, "/": python_operator.truediv,
    "//": python_operator.floordiv, "%": python_operator.mod, "**": python_operator.pow, "<<": python_operator.lshift,
    ">>": python_operator.rshift, "|": python_operator.or_, "^": python_operator.xor, "&": python_operator.and_,
}  # fmt: skip
_BINARY_METHODS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "<<": "lshift",
    ">>": "rshift", "|": "or", "^": "xor", "&": "and", "@": "matmul",
}  # fmt: skip
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": python_operator.eq, "!=": python_operator.ne, "<": python_operator.lt, "<=": python_operator.le,
    ">": python_operator.gt, ">=": python_operator.ge, "in": lambda left, right: left in right,
    "not in": lambda left, right: left not in right, "is": lambda left, right: left is right or left == right,
    "is not": lambda left, right: not (left is right or left == right),
}  # fmt: skip
_WORD = re.compile(r"(?<=['\"])[A-Za-z0-9][\w.-]{0,20}(?=['\"])|\b\d{1,3}\b")
MOST_WORDS = 8
"""Words of the source that may be in a text whose parts are looked at one by one."""
_NEGATIONS = {"!=": "==", "is not": "is", "not in": "in"}
_COMPARE_METHODS = {
    "==": ("__eq__", "__eq__"), "!=": ("__ne__", "__ne__"), "<": ("__lt__", "__gt__"), "<=": ("__le__", "__ge__"),
    ">": ("__gt__", "__lt__"), ">=": ("__ge__", "__le__"),
}  # fmt: skip


class Operators(Core):
    """Applies operators: exactly on plain values, by special methods on instances."""

    def _shown(self, operator: str, left: Value, right: Value) -> str:
        """An operation as a text that means the same when it is evaluated."""
        return f"{self._operand(left)} {operator} {self._operand(right)}"

    def _operand(self, value: Value) -> str:
        text = self.describe(value)
        return f"({text})" if isinstance(value, Symbolic) and is_compound(text) else text

    # ------------------------------------------------------------------------------------------ binary
    def binary(self, operator: str, left: Value, right: Value) -> Value:
        if isinstance(left, Constant) and isinstance(right, Constant):
            return self._binary_of_constants(operator, left, right)
        if isinstance(left, Choice):
            left = left.main
        if isinstance(right, Choice):
            right = right.main
        if operator == "%" and isinstance(left, Constant) and isinstance(left.value, str | bytes):
            return self._formatted(left, right)
        if isinstance(left, InstanceValue) or isinstance(right, InstanceValue):
            return self._binary_by_method(operator, left, right)
        if isinstance(left, Symbolic) or isinstance(right, Symbolic):
            text = self._shown(operator, left, right)
            self.raise_where_none(left, "TypeError", text)
            self.raise_where_none(right, "TypeError", text)
            if operator in _DIVISIONS:
                self.raise_where(
                    right, lambda content: 1 / content, f"{self._operand(right)} != 0", "ZeroDivisionError", text
                )
            return apply(text, _guarded(operator), left, right) if operator in _BINARY else self.unknown(text)
        container = self._binary_of_containers(operator, left, right)
        if container is not None:
            return container
        if operator == "|" and _is_type_like(left) and _is_type_like(right):
            return GenericAlias(External("typing.Union"), (left, right))
        if isinstance(left, ClassValue) and isinstance(left.metaclass, ClassValue):
            method = self.method_of(left, f"__{_BINARY_METHODS[operator]}__")
            if method is not None:
                return self.call(method, Arguments((right,)))
        if (is_none(left) and _is_plain(right)) or (is_none(right) and _is_plain(left)):
            self.raise_error("TypeError", f"unsupported operand type(s) for {operator}")
        return self.unknown(self._shown(operator, left, right))

    def _binary_of_constants(self, operator: str, left: Constant, right: Constant) -> Value:
        function = _BINARY.get(operator)
        if function is None:
            return self.unknown("matrix product")
        if is_large_result(operator, left.value, right.value):
            return self.unknown("a large value")
        try:
            return constant(function(left.value, right.value))
        except Exception as error:
            self.raise_error(type(error).__name__, str(error))

    def text_by(self, value: Value, name: str) -> Value:
        return self.call(self.builtins[name], Arguments((value,)))

    def _with_texts(self, template: str, right: Value) -> Value:
        """What stands right of ``%``, with instances turned into the texts that the template asks for."""
        if isinstance(right, InstanceValue) and right.payload is None:
            right = TupleValue((right,))
        if not isinstance(right, TupleValue) or not any(isinstance(item, InstanceValue) for item in right.items):
            return right
        kinds = [kind for kind in re.findall(r"%[^%a-zA-Z]*([a-zA-Z%])", template) if kind != "%"]
        return TupleValue(
            self.text_by(item, "str" if kind == "s" else "repr") if isinstance(item, InstanceValue) else item
            for item, kind in zip(right.items, kinds, strict=False)
        )

    def _formatted(self, left: Constant, right: Value) -> Value:
        if isinstance(left.value, str):
            right = self._with_texts(left.value, right)
        try:
            content = plain(right, {})
            if is_large_result("%", left.value, content):
                return self.unknown("a long string")
            return constant(left.value % content)
        except UnknownError:
            if isinstance(right, Symbolic):
                return apply(f"{left.value!r} % {right.text}", python_operator.mod, left, right)
            return self.unknown(f"{left.value!r} % ...")
        except Exception as error:
            self.raise_error(type(error).__name__, str(error))

    def _binary_by_method(self, operator: str, left: Value, right: Value) -> Value:
        name = _BINARY_METHODS[operator]
        for receiver, argument, special in ((left, right, f"__{name}__"), (right, left, f"__r{name}__")):
            method = self.method_of(receiver, special) if isinstance(receiver, InstanceValue) else None
            if method is not None:
                result = self.call(method, Arguments((argument,)))
                if not (isinstance(result, Constant) and result.value is NotImplemented):
                    return result
        left_content = left.payload if isinstance(left, InstanceValue) else left
        right_content = right.payload if isinstance(right, InstanceValue) else right
        if left_content is not None and right_content is not None:
            return self.binary(operator, left_content, right_content)
        if _is_closed(left) and _is_closed(right):
            self.raise_error("TypeError", f"unsupported operand type(s) for {operator}")
        return self.unknown(self._shown(operator, left, right))

    def _binary_of_containers(self, operator: str, left: Value, right: Value) -> Value | None:
        match operator, left, right:
            case "+", (ListValue() | TupleValue()), (ListValue() | TupleValue()) if (
                len(left.items) + len(right.items) > LONGEST_SEQUENCE
            ):
                return self.unknown("a long sequence")
            case "+", ListValue(), ListValue():
                self.spend(len(left.items) + len(right.items))
                return ListValue([*left.items, *right.items], left.is_open or right.is_open)
            case "+", TupleValue(), TupleValue():
                self.spend(len(left.items) + len(right.items))
                return TupleValue((*left.items, *right.items))
            case "*", (ListValue() | TupleValue()), Constant(value=int(count)):
                if len(left.items) * count > LONGEST_SEQUENCE:
                    return None
                items = list(left.items) * count
                self.spend(len(items))
                return ListValue(items, left.is_open) if isinstance(left, ListValue) else TupleValue(items)
            case (("+" | "-"), DictValue(attributes=dict() as own), _) if f"__{_BINARY_METHODS[operator]}__" in own:
                return self.call(own[f"__{_BINARY_METHODS[operator]}__"], Arguments((right,)))
            case "|", DictValue(), DictValue():
                merged = DictValue(is_open=left.is_open or right.is_open)
                self.merge_items(merged, left)
                self.merge_items(merged, right)
                return merged
            case (("|" | "&" | "-" | "^"), SetValue(), SetValue()):
                return self._set_operation(operator, left, right)
        return None

    def merge_items(self, merged: DictValue, given: DictValue) -> None:
        """Put the items of a dictionary into another, new one; past a number none is kept, and it counts as open."""
        self.spend(len(given.items))
        if len(merged.items) + len(given.items) > LONGEST_SEQUENCE:
            self.cut(f"a dictionary of more than {LONGEST_SEQUENCE:,} items")
            merged.items.clear()
            merged.is_open = True
        else:
            merged.items.update(given.items)

    def _set_operation(self, operator: str, left: SetValue, right: SetValue) -> Value:
        self.spend(len(left.items) + len(right.items))
        if len(left.items) + len(right.items) > LONGEST_SEQUENCE:
            return SetValue((), left.is_frozen, is_open=True)
        left, right = self._settled_members(left, right), self._settled_members(right, left)
        every = {**left.items, **right.items}
        in_left, in_right = left.items.keys(), right.items.keys()
        chosen = {
            "|": in_left | in_right,
            "&": in_left & in_right,
            "-": in_left - in_right,
            "^": in_left ^ in_right,
        }[operator]
        items = [value for key, value in every.items() if key in chosen]
        return SetValue(items, left.is_frozen, left.is_open or right.is_open)

    def _note_members(self, value: TupleValue | ListValue | SetValue, compared: Value) -> None:
        """What a container is compared with, or holds, may be what an input gives as a part of it."""
        members = value.items.values() if isinstance(value, SetValue) else value.items
        for member in itertools.islice(members, MOST_NOTED):
            if isinstance(member, Symbolic) and member.inputs:
                self.constraints.note_constant(member, compared)

    def _settled_members(self, value: SetValue, others: SetValue) -> SetValue:
        """A set whose members are known as far as inputs determine them."""
        members = [*value.items.values()]
        for member in members:
            if isinstance(member, Symbolic) and member.inputs:
                self.constraints.note_constant(member, others)
        settled = [self.settled(member) for member in members]
        return SetValue(settled, value.is_frozen, value.is_open) if settled != members else value

    # ------------------------------------------------------------------------------------------ comparisons
    def compare(self, operator: str, left: Value, right: Value) -> Value:
        if operator in _NEGATIONS:
            return self._negated(operator, left, right)
        if isinstance(left, Choice) or isinstance(right, Choice):
            return self._compare_choices(operator, left, right)
        for value, other in ((left, right), (right, left)):
            if isinstance(value, Symbolic) and value.inputs:
                self.constraints.note_constant(value, other)
            elif self.is_exact and isinstance(value, TupleValue | ListValue | SetValue):
                self._note_members(value, other)
        if operator in ("is", "is not"):
            return self._identity(operator, left, right)
        if operator in ("in", "not in"):
            return self._membership(operator, left, right)
        if self._has_comparisons(left) or self._has_comparisons(right):
            return self._compare_by_method(operator, left, right)
        return self._compare_plain(operator, left, right)

    def _has_comparisons(self, value: Value) -> bool:
        """Whether methods of the value's class may say how it compares."""
        if isinstance(value, ClassValue):
            return isinstance(value.metaclass, ClassValue) and not value.metaclass.is_builtin
        return isinstance(value, InstanceValue)

    def _negated(self, operator: str, left: Value, right: Value) -> Value:
        """``!=``, ``is not``, ``not in``: by their opposites, so that both ask the same of an unknown value."""
        if operator == "!=" and self.method_of(left, "__ne__") is not None:
            return self._compare_by_method(operator, left, right)
        result = self.compare(_NEGATIONS[operator], left, right)
        truth = self.known_truth(result)
        if truth is not None:
            return FALSE if truth else TRUE
        return negation(self._shown(operator, left, right), result)

    def _compare_plain(self, operator: str, left: Value, right: Value) -> Value:
        if _is_unknown(left) or _is_unknown(right):
            text = self._shown(operator, left, right)
            if operator in ("==", "!=") and key_of(left) == key_of(right):
                return TRUE if operator == "==" else FALSE
            if operator not in ("==", "!="):
                self.raise_where_none(left, "TypeError", text)
                self.raise_where_none(right, "TypeError", text)
            return apply(text, _COMPARE[operator], left, right)
        if operator in ("==", "!="):
            equal = self._equal(left, right)
            if equal is None:
                return apply(self._shown(operator, left, right), _COMPARE[operator], left, right)
            return TRUE if equal == (operator == "==") else FALSE
        try:
            return TRUE if _COMPARE[operator](plain(left, {}), plain(right, {})) else FALSE
        except UnknownError:
            if isinstance(left, SetValue) and isinstance(right, SetValue):
                return self._compare_sets(operator, left, right)
            if isinstance(left, TupleValue | ListValue) and isinstance(right, TupleValue | ListValue):
                return self._compare_items(operator, left.items, right.items)
            return self.unknown(self._shown(operator, left, right))
        except Exception as error:
            self.raise_error(type(error).__name__, str(error))

    def _compare_items(self, operator: str, left: Sequence[Value], right: Sequence[Value]) -> Value:
        """Sequences compare by their first items that differ."""
        for one, other in zip(left, right, strict=False):
            equal = one is other or self.known_truth(self.compare("==", one, other))
            if equal is None:
                return self.unknown(f"{self.describe(one)} {operator} {self.describe(other)}")
            if not equal:
                return self.compare(operator, one, other)
        return TRUE if _COMPARE[operator](len(left), len(right)) else FALSE

    def _compare_sets(self, operator: str, left: SetValue, right: SetValue) -> Value:
        if any(isinstance(each, Symbolic) for each in (*left.items.values(), *right.items.values())):
            return apply(self._shown(operator, left, right), _COMPARE[operator], left, right)
        return TRUE if _COMPARE[operator](left.items.keys(), right.items.keys()) else FALSE

    def _equal(self, left: Value, right: Value) -> bool | None:
        if left is right:
            return True
        self.step()
        match left, right:
            case ((ListValue() | TupleValue()), (ListValue() | TupleValue())):
                if type(left) is not type(right) or len(left.items) != len(right.items):
                    return False
                results = [self._equal(a, b) for a, b in zip(left.items, right.items, strict=True)]
                return False if False in results else (None if None in results else True)
            case DictValue(), DictValue():
                if left.items.keys() != right.items.keys():
                    return False
                results = [self._equal(left.items[key][1], right.items[key][1]) for key in left.items]
                return False if False in results else (None if None in results else True)
            case SetValue(), SetValue():
                return left.items.keys() == right.items.keys()
            case NamespaceValue(owner=InstanceValue() | FunctionValue()), _:
                return self._equal(_as_dict(left), right)
            case _, NamespaceValue(owner=InstanceValue() | FunctionValue()):
                return self._equal(left, _as_dict(right))
        if _is_unknown(left) or _is_unknown(right):
            return None
        if isinstance(left, InstanceValue) or isinstance(right, InstanceValue):
            return self.known_truth(self.compare("==", left, right))
        return key_of(left) == key_of(right)

    def _compare_choices(self, operator: str, left: Value, right: Value) -> Value:
        lefts = (left.main, *left.others) if isinstance(left, Choice) else (left,)
        rights = (right.main, *right.others) if isinstance(right, Choice) else (right,)
        main = self.compare(operator, lefts[0], rights[0])
        truth = self.known_truth(main)
        if truth is None:
            return main
        for one, other in itertools.product(lefts, rights):
            if (one, other) == (lefts[0], rights[0]):
                continue
            elsewhere = self.look_elsewhere(None, lambda one=one, other=other: self.compare(operator, one, other))  # type: ignore[misc]
            if elsewhere is None or self.known_truth(elsewhere) is not truth:
                break
        else:
            return main
        return self.unknown(self._shown(operator, left, right), TRUE if truth else FALSE)

    def _compare_by_method(self, operator: str, left: Value, right: Value) -> Value:
        special, reflected = _COMPARE_METHODS[operator]
        for receiver, argument, name in ((left, right, special), (right, left, reflected)):
            method = self.method_of(receiver, name)
            if method is not None:
                result = self.call(method, Arguments((argument,)))
                if not (isinstance(result, Constant) and result.value is NotImplemented):
                    return result
        if operator == "!=":
            equal = self.known_truth(self._compare_by_method("==", left, right))
            if equal is not None:
                return FALSE if equal else TRUE
        left_content = left.payload if isinstance(left, InstanceValue) and left.payload is not None else left
        right_content = right.payload if isinstance(right, InstanceValue) and right.payload is not None else right
        if left_content is not left or right_content is not right:
            return self.compare(operator, left_content, right_content)
        if operator == "==":
            if left is right:
                return TRUE
            if not (_is_unknown(left) or _is_unknown(right)):
                return FALSE
        elif operator != "!=" and _is_closed(left) and _is_closed(right):
            self.raise_error("TypeError", f"'{operator}' not supported between these instances")
        return self.unknown(self._shown(operator, left, right))

    def _identity(self, operator: str, left: Value, right: Value) -> Value:
        positive = operator == "is"
        if left is right or (isinstance(left, External) and key_of(left) == key_of(right)):
            return TRUE if positive else FALSE
        if isinstance(left, Constant) and isinstance(right, Constant):
            same = type(left.value) is type(right.value) and left.value == right.value
            return TRUE if same == positive else FALSE
        if _is_unknown(left) or _is_unknown(right):
            for value, other in ((left, right), (right, left)):
                if isinstance(value, External) and value.name.startswith("types.") and isinstance(other, ClassValue):
                    return FALSE if positive else TRUE  # none of the classes of users, or of builtins by name
                # A module, class or function of another package is never None.
                if isinstance(value, External) and isinstance(other, Constant):
                    return FALSE if positive else TRUE
                if is_none(other) and maker_of(value) is not None:
                    return FALSE if positive else TRUE  # nor is what a class makes
                typed = isinstance(value, Symbolic) and value.compute is None and value.likely is None
                if typed and is_none(other):
                    return self.unknown(f"{self._operand(left)} {operator} None", FALSE if positive else TRUE)
            return apply(self._shown(operator, left, right), _COMPARE[operator], left, right)
        if isinstance(left, BoundMethod) and isinstance(right, BoundMethod):
            return FALSE if positive else TRUE
        return FALSE if positive else TRUE

    def _membership(self, operator: str, left: Value, right: Value) -> Value:
        positive = operator == "in"
        if isinstance(right, InstanceValue | ClassValue):
            method = self.method_of(right, "__contains__")
            if method is not None:
                result = self.call(method, Arguments((left,)))
                truth = self.known_truth(result)
                if truth is not None:
                    return TRUE if truth == positive else FALSE
                if isinstance(result, Symbolic) and result.compute is not None:
                    return result if positive else negation(f"not {self._operand(result)}", result)
                return self.unknown(self._shown(operator, left, right))
        if isinstance(right, InstanceValue) and right.payload is not None:
            return self._membership(operator, left, right.payload)
        if isinstance(right, External) and right.name == "os.environ":
            return self._environment_membership(left, positive)
        found = self._contains(left, right)
        if found is None:
            return self._unknown_membership(operator, left, right)
        return TRUE if found == positive else FALSE

    def _environment_membership(self, left: Value, positive: bool) -> Value:
        content = self.call_method(External("os.environ"), "get", left)
        text = f"{self.describe(left)} {'in' if positive else 'not in'} os.environ"
        return apply(text, lambda each: (each is not None) == positive, content)

    def _contains(self, left: Value, right: Value) -> bool | None:
        match right:
            case DictValue(items=items, is_open=is_open) | SetValue(items=items, is_open=is_open):
                key = self.hash_key(left)
                if key in items:
                    return True
                is_settled = not (is_open or _is_unknown(left) or (self.is_exact and _has_symbolic_key(items)))
                return False if is_settled else None
            case NamespaceValue(namespace=namespace, owner=owner):
                name = self.text_of(left)
                if name in namespace:
                    return True
                return None if name is None or (isinstance(owner, ModuleValue) and owner.is_open) else False
            case TupleValue(items=elements) | ListValue(items=elements):
                self.spend(len(elements))
                results: list[bool | None] = []
                for element in elements:
                    same = element is left or self.known_truth(self.compare("==", left, element))
                    if same:
                        return True
                    results.append(same)
                is_open = isinstance(right, ListValue) and right.is_open
                return None if None in results or is_open else False
            case Constant(value=content):
                if isinstance(left, Constant):
                    try:
                        return bool(left.value in content)
                    except Exception as error:
                        self.raise_error(type(error).__name__, str(error))
            case External(name="sys.modules"):
                name = self.text_of(left)
                if name is not None and self.project.contains(name):
                    return name in self.import_system.loaded_modules()
            case GeneratorValue() | InstanceValue():
                yielded = self.iterate(right)
                if yielded is None:
                    return None
                return any(self.settled_truth(self.compare("==", left, item)) for item in yielded)
            case ClassValue():
                members = self.items_of(right) if self.iterate(right) is not None else None
                if members is not None:
                    return any(left is member for member in members)
        return None

    def _unknown_membership(self, operator: str, left: Value, right: Value) -> Value:
        text = self._shown(operator, left, right)
        self.raise_where_none(right, "TypeError", text)
        return apply(text, _COMPARE[operator], left, right)

    # ------------------------------------------------------------------------------------------ subscripts
    def get_item(self, value: Value, index: Value) -> Value:
        match value:
            case DictValue():
                return self._dict_item(value, index)
            case TupleValue() | ListValue():
                return self._sequence_item(value, self.as_index(index))
            case Constant(value=content):
                return self._constant_item(content, index)
            case NamespaceValue(namespace=namespace):
                name = self.text_of(index)
                if name is not None and name in namespace:
                    return namespace[name]
                owner = value.owner
                is_open = isinstance(owner, ModuleValue | ClassValue | InstanceValue) and owner.is_open
                if name is None or is_open or (isinstance(owner, ClassValue) and owner.is_builtin):
                    return self.unknown(f"namespace[{self.describe(index)}]")
                self.raise_error("KeyError", self.describe(index), content=index)
            case InstanceValue():
                return self._instance_item(value, index)
            case ClassValue():
                return self._class_item(value, index)
            case GenericAlias(origin=origin):
                return GenericAlias(origin, _alias_arguments(index))
            case External(name="sys.modules"):
                return self._loaded_module(index)
            case External(name="os.environ"):
                return self._environment_item(index)
            case External(name="typing.Optional"):
                return GenericAlias(External("typing.Union"), (*_alias_arguments(index), NONE))
            case External():
                return GenericAlias(value, _alias_arguments(index))
            case Choice(main=main):
                return self.get_item(main, index)
            case Symbolic():
                if value.compute is not None:
                    text = f"{self._operand(value)}[{self.describe(index)}]"
                    self.raise_where_none(value, "TypeError", text)
                    if isinstance(index, Constant) and isinstance(index.value, int):
                        needed = index.value if index.value >= 0 else -index.value - 1
                        valid = f"len({self.describe(value)}) > {needed}"
                        self.raise_where(value, lambda content: content[index.value], valid, "IndexError", text)
                    return apply(text, python_operator.getitem, value, index)
            case FunctionValue() | ModuleValue():
                self.raise_error("TypeError", f"'{self.describe(value)}' object is not subscriptable")
        return self.unknown(f"{self.describe(value)}[{self.describe(index)}]")

    def _loaded_module(self, index: Value) -> Value:
        name = self.text_of(index)
        if name is None:
            return self.unknown("sys.modules[...]")
        loaded = self.import_system.loaded_modules().get(name)  # a script is there, too, as __main__
        if loaded is not None:
            return loaded
        if not self.project.contains(name):
            return External(name)
        self.raise_error("KeyError", name, explicit=True, content=index)

    def _environment_item(self, index: Value) -> Value:
        content = self.call_method(External("os.environ"), "get", index)
        known = self._environment_membership(index, True)
        frame = self.running
        if not self.decide(known, f"{self.describe(index)} in os.environ", frame.line, frame, True):
            self.raise_error("KeyError", self.describe(index), explicit=True, content=index)
        return content

    def find_item(self, value: DictValue, index: Value) -> tuple[Value, Value] | None:
        """The key and content that a dict has for a key; for one that inputs determine, in this world."""
        found = value.items.get(self.hash_key(index))
        if found is not None:
            return found
        is_determined = isinstance(index, Symbolic) and index.compute is not None
        if not is_determined and not (self.is_exact and _has_symbolic_key(value.items)):
            return None
        for key, content in list(value.items.values()):
            same = self.compare("==", index, key)
            truth = self.known_truth(same)
            if truth is None:
                truth = self.decide(same, self.describe(same), self.running.line, self.running, False)
            if truth:
                return key, content
        return None

    def hash_key(self, value: Value) -> Hashable:
        if isinstance(value, InstanceValue):
            method = self.method_of(value, "__hash__")
            if isinstance(method, BoundMethod) and isinstance(method.function, FunctionValue):
                given = self.call(method, Arguments())
                value.key = ("hash", given.value) if isinstance(given, Constant) else value
        return key_of(value)

    def _dict_item(self, value: DictValue, index: Value) -> Value:
        found = self.find_item(value, index)
        if found is not None:
            return found[1]
        if value.default is not None:
            content = self.call(value.default, Arguments())
            if not value.keeps_default:
                return content
            self.trail.set_item(value.items, key_of(index), (index, content))
            return content
        is_unknown = _is_unknown(index) and not (isinstance(index, Symbolic) and index.compute is not None)
        is_absent_here = value.is_doubtful and self.is_awaited("KeyError")
        if is_unknown or (value.is_open and not is_absent_here):
            return self.unknown(f"{self.describe(value)}[{self.describe(index)}]")
        self.raise_error("KeyError", self.describe(index), content=index)

    def as_index(self, index: Value) -> Value:
        method = self.method_of(index, "__index__") if isinstance(index, InstanceValue) else None
        return self.call(method, Arguments()) if method is not None else index

    def _sequence_item(self, value: TupleValue | ListValue, index: Value) -> Value:
        if isinstance(index, Symbolic) and index.inputs:
            self.constraints.note_constant(index, Constant(len(value.items) - 1))
        index = self.settled(index)
        if isinstance(index, SliceValue):
            parts = [self.as_index(part) for part in (index.lower, index.upper, index.step)]
            if not all(isinstance(part, Constant) for part in parts):
                return self.unknown(f"{self.describe(value)}[{self.describe(index)}]")
            try:
                items = value.items[slice(*(part.value for part in parts if isinstance(part, Constant)))]
            except (TypeError, ValueError) as error:
                self.raise_error(type(error).__name__, str(error))
            return ListValue(items, value.is_open) if isinstance(value, ListValue) else TupleValue(items)
        if isinstance(index, Constant) and isinstance(index.value, int):
            try:
                return value.items[index.value]
            except IndexError:
                if not (isinstance(value, ListValue) and value.is_open):
                    kind = "list" if isinstance(value, ListValue) else "tuple"
                    self.raise_error("IndexError", f"{kind} index out of range")
        return self.unknown(f"{self.describe(value)}[{self.describe(index)}]")

    def _constant_item(self, content: Any, index: Value) -> Value:
        if content is None or isinstance(content, int | float):
            self.raise_error("TypeError", f"'{type(content).__name__}' object is not subscriptable")
        try:
            if isinstance(index, SliceValue):
                return constant(content[slice(*(plain(part, {}) for part in (index.lower, index.upper, index.step)))])
            return constant(content[plain(index, {})])
        except UnknownError:
            return self.unknown(f"{content!r}[...]")
        except Exception as error:
            self.raise_error(type(error).__name__, str(error))

    def _instance_item(self, value: InstanceValue, index: Value) -> Value:
        method = self.method_of(value, "__getitem__")
        if method is not None:
            return self.call(method, Arguments((index,)))
        if value.payload is not None:
            missing = self.method_of(value, "__missing__")
            payload = value.payload
            if missing is not None and isinstance(payload, DictValue) and key_of(index) not in payload.items:
                return self.call(missing, Arguments((index,)))
            return self.get_item(payload, index)
        if value.is_open or value.cls.is_open:
            return self.unknown(f"{self.describe(value)}[{self.describe(index)}]")
        self.raise_error("TypeError", f"'{value.cls.name}' object is not subscriptable")

    def _class_item(self, value: ClassValue, index: Value) -> Value:
        method = self.method_of(value, "__getitem__")
        if method is not None:
            return self.call(method, Arguments((index,)))
        custom = self.class_attribute(value, "__class_getitem__")
        if custom is not None:
            function = custom.function if isinstance(custom, ClassMethod) else custom
            return self.call(function, Arguments((value, index)))
        if self._is_enumeration(value):
            return self._member_by_name(value, index)
        return GenericAlias(value, _alias_arguments(index))

    def _member_by_name(self, value: ClassValue, index: Value) -> Value:
        members = {each for each in value.namespace if not each.startswith("_")}
        name = self.text_of(self.settled_among(index, members))
        found = value.namespace.get(name) if name is not None else None
        if found is None and name is not None and not value.is_open:
            self.raise_error("KeyError", name, content=index)
        return found if found is not None else self.unknown(f"{value.name}[...]")

    def _is_enumeration(self, cls: ClassValue) -> bool:
        return "_member_map_" in cls.namespace

    def set_item(self, value: Value, index: Value, content: Value) -> None:
        match value:
            case DictValue():
                self.note_mutation(value)
                self.trail.set_item(value.items, self.hash_key(index), (index, content))
            case ListValue():
                self._set_list_item(value, index, content)
            case NamespaceValue(namespace=namespace, owner=owner):
                name = self.text_of(index)
                if name is not None:
                    self.trail.set_item(namespace, name, content)
                elif isinstance(owner, ModuleValue | ClassValue):
                    self.trail.set_attribute(owner, "is_open", True)
            case InstanceValue():
                method = self.method_of(value, "__setitem__")
                if method is not None:
                    self.call(method, Arguments((index, content)))
                elif value.payload is not None:
                    self.set_item(value.payload, index, content)
            case External(name="os.environ"):
                name = self.text_of(index)
                if name is not None:
                    self.trail.set_item(self.environment, name, content)
            case External(name="sys.modules"):
                name = self.text_of(index)
                if name is not None and self.project.contains(name):
                    self.trail.set_item(self.import_system.loaded_modules(), name, content)
            case Choice(main=main):
                self.set_item(main, index, content)
            case Constant(value=None) | TupleValue():
                self.raise_error("TypeError", "object does not support item assignment")

    def _set_list_item(self, value: ListValue, index: Value, content: Value) -> None:
        items = list(value.items)
        try:
            if isinstance(index, SliceValue):
                replacement = self.items_of(content)
                if replacement is None:
                    raise UnknownError
                items[slice(*(plain(part, {}) for part in (index.lower, index.upper, index.step)))] = replacement
            else:
                items[plain(index, {})] = content
        except UnknownError:
            self.trail.set_attribute(value, "is_open", True)
            return
        except Exception as error:
            if value.is_open:
                return
            self.raise_error(type(error).__name__, str(error))
        self.trail.replace(value.items, items)

    def delete_item(self, value: Value, index: Value) -> None:
        match value:
            case DictValue():
                if key_of(index) in value.items:
                    self.trail.delete_item(value.items, key_of(index))
                elif not value.is_open:
                    self.raise_error("KeyError", self.describe(index), content=index)
            case NamespaceValue(namespace=namespace):
                name = self.text_of(index)
                if name is not None and name in namespace:
                    self.trail.delete_item(namespace, name)
                elif name is not None:
                    self.raise_error("KeyError", name)
            case ListValue():
                items = list(value.items)
                if isinstance(index, Constant) and isinstance(index.value, int) and index.value < len(items):
                    del items[index.value]
                    self.trail.replace(value.items, items)
            case InstanceValue():
                method = self.method_of(value, "__delitem__")
                if method is not None:
                    self.call(method, Arguments((index,)))
                elif value.payload is not None:
                    self.delete_item(value.payload, index)
            case External(name="os.environ"):
                name = self.text_of(index)
                if name is not None:
                    self.trail.set_item(self.environment, name, NONE)
            case External(name="sys.modules"):
                name = self.text_of(index)
                loaded = self.import_system.loaded_modules()
                if name is not None and name in loaded:
                    self.trail.delete_item(loaded, name)

    # ------------------------------------------------------------------------------------------ iteration
    def iterate(self, value: Value) -> Iterator[Value] | None:
        match value:
            case TupleValue(items=items):
                return iter(items)
            case ListValue(items=items):
                return _live(items)
            case SetValue(items=members):
                return iter(list(members.values()))
            case DictValue(items=pairs):
                if value.is_open and not pairs:
                    return None
                return iter([key for key, _ in pairs.values()])
            case NamespaceValue(namespace=namespace):
                return iter([Constant(name) for name in namespace])
            case GeneratorValue(iterator=iterator):
                return iterator
            case Constant(value=str() | bytes() as text):
                return iter([constant(character) for character in text])
            case Constant():
                self.raise_error("TypeError", f"'{type(value.value).__name__}' object is not iterable")
            case InstanceValue():
                return self._iterate_instance(value)
            case ClassValue():
                return self._iterate_class(value)
            case Choice(main=main):
                return self.iterate(main)
            case External() if self.is_exact and is_environment(value):
                return self.iterate(environment_view(self))
            case Symbolic():
                if value.inputs and self.is_exact:
                    self.constraints.note_parts(value, self._words_around())
                if self._is_sequence(value):
                    return self._iterate_symbolic(value)
                known = self.settled(value)
                return self.iterate(known) if known is not value else None
        return None

    def _is_sequence(self, value: Symbolic) -> bool:
        """Whether the value is a list or tuple whatever the inputs are: its items are looked at one by one."""
        contents = self.constraints.contents(value) if self.is_exact and value.compute is not None else []
        return bool(contents) and all(isinstance(each, list | tuple) for each in contents)

    def _iterate_symbolic(self, value: Symbolic) -> Iterator[Value]:
        """The items of a sequence that inputs determine: whether there is a next one splits the run."""
        for position in itertools.count():
            text = f"len({value.text}) > {position}"
            test = apply(text, lambda content, position=position: len(content) > position, value)
            test.enables = f"{self._operand(value)}[{position}]"
            if not self.decide(test, text, self.running.line, self.running):
                return
            yield self.get_item(value, Constant(position))

    def _words_around(self) -> list[str]:
        """Words that the items of a text are likely compared with: those in the running source, and module names."""
        source = "\n".join(self.running.code.lines)
        words = dict.fromkeys(_WORD.findall(source))
        words |= {
            name.rpartition(".")[2]: None for name in self.project.modules if len(self.project.modules) <= MOST_WORDS
        }
        return [*words][:MOST_WORDS]

    def _iterate_instance(self, value: InstanceValue) -> Iterator[Value] | None:
        method = self.method_of(value, "__iter__")
        if method is not None:
            iterator = self.call(method, Arguments())
            if iterator is value or (isinstance(iterator, InstanceValue) and self.method_of(iterator, "__next__")):
                return self._by_next(iterator)
            return self.iterate(iterator)
        if value.payload is not None:
            return self.iterate(value.payload)
        getter = self.method_of(value, "__getitem__")
        if getter is not None:
            return self._by_index(getter)
        if value.is_open or value.cls.is_open:
            return None
        self.raise_error("TypeError", f"'{value.cls.name}' object is not iterable")

    def _by_next(self, iterator: Value) -> Iterator[Value]:
        method = self.method_of(iterator, "__next__")
        for _ in range(LONGEST_ITERATION):
            if method is None:
                return
            try:
                item = self.call(method, Arguments())
            except Raised as error:
                if error.type_name == "StopIteration":
                    return
                raise
            yield item
        self.cut("an iterator does not end")

    def _by_index(self, getter: Value) -> Iterator[Value]:
        for index in range(LONGEST_ITERATION):
            try:
                item = self.call(getter, Arguments((Constant(index),)))
            except Raised as error:
                if error.type_name == "IndexError":
                    return
                raise
            yield item
        self.cut("an iterator does not end")

    def _iterate_class(self, value: ClassValue) -> Iterator[Value] | None:
        method = self.method_of(value, "__iter__")
        if method is not None:
            return self.iterate(self.call(method, Arguments()))
        members = self.members_of(value)
        if members is not None:
            return iter(members)
        if value.is_open or value.is_builtin or value.metaclass is not None:
            return None
        self.raise_error("TypeError", f"'{value.name}' is not iterable")


def _live(items: list[Value]) -> Iterator[Value]:
    """As CPython's list iterator: sees items that are appended meanwhile."""
    index = 0
    while index < len(items) and index < LONGEST_SEQUENCE:
        yield items[index]
        index += 1


def _as_dict(view: NamespaceValue) -> DictValue:
    return DictValue((Constant(name), content) for name, content in view.namespace.items())


def _is_closed(value: Value) -> bool:
    """Whether all methods of a value are known: an operator that none of them defines fails."""
    match value:
        case InstanceValue(is_open=False, payload=None, cls=ClassValue(is_open=False, mro=mro)):
            known = [
                each for each in mro if isinstance(each, ClassValue) and (each.name == "object" or not each.is_builtin)
            ]
            others = [each.name for each in mro if isinstance(each, External)]
            return len(known) + len(others) == len(mro) and all(name in TRANSPARENT_BASES for name in others)
        case Constant():
            return True
    return False


def _adds_no_operator(cls: Value) -> bool:
    """Whether a class defines only the operators that are seen in its namespace."""
    if isinstance(cls, ClassValue):
        return not cls.is_builtin or cls.name == "object"
    return isinstance(cls, External) and cls.name in TRANSPARENT_BASES


def _is_plain(value: Value) -> bool:
    """Whether no operator takes the value together with None."""
    return isinstance(value, Constant | TupleValue | ListValue | DictValue | SetValue | FunctionValue | ModuleValue)


def _has_symbolic_key(items: Mapping[Hashable, object]) -> bool:
    """Whether inputs determine some of the members of a set, or keys of a dict."""
    return any(type(key) is tuple and key[0] == "symbolic" for key in items)


def _is_unknown(value: Value) -> bool:
    return isinstance(value, Symbolic | External | Choice)


def _is_type_like(value: Value) -> bool:
    return isinstance(value, ClassValue | External | GenericAlias) or (is_none(value))


def _alias_arguments(index: Value) -> tuple[Value, ...]:
    return index.items if isinstance(index, TupleValue) else (index,)


def _guarded(operator: str) -> Callable[[Any, Any], Any]:
    """The operator for values of unknown size: it refuses to make large ones."""

    def apply_operator(left: Any, right: Any) -> Any:
        if is_large_result(operator, left, right):
            raise OverflowError(operator)
        return _BINARY[operator](left, right)

    return apply_operator
