"""The machine: all parts of the evaluator in one object."""

from __future__ import annotations

from importcycle.evaluate.attributes import Attributes
from importcycle.evaluate.calls import Calls
from importcycle.evaluate.classes import Classes
from importcycle.evaluate.contexts import Contexts
from importcycle.evaluate.core import Arguments
from importcycle.evaluate.expressions import Expressions
from importcycle.evaluate.frames import Frame, Guard
from importcycle.evaluate.generators import Generators
from importcycle.evaluate.library import MODELS, VALUES, builtin_functions, builtin_methods, flags, loggers
from importcycle.evaluate.operators import Operators
from importcycle.evaluate.settling import Settling
from importcycle.evaluate.signals import BudgetExceededError, Raised
from importcycle.evaluate.worlds import Worlds
from importcycle.ir import nodes
from importcycle.project.model import Project
from importcycle.values.model import Value


class Machine(Worlds, Settling, Expressions, Generators, Contexts, Attributes, Calls, Classes, Operators):
    """Evaluates the analysed program; the import system is set by the room that models it."""

    def __init__(self, project: Project, is_exact: bool) -> None:
        super().__init__(project, is_exact)
        self.builtins = builtin_functions.builtin_namespace()
        self.models = MODELS
        self.external_values = VALUES
        self.object_methods = builtin_functions.OBJECT_METHODS
        self.type_methods = builtin_functions.TYPE_METHODS
        self.flag_methods = flags.METHODS
        self.base_methods = loggers.METHODS
        self.constructors = builtin_functions.CONSTRUCTORS
        self.native_methods = builtin_methods.NATIVE_METHODS
        self._expressions = self._expression_table()
        self._statements = self._statement_table()
        self._calls = self._call_table()
        self._attributes = self._attribute_table()

    def call_in_passing(self, function: Value, count: int) -> None:
        frame = self.running
        place = nodes.Node((frame.line, 0, frame.line, count))
        arguments = Arguments(tuple(self.unknown("an item") for _ in range(count)))
        text = f"{self.describe(function)} is called"
        guard = Guard(text, False, text, False, frame.code.path, frame.line)
        self.speculate(place, frame, guard, lambda: self.call(function, arguments))()

    def _handler_around(self, frame: Frame | None, error: Raised) -> tuple[str, int] | None:
        return None


__all__ = ["BudgetExceededError", "Machine"]
