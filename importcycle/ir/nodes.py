"""The intermediate representation: what one module's source does, in order, free of Python's surface syntax.

Every node keeps its ``span`` (first line, first column, last line, last column; lines from 1, columns in UTF-8 bytes
from 0), so that findings can show the place and the text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

if TYPE_CHECKING:
    from types import EllipsisType

    from typing_extensions import dataclass_transform

    from importcycle.ir.code import FunctionCode

    Kind = TypeVar("Kind", bound=type)

    @dataclass_transform(eq_default=False, frozen_default=True)
    def node(kind: Kind) -> Kind: ...
else:
    # Frozen for type checkers alone: at run time, that would make each node three times as costly to build.
    node = dataclass(slots=True, eq=False)

Span: TypeAlias = tuple[int, int, int, int]
ConstantType: TypeAlias = "str | bytes | int | float | complex | bool | EllipsisType | tuple[ConstantType, ...] | None"


@node
class Node:
    """Any part of the representation."""

    span: Span

    @property
    def line(self) -> int:
        """The line that CPython's traceback shows for the node."""
        return self.span[0]

    def __reduce__(self) -> tuple[Any, tuple[object, ...]]:
        # By position and not by name: a third of the size and of the time.
        kind: Any = type(self)
        return kind, _values_of(kind)(self)


@cache
def _values_of(kind: type[Any]) -> Callable[[Node], tuple[Any, ...]]:
    names = [each.name for each in fields(kind)]
    return attrgetter(*names) if len(names) > 1 else lambda each: (each.span,)


@node
class Expression(Node):
    """Something that has a value."""


@node
class Statement(Node):
    """Something that is executed."""


# ---------------------------------------------------------------------------------------------- expressions
@node
class Literal(Expression):
    value: ConstantType


@node
class NameLoad(Expression):
    name: str


@node
class AttributeLoad(Expression):
    value: Expression
    name: str


@node
class SubscriptLoad(Expression):
    value: Expression
    index: Expression


@node
class Keyword(Node):
    """A keyword argument; ``name`` is ``None`` for ``**value``."""

    name: str | None
    value: Expression


@node
class Call(Expression):
    function: Expression
    arguments: tuple[Expression, ...]
    keywords: tuple[Keyword, ...]


@node
class BinaryOperation(Expression):
    operator: str
    left: Expression
    right: Expression


@node
class UnaryOperation(Expression):
    operator: str
    operand: Expression


@node
class BooleanOperation(Expression):
    """``and`` / ``or`` with two or more operands."""

    operator: str
    operands: tuple[Expression, ...]


@node
class Comparison(Expression):
    left: Expression
    operators: tuple[str, ...]
    comparators: tuple[Expression, ...]


@node
class Conditional(Expression):
    test: Expression
    body: Expression
    otherwise: Expression


@node
class Display(Expression):
    """A tuple, list or set display."""

    kind: str
    elements: tuple[Expression, ...]


@node
class DictDisplay(Expression):
    """A dict display; a key of ``None`` stands for ``**value``."""

    keys: tuple[Expression | None, ...]
    values: tuple[Expression, ...]


@node
class ComprehensionClause(Node):
    target: Target
    iterable: Expression
    conditions: tuple[Expression, ...]


@node
class Comprehension(Expression):
    """A list, set, dict or generator comprehension; ``key`` only for a dict."""

    kind: str
    element: Expression
    key: Expression | None
    clauses: tuple[ComprehensionClause, ...]
    local_names: frozenset[str]


@node
class LambdaExpression(Expression):
    code: FunctionCode
    defaults: tuple[Expression, ...]
    keyword_defaults: tuple[tuple[str, Expression], ...]


@node
class FormattedString(Expression):
    """An f-string: literal and formatted parts in order."""

    parts: tuple[Expression, ...]


@node
class TemplateString(Expression):
    """A t-string (PEP 750): the same parts, whose values are kept and not formatted."""

    parts: tuple[Expression, ...]


@node
class FormattedValue(Expression):
    value: Expression
    conversion: str
    specification: Expression | None


@node
class Starred(Expression):
    value: Expression


@node
class NamedExpression(Expression):
    name: str
    value: Expression


@node
class Slice(Expression):
    lower: Expression | None
    upper: Expression | None
    step: Expression | None


@node
class Yield(Expression):
    value: Expression | None


@node
class YieldFrom(Expression):
    value: Expression


@node
class Await(Expression):
    value: Expression


# ---------------------------------------------------------------------------------------------- targets
@node
class NameTarget(Node):
    name: str


@node
class AttributeTarget(Node):
    value: Expression
    name: str


@node
class SubscriptTarget(Node):
    value: Expression
    index: Expression


@node
class SequenceTarget(Node):
    """Unpacking; ``starred`` is the index of the starred element, or -1."""

    elements: tuple[Target, ...]
    starred: int


Target: TypeAlias = "NameTarget | AttributeTarget | SubscriptTarget | SequenceTarget"
Block: TypeAlias = tuple[Statement, ...]


# ---------------------------------------------------------------------------------------------- statements
@node
class ExpressionStatement(Statement):
    value: Expression


@node
class Assign(Statement):
    targets: tuple[Target, ...]
    value: Expression


@node
class AugmentedAssign(Statement):
    target: Target
    load: Expression
    operator: str
    value: Expression


@node
class AnnotatedAssign(Statement):
    """``target: annotation = value``; ``simple`` if the target is a bare name."""

    target: Target
    annotation: Expression
    value: Expression | None
    simple: bool


@node
class Delete(Statement):
    targets: tuple[Target, ...]


@node
class If(Statement):
    test: Expression
    body: Block
    otherwise: Block


@node
class For(Statement):
    target: Target
    iterable: Expression
    body: Block
    otherwise: Block


@node
class While(Statement):
    test: Expression
    body: Block
    otherwise: Block


@node
class Handler(Node):
    """An ``except`` clause; ``type`` is ``None`` for a bare one."""

    type: Expression | None
    name: str | None
    body: Block


@node
class Try(Statement):
    body: Block
    handlers: tuple[Handler, ...]
    otherwise: Block
    final: Block
    is_group: bool


@node
class WithItem(Node):
    context: Expression
    target: Target | None


@node
class With(Statement):
    items: tuple[WithItem, ...]
    body: Block


@node
class FunctionDefinition(Statement):
    code: FunctionCode
    decorators: tuple[Expression, ...]
    defaults: tuple[Expression, ...]
    keyword_defaults: tuple[tuple[str, Expression], ...]
    annotations: tuple[tuple[str, Expression], ...]
    """Annotations by parameter name, and ``return``, in the order of evaluation."""
    type_parameters: tuple[str, ...]


@node
class ClassDefinition(Statement):
    name: str
    bases: tuple[Expression, ...]
    keywords: tuple[Keyword, ...]
    decorators: tuple[Expression, ...]
    body: Block
    docstring: str | None
    type_parameters: tuple[str, ...]


@node
class Return(Statement):
    value: Expression | None


@node
class Raise(Statement):
    exception: Expression | None
    cause: Expression | None


@node
class Assert(Statement):
    test: Expression
    message: Expression | None


@node
class ImportedName(Node):
    name: str
    alias: str | None


@node
class Import(Statement):
    """``import a.b, c as d``; ``is_lazy`` for PEP 810's ``lazy import``."""

    names: tuple[ImportedName, ...]
    is_lazy: bool = False


@node
class ImportFrom(Statement):
    """``from ..module import names``; one name ``*`` for a star import."""

    module: str
    level: int
    names: tuple[ImportedName, ...]
    is_lazy: bool = False


@node
class Opaque(Statement):
    """Code of a function that the running Python cannot parse."""

    reason: str


@node
class Break(Statement):
    pass


@node
class Continue(Statement):
    pass


@node
class TypeAlias_(Statement):
    """``type name = value`` (PEP 695): the value is evaluated only on demand."""

    name: str


# ---------------------------------------------------------------------------------------------- match
@node
class Pattern(Node):
    """Any pattern of a ``match`` statement."""


@node
class ValuePattern(Pattern):
    """A literal or dotted name; compared by ``==`` (``is`` for the singletons)."""

    value: Expression


@node
class CapturePattern(Pattern):
    """``name``, ``_`` (no name) or ``pattern as name``."""

    pattern: Pattern | None
    name: str | None


@node
class AlternativePattern(Pattern):
    patterns: tuple[Pattern, ...]


@node
class ClassPattern(Pattern):
    cls: Expression
    positional: tuple[Pattern, ...]
    keywords: tuple[tuple[str, Pattern], ...]


@node
class SequencePattern(Pattern):
    patterns: tuple[Pattern, ...]
    starred: int
    starred_name: str | None


@node
class MappingPattern(Pattern):
    keys: tuple[Expression, ...]
    patterns: tuple[Pattern, ...]
    rest: str | None


@node
class MatchCase(Node):
    pattern: Pattern
    guard: Expression | None
    body: Block


@node
class Match(Statement):
    subject: Expression
    cases: tuple[MatchCase, ...]


def inner_blocks(statement: Statement) -> tuple[Block, ...]:
    """The blocks that stand in a branch, a loop, a ``try`` or a ``with``, in order; they are of the same scope."""
    match statement:
        case (
            If(body=body, otherwise=otherwise)
            | For(body=body, otherwise=otherwise)
            | While(body=body, otherwise=otherwise)
        ):
            return body, otherwise
        case Try(body=body, handlers=handlers, otherwise=otherwise, final=final):
            return body, *(handler.body for handler in handlers), otherwise, final
        case With(body=body):
            return (body,)
    return ()
