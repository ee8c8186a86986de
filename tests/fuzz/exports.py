"""What modules offer each other, and how it is used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

FEATURES: Mapping[str, str] = {
    "attribute": "{ref}.ATTRIBUTE",
    "init": "{ref}().value",
    "method": "{ref}().method()",
    "property": "{ref}().size",
    "static": "{ref}.make()",
    "classmethod": "{ref}.create()",
    "cached_property": "{ref}().cached",
    "add": "({ref}() + 1)",
    "radd": "(1 + {ref}())",
    "getitem": "{ref}()['key']",
    "call": "{ref}()()",
    "str": "len(str({ref}()))",
    "len": "len({ref}())",
    "iter": "sum({ref}())",
    "bool": "int(bool({ref}()))",
    "contains": "int(1 in {ref}())",
    "eq": "int({ref}() == 1)",
    "descriptor": "{ref}().described",
    "new": "{ref}().made",
    "getattr": "{ref}().anything",
    "getattribute": "{ref}().whatever",
    "setter": "int(setattr({ref}(), 'put', 1) is None)",
    "deleter": "int(delattr({ref}(), 'gone') is None)",
    "setitem": "int({ref}().__setitem__('key', 1) is None)",
    "hash": "len({{{ref}(): 1}})",
    "lt": "len(sorted([{ref}(), {ref}()]))",
    "gt": "int({ref}() > 1)",
    "format": "len(format({ref}()))",
    "neg": "(-{ref}())",
    "next": "next(iter({ref}()))",
    "class_getitem": "{ref}['key']",
    "partialmethod": "{ref}().fixed()",
    "dispatchmethod": "{ref}().choose(1)",
}
"""What a class can have, and an expression that gives an int by running it."""

EXPRESSIONS: Mapping[str, tuple[str, ...]] = {
    "constant": ("{ref}",),
    "flag": ("int(bool({ref}))",),
    "function": ("{ref}()",),
    "switched": ("{ref}()", "{ref}(False)", "{ref}(enabled=True)"),
    "generator": ("next({ref}())", "sum({ref}())", "list({ref}())[0]", "len([{ref}()])", "max({ref}())"),
    "instance": ("{ref}.value", "{ref}.method()"),
    "dataclass": ("{ref}().size", "{ref}(size=2).size", "int({ref}() == {ref}(size=2))"),
    "mapping": ("{ref}['key']", "{ref}.get('key', 0)", "sum({ref}.values())"),
    "sequence": ("sum({ref})", "{ref}[0]", "len({ref})"),
    "enum": ("{ref}.MEMBER.value", "len({ref})", "len([member.value for member in {ref}])", "{ref}['MEMBER'].value"),
    "shaded_enum": ("{ref}.MEMBER.shade", "{ref}(1).shade", "{ref}.MEMBER.value"),
    "called_meta": ("{ref}().made",),
    "missing_key": ("{ref}['late']", "len({ref})"),
    "coroutine": ("len([{ref}.__name__])",),
}
"""Expressions that give an int, by kind of export."""


@dataclass(frozen=True, slots=True)
class Export:
    """A name of a module that others use.  It depends on exports made before it only, so all of them can be had."""

    name: str
    home: str
    kind: str
    features: tuple[str, ...] = ()
    lazy: bool = False
    """Given by the module's ``__getattr__``."""
    open_bound: bool = False
    """Bound through ``globals()`` or ``setattr``."""
