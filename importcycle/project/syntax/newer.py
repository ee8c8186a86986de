"""Syntax that is newer than the running Python, rewritten to older syntax on the same lines.

What is new stands at few places: these are found in the text, blanked or turned into something old, and put back into
the tree that Python's own parser makes of the rest. No parser library gives Python's own syntax tree of newer syntax,
and one with a tree of its own would need a second lowering, that could differ in its meaning from the first.

Known are: ``except*`` and starred subscripts (3.11), type parameters, ``type`` statements and f-strings that hold what
they like (3.12), defaults of type parameters (3.13), ``except`` without parentheses and template strings (3.14), and
``lazy`` imports (3.15).
"""

from __future__ import annotations

import ast
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from importcycle.project.syntax.strings import Field, StringToken
from importcycle.project.syntax.tokens import Token, TokenKind, UnclearError, tokens_of

Position = tuple[int, int]
"""Line, and column in bytes of UTF-8, as in Python's syntax trees."""
_Node = TypeVar("_Node", bound=ast.AST)
ParseExpression = Callable[[str], ast.expr]

_NEWER_F_STRINGS = sys.version_info < (3, 12)
_TYPE_PARAMETERS = sys.version_info < (3, 13)  # 3.12 knows them without defaults
_TYPE_STATEMENTS = sys.version_info < (3, 12)
_EXCEPT_STAR = sys.version_info < (3, 11)
_STARS = sys.version_info < (3, 11)
_OPENING = frozenset("([{")
_CLOSING = frozenset(")]}")


class TryStar(ast.stmt):
    """``try`` with ``except*``, for a Python that has no such node."""

    _fields = ("body", "handlers", "orelse", "finalbody")


class TypeAlias(ast.stmt):
    """A ``type`` statement, for a Python that has no such node."""

    _fields = ("name", "type_params", "value")


class TemplateString(ast.expr):
    """A template string, for a Python that has no such node."""

    _fields = ("values",)


@dataclass(frozen=True, slots=True)
class TypeParameter:
    """A type parameter; its bound and default are evaluated on demand only."""

    name: str


@dataclass(slots=True)
class _Edit:
    start: int
    end: int
    text: str
    mark: Callable[[_Marks, Position], None] | None = None
    """Notes the position, in the new text, of where the edit begins."""


@dataclass(slots=True)
class _Marks:
    """What has to be put back into the tree, by position in the new text."""

    strings: dict[Position, list[StringToken]] = field(default_factory=dict)
    lazy: set[Position] = field(default_factory=set)
    aliases: dict[Position, tuple[int, list[TypeParameter]]] = field(default_factory=dict)
    """With the offset of the name in the text as it was."""
    parameters: dict[Position, list[TypeParameter]] = field(default_factory=dict)
    group_handlers: set[Position] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A text for the running Python's parser, and what is missing from it."""

    text: str
    _marks: _Marks
    _original: str

    def restore(self, tree: ast.Module, parse_expression: ParseExpression) -> ast.Module:
        """Put back into the tree what the text has lost.

        Raises:
            SyntaxError: what stands in a string is no expression.
        """
        return _Restoration(self._marks, self._original, parse_expression).run(tree)


def rewrite(text: str) -> Rewritten | None:
    """The text in older syntax; ``None`` if there is nothing in it that is known to be newer.

    Line ends must be line feeds.
    """
    try:
        edits = _Rewriter(text).run()
    except UnclearError:
        return None
    return _applied(text, edits) if edits else None


def _applied(text: str, edits: list[_Edit]) -> Rewritten:
    parts: list[str] = []
    places: list[tuple[_Edit, int]] = []
    position = length = 0
    for edit in sorted(edits, key=lambda each: (each.start, each.end)):
        kept = text[position : edit.start]
        parts += [kept, edit.text]
        places.append((edit, length + len(kept)))
        length += len(kept) + len(edit.text)
        position = edit.end
    new = "".join([*parts, text[position:]])
    marks = _Marks()
    position_of = _positions(new)
    for edit, offset in places:
        if edit.mark is not None:
            edit.mark(marks, position_of(offset))
    return Rewritten(new, marks, text)


def _positions(text: str) -> Callable[[int], Position]:
    starts = [0]
    while (found := text.find("\n", starts[-1])) >= 0:
        starts.append(found + 1)

    def position_of(offset: int) -> Position:
        line = bisect_right(starts, offset)
        return line, len(text[starts[line - 1] : offset].encode("utf-8", "surrogatepass"))

    return position_of


def _blank(text: str) -> str:
    """White space that takes as many columns, and keeps the line ends."""
    return "".join("\n" if each == "\n" else " " * len(each.encode("utf-8", "surrogatepass")) for each in text)


class _Rewriter:
    """Goes through the tokens of a text, statement by statement."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tokens_of(text)
        self._edits: list[_Edit] = []

    def run(self) -> list[_Edit]:
        starts_statement = True
        depth = 0
        for index, token in enumerate(self._tokens):
            if starts_statement and token.kind is TokenKind.NAME:
                self._statement(index)
            if token.text in _OPENING:
                depth += 1
                if _STARS and token.text == "[":
                    self._subscript(index)
            elif token.text in _CLOSING:
                depth = max(0, depth - 1)
            elif _STARS and depth and token.text == ":":
                self._starred_annotation(index)
            starts_statement = token.kind is TokenKind.NEWLINE or (depth == 0 and token.text in (":", ";"))
        self._strings()
        return self._edits

    # ------------------------------------------------------------------------------------------ statements
    def _statement(self, index: int) -> None:
        following = self._tokens[index + 1 : index + 3]
        match self._tokens[index].text:
            case "lazy" if following and following[0].text in ("import", "from"):
                self._lazy_import(self._tokens[index], following[0])
            case "type" if _TYPE_STATEMENTS and len(following) == 2 and following[1].text in ("=", "["):
                self._type_statement(index)
            case "except":
                self._except(index)
            case "class" | "def" if _TYPE_PARAMETERS:
                self._definition(index, index)
            case "async" if _TYPE_PARAMETERS and following and following[0].text == "def":
                self._definition(index, index + 1)

    def _lazy_import(self, lazy: Token, word: Token) -> None:
        # The first word moves to where "lazy" stood, so that the statement begins in the same column.
        text = word.text + self._text[lazy.end : word.start] + " " * (lazy.end - lazy.start)
        self._edits.append(_Edit(lazy.start, word.end, text, lambda marks, position: marks.lazy.add(position)))

    def _type_statement(self, index: int) -> None:
        name, after = self._tokens[index + 1], index + 2
        parameters: list[TypeParameter] = []
        if self._tokens[after].text == "[":
            closing = self._closing(after)
            parameters = self._parameters(after, closing)
            after = closing + 1
        if name.kind is not TokenKind.NAME or self._tokens[after].text != "=":
            return
        start, end = self._tokens[index].start, self._tokens[after].end
        lines = "\\\n" * self._text.count("\n", start, end)
        text = f"{name.text}={lines}lambda:"
        while len(text) > end - start and self._text.startswith(" ", end):
            end += 1
        padding = "" if lines else " " * (end - start - len(text))
        self._edits.append(
            _Edit(
                start,
                end,
                text + padding,
                lambda marks, position: marks.aliases.update({position: (name.start, parameters)}),
            )
        )

    def _except(self, index: int) -> None:
        first = index + 1
        if self._tokens[first].text == "*":
            star = self._tokens[first]
            first += 1
            if _EXCEPT_STAR:
                self._edits.append(_Edit(star.start, star.end, " "))
                start = self._tokens[index].start
                mark = lambda marks, position: marks.group_handlers.add(position)  # noqa: E731
                self._edits.append(_Edit(start, start, "", mark))
        depth = 0
        has_comma = False
        for position in range(first, len(self._tokens)):
            token = self._tokens[position]
            depth += (token.text in _OPENING) - (token.text in _CLOSING)
            if token.kind is TokenKind.NEWLINE or (depth == 0 and token.text == "as"):
                return
            has_comma = has_comma or (depth == 0 and token.text == ",")
            if depth == 0 and token.text == ":":
                if has_comma:
                    start = self._tokens[first].start
                    self._edits += [_Edit(start, start, "("), _Edit(token.start, token.start, ")")]
                return

    def _definition(self, first: int, word: int) -> None:
        opening = word + 2
        if self._tokens[word + 1].kind is not TokenKind.NAME or self._tokens[opening].text != "[":
            return
        closing = self._closing(opening)
        parameters = self._parameters(opening, closing)
        start, end = self._tokens[opening].start, self._tokens[closing].end
        # Outside of brackets, a line goes on after a backslash.
        self._edits.append(_Edit(start, end, _blank(self._text[start:end]).replace("\n", "\\\n")))
        begin = self._tokens[first].start
        self._edits.append(
            _Edit(begin, begin, "", lambda marks, position: marks.parameters.update({position: parameters}))
        )

    def _parameters(self, opening: int, closing: int) -> list[TypeParameter]:
        names: list[TypeParameter] = []
        depth = 0
        is_next = True
        for token in self._tokens[opening + 1 : closing]:
            depth += (token.text in _OPENING) - (token.text in _CLOSING)
            if depth == 0 and token.text == ",":
                is_next = True
            elif is_next and token.kind is TokenKind.NAME:
                names.append(TypeParameter(token.text))
                is_next = False
        return names

    def _subscript(self, opening: int) -> None:
        """``a[*b]`` becomes ``a[(*b,)]``."""
        before = self._tokens[opening - 1] if opening else None
        is_subscript = before is not None and (
            before.text in (")", "]", "}")
            or before.kind is TokenKind.STRING
            or (before.kind is TokenKind.NAME and before.text not in _KEYWORDS_BEFORE_LISTS)
        )
        is_definition = opening > 1 and self._tokens[opening - 2].text in ("class", "def", "type")
        if not is_subscript or is_definition:
            return
        closing = self._closing(opening)
        inside = self._tokens[opening + 1 : closing]
        depth = 0
        has_star = False
        previous = ","
        for token in inside:
            if depth == 0 and token.text in (":", "for"):
                return
            has_star = has_star or (depth == 0 and token.text == "*" and previous == ",")
            depth += (token.text in _OPENING) - (token.text in _CLOSING)
            previous = token.text
        if has_star:
            start, end = self._tokens[opening].end, self._tokens[closing].start
            self._edits += [_Edit(start, start, "("), _Edit(end, end, ")" if previous == "," else ",)")]

    def _starred_annotation(self, colon: int) -> None:
        """``*arguments: *Types`` loses its second star."""
        star = self._tokens[colon + 1]
        if colon > 1 and self._tokens[colon - 2].text == "*" and star.text == "*":
            self._edits.append(_Edit(star.start, star.end, " "))

    def _closing(self, opening: int) -> int:
        depth = 0
        for index in range(opening, len(self._tokens)):
            text = self._tokens[index].text
            depth += (text in _OPENING) - (text in _CLOSING)
            if depth == 0:
                return index
        raise UnclearError

    # ------------------------------------------------------------------------------------------ strings
    def _strings(self) -> None:
        group: list[Token] = []
        for token in self._tokens:
            if token.kind is TokenKind.STRING:
                group.append(token)
            elif group:
                self._string_group(group)
                group = []
        if group:
            self._string_group(group)

    def _string_group(self, group: list[Token]) -> None:
        """Strings that stand side by side are one: all of them are replaced if one cannot be parsed."""
        strings = [token.string for token in group if token.string is not None]
        start, end = group[0].start, group[-1].end
        is_template = any(string.is_template for string in strings)
        is_formatted = any(string.is_formatted for string in strings)
        if not is_template and not (_NEWER_F_STRINGS and is_formatted and not _is_parsable(self._text[start:end])):
            return
        text = f"[{_blank(self._text[start + 1 : end - 1])}]"
        self._edits.append(_Edit(start, end, text, lambda marks, position: marks.strings.update({position: strings})))


_KEYWORDS_BEFORE_LISTS = frozenset(
    "and as assert await del elif else for from if import in is lambda not or raise return while with yield".split()
)


def _is_parsable(text: str) -> bool:
    try:
        ast.parse(f"({text}\n)", mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


class _Restoration:
    """Puts back into a tree what the rewriting has taken out."""

    def __init__(self, marks: _Marks, original: str, parse_expression: ParseExpression) -> None:
        self._marks = marks
        self._original = original
        self._position_of = _positions(original)
        self._parse_expression = parse_expression

    def run(self, tree: ast.Module) -> ast.Module:
        pending: list[ast.AST] = [tree]
        while pending:
            node = pending.pop()
            for name, value in ast.iter_fields(node):
                if isinstance(value, ast.AST):
                    restored = self._restored(value)
                    setattr(node, name, restored)
                    pending += self._unfinished(value, restored)
                elif isinstance(value, list):
                    for index, each in enumerate(value):
                        if isinstance(each, ast.AST):  # else a name, or the missing key of ``**``
                            value[index] = self._restored(each)
                            pending += self._unfinished(each, value[index])
        return tree

    @staticmethod
    def _unfinished(old: ast.AST, new: ast.AST) -> list[ast.AST]:
        """What is still to be looked through: strings that were put back are complete."""
        return [new] if new is old or not isinstance(new, (ast.JoinedStr, TemplateString)) else []

    def _restored(self, node: ast.AST) -> ast.AST:
        position = (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
        match node:
            case ast.List(elts=[]) if position in self._marks.strings:
                return self._string(node, self._marks.strings[position])
            case ast.Import() | ast.ImportFrom() if position in self._marks.lazy:
                _set(node, is_lazy=1)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() if position in self._marks.parameters:
                _set(node, type_params=self._marks.parameters[position])
            case ast.Assign(targets=[ast.Name() as target], value=ast.Lambda(body=body)) if (
                position in self._marks.aliases
            ):
                offset, parameters = self._marks.aliases[position]
                target.lineno, target.col_offset = self._position_of(offset)
                target.end_lineno, target.end_col_offset = self._position_of(offset + len(target.id))
                return _moved(_set(TypeAlias(), name=target, type_params=parameters, value=body), node)
            case ast.Try(handlers=handlers) if any(
                (each.lineno, each.col_offset) in self._marks.group_handlers for each in handlers
            ):
                parts = {name: getattr(node, name) for name in TryStar._fields}
                return _moved(_set(TryStar(), **parts), node)
        return node

    def _string(self, node: ast.List, strings: Iterable[StringToken]) -> ast.AST:
        values: list[ast.expr] = []
        is_template = False
        for string in strings:
            is_template = is_template or string.is_template
            values += self._parts(string.parts, node)
        made = _set(TemplateString(), values=values) if is_template else ast.JoinedStr(values=values)
        return _moved(made, node)

    def _parts(self, parts: Iterable[str | Field], place: ast.expr) -> list[ast.expr]:
        return [
            _moved(ast.Constant(part), place) if isinstance(part, str) else self._field(part, place) for part in parts
        ]

    def _field(self, part: Field, place: ast.expr) -> ast.expr:
        line, column = self._position_of(part.start)
        try:
            value = self._parse_expression(self._original[part.start : part.end])
        except SyntaxError as error:
            raise SyntaxError(error.msg, ("", line + (error.lineno or 1) - 1, None, None)) from error
        _shift(value, line, column)
        specification = None
        if part.specification is not None:
            parts = self._parts(part.specification, place)
            specification = _moved(ast.JoinedStr(values=parts), place)
        conversion = ord(part.conversion) if part.conversion else -1
        return _moved(ast.FormattedValue(value=value, conversion=conversion, format_spec=specification), value)


def _set(node: _Node, **attributes: Any) -> _Node:
    for name, value in attributes.items():
        setattr(node, name, value)
    return node


def _moved(node: _Node, place: ast.AST) -> _Node:
    return ast.copy_location(node, place)


def _shift(tree: ast.expr, line: int, column: int) -> None:
    """Move a tree that was parsed on its own, behind one opening bracket, to its place."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.expr, ast.keyword, ast.arg)):
            if node.lineno == 1:
                node.col_offset += column - 1
            if node.end_lineno == 1 and node.end_col_offset is not None:
                node.end_col_offset += column - 1
            node.lineno += line - 1
            node.end_lineno = (node.end_lineno or 1) + line - 1
