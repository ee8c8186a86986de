"""The intermediate representation of a module's source, and the lowering that makes it."""

from importcycle.ir.code import FunctionBody, FunctionCode, ModuleCode, Parameters
from importcycle.ir.lowering import lower_module
from importcycle.ir.scopes import DynamicNames, dynamic_names
from importcycle.ir.shelf import CodeShelf
from importcycle.project.syntax import UnparsableError

__all__ = [
    "CodeShelf",
    "DynamicNames",
    "FunctionBody",
    "FunctionCode",
    "ModuleCode",
    "Parameters",
    "UnparsableError",
    "dynamic_names",
    "lower_module",
]
