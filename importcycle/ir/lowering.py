"""From Python's syntax tree to the intermediate representation."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from importcycle.ir import nodes
from importcycle.ir.code import FunctionBody, FunctionCode, ModuleCode, Parameters, SourceText
from importcycle.ir.scopes import bound_names, contains_yield, may_bind_dynamically, own_bindings
from importcycle.ir.skeleton import without_function_bodies
from importcycle.project import unify_line_ends
from importcycle.project.names import absolute_name
from importcycle.project.syntax import TemplateString, TryStar, TypeAlias, UnparsableError, parse

_BINARY_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitOr: "|", ast.BitXor: "^", ast.BitAnd: "&", ast.MatMult: "@",
}  # fmt: skip
_COMPARISONS: dict[type[ast.AST], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
_UNARY_OPERATORS: dict[type[ast.AST], str] = {ast.Not: "not", ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}


def lower_module(name: str, path: str, source: str) -> ModuleCode:
    """The representation of a module.

    Raises UnparsableError if the source is not valid for the running Python.
    """
    text = unify_line_ends(source)
    source_text = SourceText(text)
    skeleton, tree = _parse_skeleton(text)
    lowering = Lowering(source_text, (), None)
    body = lowering.block(tree.body)
    future = any(
        isinstance(statement, ast.ImportFrom)
        and statement.module == "__future__"
        and any(alias.name == "annotations" for alias in statement.names)
        for statement in tree.body
    )
    bound = bound_names(tree, text, ":=" in skeleton, lambda node: _imports_itself(node, name, path))
    is_open = may_bind_dynamically(text)
    return ModuleCode(name, path, source_text, skeleton, body, _docstring(tree.body), future, bound, is_open)


def _imports_itself(node: ast.ImportFrom, name: str, path: str) -> bool:
    """Whether a from-import takes names from the very module that it stands in: if not renamed, they are not new."""
    if any(alias.asname not in (None, alias.name) for alias in node.names):
        return False
    return absolute_name(name, path.endswith("__init__.py"), node.level, node.module or "") == name


def _parse_skeleton(text: str) -> tuple[str, ast.Module]:
    """The text of a module in which most functions have no body, and its tree."""
    skeleton = without_function_bodies(text)
    try:
        return skeleton, parse(skeleton)
    except UnparsableError:
        return text, parse(text)


@dataclass(frozen=True, slots=True)
class _DefinitionBody:
    """Lowers the body of a function from its text, when it is called for the first time: most never are."""

    source: SourceText
    span: nodes.Span
    """Of the definition, from the line of the first decorator."""
    scope: tuple[str, ...]
    class_name: str | None

    def __call__(self) -> FunctionBody:
        self.source.lowered.add((self.span[0], self.span[2]))
        try:
            node = self._parse()
        except UnparsableError as error:
            return _opaque_body(self.span, str(error))
        return _lower_function_body(self.source, node.args, node.body, self.scope, self.class_name)

    def _parse(self) -> ast.FunctionDef | ast.AsyncFunctionDef:
        first, _, last, _ = self.span
        text = "\n".join(self.source.lines[first - 1 : last])
        indented = text[:1] in (" ", "\t")
        tree = parse(f"if True:\n{text}\n" if indented else f"{text}\n")
        ast.increment_lineno(tree, first - (2 if indented else 1))
        statement = tree.body[0]
        if indented:
            assert isinstance(statement, ast.If)
            statement = statement.body[0]
        assert isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)
        return statement


@dataclass(frozen=True, slots=True)
class _KnownBody:
    """The body of a function whose lines hold more than its definition, lowered with what is around it."""

    body: FunctionBody

    def __call__(self) -> FunctionBody:
        return self.body


class Lowering:
    """Lowers the statements of one body; knows the enclosing classes and functions for names and mangling."""

    def __init__(self, source: SourceText, scope: tuple[str, ...], class_name: str | None) -> None:
        self._source = source
        self._scope = scope
        self._class_name = class_name

    # ------------------------------------------------------------------------------------------ statements
    def block(self, statements: Iterable[ast.stmt]) -> nodes.Block:
        """The statements of a body, in order."""
        lowered = (_STATEMENTS[type(statement)](self, statement) for statement in statements)
        return tuple(statement for statement in lowered if statement is not None)

    def _expression_statement(self, node: ast.Expr) -> nodes.Statement | None:
        if isinstance(node.value, ast.Constant):  # a docstring or a lone ellipsis
            return None
        return nodes.ExpressionStatement(_span(node), self.expression(node.value))

    def _for(self, node: ast.For | ast.AsyncFor) -> nodes.Statement:
        return nodes.For(
            _span(node),
            self.target(node.target),
            self.expression(node.iter),
            self.block(node.body),
            self.block(node.orelse),
        )

    def _try(self, node: ast.Try) -> nodes.Statement:
        handlers = tuple(
            nodes.Handler(
                _span(handler),
                self._optional(handler.type),
                self._mangle(handler.name) if handler.name else None,
                self.block(handler.body),
            )
            for handler in node.handlers
        )
        return nodes.Try(
            _span(node),
            self.block(node.body),
            handlers,
            self.block(node.orelse),
            self.block(node.finalbody),
            not isinstance(node, ast.Try),
        )

    def _with(self, node: ast.With | ast.AsyncWith) -> nodes.Statement:
        items = tuple(
            nodes.WithItem(
                _span(item.context_expr),
                self.expression(item.context_expr),
                None if item.optional_vars is None else self.target(item.optional_vars),
            )
            for item in node.items
        )
        return nodes.With(_span(node), items, self.block(node.body))

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> nodes.Statement:
        defaults, keyword_defaults = self._defaults(node.args)
        return nodes.FunctionDefinition(
            _span(node),
            self._code(node),
            self._expressions_of(node.decorator_list),
            defaults,
            keyword_defaults,
            self._annotations(node),
            _type_parameters(node),
        )

    def _code(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> FunctionCode:
        name = node.name
        scope = (*self._scope, name)
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        last = node.end_lineno or node.lineno
        lower_body: _DefinitionBody | _KnownBody
        # Several definitions on one line cannot be found again by their lines.
        if self._source.lines[first - 1][: _first_column(node)].strip():
            lower_body = _KnownBody(_lower_function_body(self._source, node.args, node.body, scope, self._class_name))
        else:
            span = (first, node.col_offset, last, node.end_col_offset or node.col_offset)
            lower_body = _DefinitionBody(self._source, span, scope, self._class_name)
        return FunctionCode(
            self._mangle(name),
            ".".join(scope),
            node.lineno,
            self._parameters(node.args),
            isinstance(node, ast.AsyncFunctionDef),
            lower_body,
        )

    def _annotations(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[tuple[str, nodes.Expression], ...]:
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]
        found = [
            (self._mangle(argument.arg), self.expression(argument.annotation))
            for argument in every
            if argument is not None and argument.annotation is not None
        ]
        if node.returns is not None:
            found.append(("return", self.expression(node.returns)))
        return tuple(found)

    def _class(self, node: ast.ClassDef) -> nodes.Statement:
        inside = Lowering(self._source, (*self._scope, node.name), node.name)
        return nodes.ClassDefinition(
            _span(node),
            self._mangle(node.name),
            self._expressions_of(node.bases),
            self._keywords(node.keywords),
            self._expressions_of(node.decorator_list),
            inside.block(node.body),
            _docstring(node.body),
            _type_parameters(node),
        )

    def _type_alias(self, node: Any) -> nodes.Statement:
        return nodes.TypeAlias_(_span(node), node.name.id)

    # ------------------------------------------------------------------------------------------ match
    def _match(self, node: ast.Match) -> nodes.Statement:
        cases = tuple(
            nodes.MatchCase(
                _span(case.pattern), self._pattern(case.pattern), self._optional(case.guard), self.block(case.body)
            )
            for case in node.cases
        )
        return nodes.Match(_span(node), self.expression(node.subject), cases)

    def _pattern(self, node: ast.pattern) -> nodes.Pattern:
        span = _span(node)
        match node:
            case ast.MatchValue(value=value):
                return nodes.ValuePattern(span, self.expression(value))
            case ast.MatchSingleton(value=constant):
                return nodes.ValuePattern(span, nodes.Literal(span, constant))
            case ast.MatchAs(pattern=pattern, name=name):
                return nodes.CapturePattern(span, None if pattern is None else self._pattern(pattern), name)
            case ast.MatchOr(patterns=patterns):
                return nodes.AlternativePattern(span, self._patterns(patterns))
            case ast.MatchClass(cls=cls, patterns=patterns, kwd_attrs=names, kwd_patterns=keyword_patterns):
                keywords = tuple(zip(names, self._patterns(keyword_patterns), strict=True))
                return nodes.ClassPattern(span, self.expression(cls), self._patterns(patterns), keywords)
            case ast.MatchMapping(keys=keys, patterns=patterns, rest=rest):
                return nodes.MappingPattern(span, self._expressions_of(keys), self._patterns(patterns), rest)
            case ast.MatchSequence(patterns=patterns):
                return self._sequence_pattern(span, patterns)
        return nodes.CapturePattern(span, None, None)

    def _patterns(self, patterns: Iterable[ast.pattern]) -> tuple[nodes.Pattern, ...]:
        return tuple(self._pattern(pattern) for pattern in patterns)

    def _sequence_pattern(self, span: nodes.Span, patterns: Sequence[ast.pattern]) -> nodes.Pattern:
        starred = next((index for index, pattern in enumerate(patterns) if isinstance(pattern, ast.MatchStar)), -1)
        star = patterns[starred] if starred >= 0 else None
        return nodes.SequencePattern(
            span, self._patterns(patterns), starred, star.name if isinstance(star, ast.MatchStar) else None
        )

    # ------------------------------------------------------------------------------------------ targets
    def target(self, node: ast.expr) -> nodes.Target:
        """What an assignment stores into."""
        span = _span(node)
        match node:
            case ast.Name(id=name):
                return nodes.NameTarget(span, self._mangle(name))
            case ast.Attribute(value=value, attr=name):
                return nodes.AttributeTarget(span, self.expression(value), self._mangle(name))
            case ast.Subscript(value=value, slice=index):
                return nodes.SubscriptTarget(span, self.expression(value), self.expression(index))
            case ast.Starred(value=value):
                return self.target(value)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                starred = next((i for i, element in enumerate(elements) if isinstance(element, ast.Starred)), -1)
                return nodes.SequenceTarget(span, tuple(self.target(element) for element in elements), starred)
        raise UnparsableError(f"line {span[0]}: cannot assign to {type(node).__name__}")

    # ------------------------------------------------------------------------------------------ expressions
    def expression(self, node: ast.expr) -> nodes.Expression:
        """What has a value; syntax that is not known is a name that nothing is known of."""
        lower = _EXPRESSIONS.get(type(node))
        return lower(self, node) if lower else nodes.Literal(_span(node), None)

    def _expressions_of(self, elements: Iterable[ast.expr]) -> tuple[nodes.Expression, ...]:
        return tuple(self.expression(element) for element in elements)

    def _optional(self, node: ast.expr | None) -> nodes.Expression | None:
        return None if node is None else self.expression(node)

    def _attribute(self, node: ast.Attribute) -> nodes.Expression:
        line, column, last, last_column = _span(node)
        # CPython shows the line of the attribute's name when the chain is spread over lines.
        span = (last, column, last, last_column) if last != line else (line, column, last, last_column)
        return nodes.AttributeLoad(span, self.expression(node.value), self._mangle(node.attr))

    def _call(self, node: ast.Call) -> nodes.Expression:
        line, column, last, last_column = _span(node)
        if isinstance(node.func, ast.Attribute) and node.func.end_lineno:
            line = node.func.end_lineno
        return nodes.Call(
            (line, column, last, last_column),
            self.expression(node.func),
            self._expressions_of(node.args),
            self._keywords(node.keywords),
        )

    def _template_string(self, node: Any) -> nodes.Expression:
        return nodes.TemplateString(_span(node), self._expressions_of(node.values))

    def _keywords(self, keywords: Iterable[ast.keyword]) -> tuple[nodes.Keyword, ...]:
        return tuple(nodes.Keyword(_span(each), each.arg, self.expression(each.value)) for each in keywords)

    def _comprehension(
        self,
        node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp,
        kind: str,
        element: ast.expr,
        key: ast.expr | None,
    ) -> nodes.Expression:
        clauses = tuple(
            nodes.ComprehensionClause(
                _span(clause.target),
                self.target(clause.target),
                self.expression(clause.iter),
                self._expressions_of(clause.ifs),
            )
            for clause in node.generators
        )
        names = {
            name.id
            for clause in node.generators
            for name in ast.walk(clause.target)
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
        }
        return nodes.Comprehension(
            _span(node), kind, self.expression(element), self._optional(key), clauses, frozenset(names)
        )

    def _lambda(self, node: ast.Lambda) -> nodes.Expression:
        scope = (*self._scope, "<lambda>")
        defaults, keyword_defaults = self._defaults(node.args)
        body: list[ast.stmt] = [ast.copy_location(ast.Return(node.body), node.body)]
        code = FunctionCode(
            "<lambda>",
            ".".join(scope),
            node.lineno,
            self._parameters(node.args),
            False,
            _KnownBody(_lower_function_body(self._source, node.args, body, scope, self._class_name)),
        )
        return nodes.LambdaExpression(_span(node), code, defaults, keyword_defaults)

    def _defaults(
        self, arguments: ast.arguments
    ) -> tuple[tuple[nodes.Expression, ...], tuple[tuple[str, nodes.Expression], ...]]:
        keyword_defaults = tuple(
            (self._mangle(argument.arg), self.expression(default))
            for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if default is not None
        )
        return self._expressions_of(arguments.defaults), keyword_defaults

    def _parameters(self, arguments: ast.arguments) -> Parameters:
        def names(listed: Iterable[ast.arg]) -> tuple[str, ...]:
            return tuple(self._mangle(argument.arg) for argument in listed)

        return Parameters(
            names(arguments.posonlyargs),
            names(arguments.args),
            arguments.vararg.arg if arguments.vararg else None,
            names(arguments.kwonlyargs),
            arguments.kwarg.arg if arguments.kwarg else None,
        )

    def _mangle(self, name: str) -> str:
        """Private names in a class: ``__x`` is ``_Class__x`` (Python reference, 6.2.1)."""
        if self._class_name is None or not name.startswith("__") or name.endswith("__") or "." in name:
            return name
        stripped = self._class_name.lstrip("_")
        return f"_{stripped}{name}" if stripped else name


_EXPRESSIONS: dict[type[ast.AST], Callable[[Lowering, Any], nodes.Expression]] = {
    ast.Constant: lambda self, node: nodes.Literal(_span(node), node.value),
    ast.Name: lambda self, node: nodes.NameLoad(_span(node), self._mangle(node.id)),
    ast.Attribute: Lowering._attribute,
    ast.Subscript: lambda self, node: nodes.SubscriptLoad(
        _span(node), self.expression(node.value), self.expression(node.slice)
    ),
    ast.Call: Lowering._call,
    ast.BinOp: lambda self, node: nodes.BinaryOperation(
        _span(node),
        _BINARY_OPERATORS[type(node.op)],
        self.expression(node.left),
        self.expression(node.right),
    ),
    ast.UnaryOp: lambda self, node: nodes.UnaryOperation(
        _span(node), _UNARY_OPERATORS[type(node.op)], self.expression(node.operand)
    ),
    ast.BoolOp: lambda self, node: nodes.BooleanOperation(
        _span(node), "and" if isinstance(node.op, ast.And) else "or", self._expressions_of(node.values)
    ),
    ast.Compare: lambda self, node: nodes.Comparison(
        _span(node),
        self.expression(node.left),
        tuple(_COMPARISONS[type(operator)] for operator in node.ops),
        self._expressions_of(node.comparators),
    ),
    ast.IfExp: lambda self, node: nodes.Conditional(
        _span(node), self.expression(node.test), self.expression(node.body), self.expression(node.orelse)
    ),
    ast.Tuple: lambda self, node: nodes.Display(_span(node), "tuple", self._expressions_of(node.elts)),
    ast.List: lambda self, node: nodes.Display(_span(node), "list", self._expressions_of(node.elts)),
    ast.Set: lambda self, node: nodes.Display(_span(node), "set", self._expressions_of(node.elts)),
    ast.Dict: lambda self, node: nodes.DictDisplay(
        _span(node),
        tuple(None if key is None else self.expression(key) for key in node.keys),
        self._expressions_of(node.values),
    ),
    ast.ListComp: lambda self, node: self._comprehension(node, "list", node.elt, None),
    ast.SetComp: lambda self, node: self._comprehension(node, "set", node.elt, None),
    ast.GeneratorExp: lambda self, node: self._comprehension(node, "generator", node.elt, None),
    ast.DictComp: lambda self, node: self._comprehension(node, "dict", node.value, node.key),
    ast.Lambda: Lowering._lambda,
    ast.JoinedStr: lambda self, node: nodes.FormattedString(_span(node), self._expressions_of(node.values)),
    TemplateString: Lowering._template_string,
    ast.FormattedValue: lambda self, node: nodes.FormattedValue(
        _span(node),
        self.expression(node.value),
        chr(node.conversion) if node.conversion > 0 else "",
        self._optional(node.format_spec),
    ),
    ast.Starred: lambda self, node: nodes.Starred(_span(node), self.expression(node.value)),
    ast.NamedExpr: lambda self, node: nodes.NamedExpression(
        _span(node), self._mangle(node.target.id), self.expression(node.value)
    ),
    ast.Slice: lambda self, node: nodes.Slice(
        _span(node), self._optional(node.lower), self._optional(node.upper), self._optional(node.step)
    ),
    ast.Yield: lambda self, node: nodes.Yield(_span(node), self._optional(node.value)),
    ast.YieldFrom: lambda self, node: nodes.YieldFrom(_span(node), self.expression(node.value)),
    ast.Await: lambda self, node: nodes.Await(_span(node), self.expression(node.value)),
}
_STATEMENTS: dict[type[ast.AST], Callable[[Lowering, Any], nodes.Statement | None]] = {
    ast.Expr: Lowering._expression_statement,
    ast.Assign: lambda self, node: nodes.Assign(
        _span(node), tuple(self.target(target) for target in node.targets), self.expression(node.value)
    ),
    ast.AugAssign: lambda self, node: nodes.AugmentedAssign(
        _span(node),
        self.target(node.target),
        self.expression(node.target),
        _BINARY_OPERATORS[type(node.op)],
        self.expression(node.value),
    ),
    ast.AnnAssign: lambda self, node: nodes.AnnotatedAssign(
        _span(node),
        self.target(node.target),
        self.expression(node.annotation),
        self._optional(node.value),
        bool(node.simple),
    ),
    ast.Delete: lambda self, node: nodes.Delete(_span(node), tuple(self.target(target) for target in node.targets)),
    ast.If: lambda self, node: nodes.If(
        _span(node), self.expression(node.test), self.block(node.body), self.block(node.orelse)
    ),
    ast.For: Lowering._for,
    ast.AsyncFor: Lowering._for,
    ast.While: lambda self, node: nodes.While(
        _span(node), self.expression(node.test), self.block(node.body), self.block(node.orelse)
    ),
    ast.Try: Lowering._try,
    ast.With: Lowering._with,
    ast.AsyncWith: Lowering._with,
    ast.FunctionDef: Lowering._function,
    ast.AsyncFunctionDef: Lowering._function,
    ast.ClassDef: Lowering._class,
    ast.Return: lambda self, node: nodes.Return(_span(node), self._optional(node.value)),
    ast.Raise: lambda self, node: nodes.Raise(_span(node), self._optional(node.exc), self._optional(node.cause)),
    ast.Assert: lambda self, node: nodes.Assert(_span(node), self.expression(node.test), self._optional(node.msg)),
    ast.Import: lambda self, node: nodes.Import(_span(node), _aliases(node), _is_lazy(node)),
    ast.ImportFrom: lambda self, node: nodes.ImportFrom(
        _span(node), node.module or "", node.level, _aliases(node), _is_lazy(node)
    ),
    ast.Break: lambda self, node: nodes.Break(_span(node)),
    ast.Continue: lambda self, node: nodes.Continue(_span(node)),
    ast.Pass: lambda self, node: None,
    ast.Global: lambda self, node: None,
    ast.Nonlocal: lambda self, node: None,
    ast.Match: Lowering._match,
    TryStar: Lowering._try,
    TypeAlias: Lowering._type_alias,
}
for _newer, _lower in (("TryStar", Lowering._try), ("TypeAlias", Lowering._type_alias)):
    if hasattr(ast, _newer):
        _STATEMENTS[getattr(ast, _newer)] = _lower
for _newer, _like in (("TemplateStr", TemplateString), ("Interpolation", ast.FormattedValue)):
    if hasattr(ast, _newer):
        _EXPRESSIONS[getattr(ast, _newer)] = _EXPRESSIONS[_like]


def _lower_function_body(
    source: SourceText,
    arguments: ast.arguments,
    statements: Sequence[ast.stmt],
    scope: tuple[str, ...],
    class_name: str | None,
) -> FunctionBody:
    lowering = Lowering(source, (*scope, "<locals>"), class_name)
    bound = own_bindings(statements, True)
    declared_global = _declared(statements, ast.Global)
    declared_nonlocal = _declared(statements, ast.Nonlocal)
    every = [*arguments.posonlyargs, *arguments.args, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]
    local = set(bound) | {argument.arg for argument in every if argument is not None}
    mangle = lowering._mangle
    return FunctionBody(
        lowering.block(statements),
        frozenset(mangle(name) for name in local - declared_global - declared_nonlocal),
        frozenset(mangle(name) for name in declared_global),
        frozenset(mangle(name) for name in declared_nonlocal),
        contains_yield(statements),
        _docstring(statements),
    )


def _opaque_body(span: nodes.Span, reason: str) -> FunctionBody:
    nothing: frozenset[str] = frozenset()
    return FunctionBody((nodes.Opaque(span, reason),), nothing, nothing, nothing, False, None)


def _declared(statements: Sequence[ast.stmt], kind: type[ast.Global] | type[ast.Nonlocal]) -> set[str]:
    """Names that ``global`` or ``nonlocal`` statements of this very scope declare."""
    names: set[str] = set()
    pending: list[ast.AST] = list(statements)
    while pending:
        node = pending.pop()
        if isinstance(node, kind):
            names.update(node.names)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            pending.extend(child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr))
    return names


def _first_column(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The column of the definition, or of the ``@`` of its first decorator."""
    return min([node.col_offset, *(decorator.col_offset - 1 for decorator in node.decorator_list)])


def _docstring(body: Sequence[ast.stmt]) -> str | None:
    match body[:1]:
        case [ast.Expr(value=ast.Constant(value=str(text)))]:
            return text
    return None


def _is_lazy(node: ast.Import | ast.ImportFrom) -> bool:
    """Whether ``lazy`` stands before the statement, which the syntax tree tells since Python 3.15."""
    return bool(getattr(node, "is_lazy", 0))


def _type_parameters(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
    return tuple(parameter.name for parameter in getattr(node, "type_params", ()))


def _aliases(node: ast.Import | ast.ImportFrom) -> tuple[nodes.ImportedName, ...]:
    return tuple(nodes.ImportedName(_span(alias), alias.name, alias.asname) for alias in node.names)


def _span(node: Any) -> nodes.Span:
    return (node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
