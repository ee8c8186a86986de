"""The intermediate representation of a module's source, and the lowering that makes it."""

from importcycle.ir.code import FunctionBody, FunctionCode, ModuleCode, Parameters
from importcycle.ir.lowering import UnparsableError, lower_module

__all__ = ["FunctionBody", "FunctionCode", "ModuleCode", "Parameters", "UnparsableError", "lower_module"]
