"""The intermediate representation: what one module's source does, in order, free of Python's surface syntax.

Every node keeps its ``span`` (first line, first column, last line, last column; lines from 1, columns in UTF-8 bytes
from 0), so that findings can show the place and the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from importcycle.ir.code import FunctionCode

Span: TypeAlias = tuple[int, int, int, int]
ConstantType: TypeAlias = "str | bytes | int | float | complex | bool | EllipsisType | tuple[ConstantType, ...] | None"

if TYPE_CHECKING:
    from types import EllipsisType


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """Any part of the representation."""

    span: Span

    @property
    def line(self) -> int:
        """The line that CPython's traceback shows for the node."""
        return self.span[0]


@dataclass(frozen=True, slots=True, eq=False)
class Expression(Node):
    """Something that has a value."""


@dataclass(frozen=True, slots=True, eq=False)
class Statement(Node):
    """Something that is executed."""


# ---------------------------------------------------------------------------------------------- expressions
@dataclass(frozen=True, slots=True, eq=False)
class Literal(Expression):
    value: ConstantType


@dataclass(frozen=True, slots=True, eq=False)
class NameLoad(Expression):
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class AttributeLoad(Expression):
    value: Expression
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class SubscriptLoad(Expression):
    value: Expression
    index: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Keyword(Node):
    """A keyword argument; ``name`` is ``None`` for ``**value``."""

    name: str | None
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Call(Expression):
    function: Expression
    arguments: tuple[Expression, ...]
    keywords: tuple[Keyword, ...]


@dataclass(frozen=True, slots=True, eq=False)
class BinaryOperation(Expression):
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True, eq=False)
class UnaryOperation(Expression):
    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True, eq=False)
class BooleanOperation(Expression):
    """``and`` / ``or`` with two or more operands."""

    operator: str
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Comparison(Expression):
    left: Expression
    operators: tuple[str, ...]
    comparators: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Conditional(Expression):
    test: Expression
    body: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Display(Expression):
    """A tuple, list or set display."""

    kind: str
    elements: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class DictDisplay(Expression):
    """A dict display; a key of ``None`` stands for ``**value``."""

    keys: tuple[Expression | None, ...]
    values: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ComprehensionClause(Node):
    target: Target
    iterable: Expression
    conditions: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Comprehension(Expression):
    """A list, set, dict or generator comprehension; ``key`` only for a dict."""

    kind: str
    element: Expression
    key: Expression | None
    clauses: tuple[ComprehensionClause, ...]
    local_names: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class LambdaExpression(Expression):
    code: FunctionCode
    defaults: tuple[Expression, ...]
    keyword_defaults: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True, eq=False)
class FormattedString(Expression):
    """An f-string: literal and formatted parts in order."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FormattedValue(Expression):
    value: Expression
    conversion: str
    specification: Expression | None


@dataclass(frozen=True, slots=True, eq=False)
class Starred(Expression):
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class NamedExpression(Expression):
    name: str
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Slice(Expression):
    lower: Expression | None
    upper: Expression | None
    step: Expression | None


@dataclass(frozen=True, slots=True, eq=False)
class Yield(Expression):
    value: Expression | None


@dataclass(frozen=True, slots=True, eq=False)
class YieldFrom(Expression):
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Await(Expression):
    value: Expression


# ---------------------------------------------------------------------------------------------- targets
@dataclass(frozen=True, slots=True, eq=False)
class NameTarget(Node):
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class AttributeTarget(Node):
    value: Expression
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class SubscriptTarget(Node):
    value: Expression
    index: Expression


@dataclass(frozen=True, slots=True, eq=False)
class SequenceTarget(Node):
    """Unpacking; ``starred`` is the index of the starred element, or -1."""

    elements: tuple[Target, ...]
    starred: int


Target: TypeAlias = "NameTarget | AttributeTarget | SubscriptTarget | SequenceTarget"
Block: TypeAlias = tuple[Statement, ...]


# ---------------------------------------------------------------------------------------------- statements
@dataclass(frozen=True, slots=True, eq=False)
class ExpressionStatement(Statement):
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Assign(Statement):
    targets: tuple[Target, ...]
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class AugmentedAssign(Statement):
    target: Target
    load: Expression
    operator: str
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class AnnotatedAssign(Statement):
    """``target: annotation = value``; ``simple`` if the target is a bare name."""

    target: Target
    annotation: Expression
    value: Expression | None
    simple: bool


@dataclass(frozen=True, slots=True, eq=False)
class Delete(Statement):
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True, eq=False)
class If(Statement):
    test: Expression
    body: Block
    otherwise: Block


@dataclass(frozen=True, slots=True, eq=False)
class For(Statement):
    target: Target
    iterable: Expression
    body: Block
    otherwise: Block


@dataclass(frozen=True, slots=True, eq=False)
class While(Statement):
    test: Expression
    body: Block
    otherwise: Block


@dataclass(frozen=True, slots=True, eq=False)
class Handler(Node):
    """An ``except`` clause; ``type`` is ``None`` for a bare one."""

    type: Expression | None
    name: str | None
    body: Block


@dataclass(frozen=True, slots=True, eq=False)
class Try(Statement):
    body: Block
    handlers: tuple[Handler, ...]
    otherwise: Block
    final: Block
    is_group: bool


@dataclass(frozen=True, slots=True, eq=False)
class WithItem(Node):
    context: Expression
    target: Target | None


@dataclass(frozen=True, slots=True, eq=False)
class With(Statement):
    items: tuple[WithItem, ...]
    body: Block


@dataclass(frozen=True, slots=True, eq=False)
class FunctionDefinition(Statement):
    code: FunctionCode
    decorators: tuple[Expression, ...]
    defaults: tuple[Expression, ...]
    keyword_defaults: tuple[tuple[str, Expression], ...]
    annotations: tuple[tuple[str, Expression], ...]
    """Annotations by parameter name, and ``return``, in the order of evaluation."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassDefinition(Statement):
    name: str
    bases: tuple[Expression, ...]
    keywords: tuple[Keyword, ...]
    decorators: tuple[Expression, ...]
    body: Block
    docstring: str | None
    type_parameters: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Return(Statement):
    value: Expression | None


@dataclass(frozen=True, slots=True, eq=False)
class Raise(Statement):
    exception: Expression | None
    cause: Expression | None


@dataclass(frozen=True, slots=True, eq=False)
class Assert(Statement):
    test: Expression
    message: Expression | None


@dataclass(frozen=True, slots=True, eq=False)
class ImportedName(Node):
    name: str
    alias: str | None


@dataclass(frozen=True, slots=True, eq=False)
class Import(Statement):
    """``import a.b, c as d``; ``is_lazy`` for PEP 810's ``lazy import``."""

    names: tuple[ImportedName, ...]
    is_lazy: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class ImportFrom(Statement):
    """``from ..module import names``; one name ``*`` for a star import."""

    module: str
    level: int
    names: tuple[ImportedName, ...]
    is_lazy: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Break(Statement):
    pass


@dataclass(frozen=True, slots=True, eq=False)
class Continue(Statement):
    pass


@dataclass(frozen=True, slots=True, eq=False)
class TypeAlias_(Statement):
    """``type name = value`` (PEP 695): the value is evaluated only on demand."""

    name: str


# ---------------------------------------------------------------------------------------------- match
@dataclass(frozen=True, slots=True, eq=False)
class Pattern(Node):
    """Any pattern of a ``match`` statement."""


@dataclass(frozen=True, slots=True, eq=False)
class ValuePattern(Pattern):
    """A literal or dotted name; compared by ``==`` (``is`` for the singletons)."""

    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class CapturePattern(Pattern):
    """``name``, ``_`` (no name) or ``pattern as name``."""

    pattern: Pattern | None
    name: str | None


@dataclass(frozen=True, slots=True, eq=False)
class AlternativePattern(Pattern):
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ClassPattern(Pattern):
    cls: Expression
    positional: tuple[Pattern, ...]
    keywords: tuple[tuple[str, Pattern], ...]


@dataclass(frozen=True, slots=True, eq=False)
class SequencePattern(Pattern):
    patterns: tuple[Pattern, ...]
    starred: int
    starred_name: str | None


@dataclass(frozen=True, slots=True, eq=False)
class MappingPattern(Pattern):
    keys: tuple[Expression, ...]
    patterns: tuple[Pattern, ...]
    rest: str | None


@dataclass(frozen=True, slots=True, eq=False)
class MatchCase(Node):
    pattern: Pattern
    guard: Expression | None
    body: Block


@dataclass(frozen=True, slots=True, eq=False)
class Match(Statement):
    subject: Expression
    cases: tuple[MatchCase, ...]
