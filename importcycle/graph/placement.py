"""Where import statements stand, read off the text: several times faster than parsing, and for any syntax.

The reader knows strings, comments, brackets, indentation and the words that open a block, and nothing else of Python.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from importcycle.graph.model import ImportKind
from importcycle.project.syntax.skipping import COMMENTS_AND_STRINGS

# Every alternative begins with a literal character, for speed: so a word is found by the line end before it.
_TOKEN = re.compile(
    COMMENTS_AND_STRINGS
    + r"""
    | \\\n
    | \( | \) | \[ | \] | \{ | \}
    | \n(?P<indentation>[ \t\f]*)
      (?P<word>import|from|lazy|async|def|class|if|elif|else|for|while|with|try|except|finally|match|case)\b
    """,
    re.VERBOSE | re.DOTALL,
)
_ALIAS = re.compile(r"\bTYPE_CHECKING[ \t]+as[ \t]+(\w+)")
_MAIN_TEST = re.compile(r"""\s*\(?\s*__name__\s*==\s*(['"])__main__\1\s*\)?\s*:""")
_CONSTANT_TEST = re.compile(r"\s*(?:(False|0)|True|1)\s*:")
_LAZY_IMPORT = re.compile(r"[ \t]+(?:import|from)\b")
_FUNCTION = re.compile(r"[ \t]+def\b")


class Unclear(Exception):
    """The reader cannot tell, and a parser should be asked."""


@dataclass(frozen=True, slots=True)
class Statement:
    """An import statement that begins a line."""

    line: int
    start: int
    """Offset of its first word."""
    kind: ImportKind


@dataclass(frozen=True, slots=True)
class _Block:
    indentation: int
    body: ImportKind
    """The kind of an import in its body."""
    rest: ImportKind
    """The kind of an import in the branches that follow."""


@dataclass(slots=True)
class Placement:
    """What the reader found."""

    statements: list[Statement] = field(default_factory=list)
    same_line: dict[int, ImportKind] = field(default_factory=dict)
    """For each line that opens a block, the kind of an import that follows on the same line."""

    def kinds(self) -> dict[int, ImportKind]:
        """The kind of an import that begins on a line."""
        kinds = dict(self.same_line)
        kinds.update((statement.line, statement.kind) for statement in self.statements)
        return kinds


def place_imports(text: str, end: int | None = None) -> Placement:
    """Find the import statements of a text whose lines end with a line feed.

    Args:
        text: The source.
        end: Offset at which to stop.

    Raises:
        Unclear: a test that speaks of TYPE_CHECKING is not of a simple form.
    """
    placement = Placement()
    text = f"\n{text}"
    guards = _guards(text)
    blocks: list[_Block] = []
    line = counted = 0
    for match in _words(text, len(text) if end is None else end + 1):
        line += text.count("\n", counted, match.start("word"))
        counted = match.start("word")
        indentation = _width(match["indentation"])
        previous = None
        while blocks and blocks[-1].indentation >= indentation:
            previous = blocks.pop()
        kind = blocks[-1].body if blocks else ImportKind.EAGER
        word = match["word"]
        if word in ("import", "from"):
            placement.statements.append(Statement(line, match.start("word") - 1, kind))
        elif word == "lazy":
            if _LAZY_IMPORT.match(text, match.end()):
                placement.statements.append(Statement(line, match.start("word") - 1, _deferred(kind)))
        else:
            # Other branches of the same statement stand at the same depth.
            rest = previous.rest if previous is not None and previous.indentation == indentation else kind
            body, rest = _branch(word, text, match.end(), kind, rest, guards)
            blocks.append(_Block(indentation, body, rest))
            placement.same_line[line] = body
    return placement


def logical_line(text: str, start: int) -> str:
    """What follows the offset, up to the end of the statement's last line."""
    depth = 0
    position = start
    while True:
        line_end = text.find("\n", position)
        token = _TOKEN.search(text, position)
        if line_end < 0 or (token is None and depth):
            return text[start:]
        if depth == 0 and (token is None or line_end <= token.start()):
            return text[start:line_end]
        assert token is not None
        position = token.end()
        depth = max(0, depth + _depth_change(token))


def _words(text: str, end: int) -> Iterator[re.Match[str]]:
    """Words that can begin a statement, outside strings, comments, brackets and continued lines."""
    depth = 0
    for match in _TOKEN.finditer(text, 0, end):
        if match.lastgroup is None:
            depth = max(0, depth + _depth_change(match))
        elif depth == 0:
            yield match


def _depth_change(token: re.Match[str]) -> int:
    if token.end() - token.start() != 1:
        return 0
    bracket = token.group()
    return 1 if bracket in "([{" else -1 if bracket in ")]}" else 0


def _branch(
    word: str, text: str, position: int, kind: ImportKind, rest: ImportKind, guards: tuple[str, re.Pattern[str]]
) -> tuple[ImportKind, ImportKind]:
    """The kinds of imports in a block's body, and in the branches that follow it."""
    if word == "def" or (word == "async" and _FUNCTION.match(text, position)):
        return _deferred(kind), kind
    if word == "else":
        return rest, kind
    if word not in ("if", "elif"):
        return kind, kind
    if word == "if":
        rest = kind
    if rest is ImportKind.TYPING:
        return rest, rest
    test = _test(text, position, guards)
    if test is None:
        return rest, rest
    if test is ImportKind.EAGER:
        return rest, ImportKind.TYPING
    return (_deferred(rest) if test is ImportKind.DEFERRED else test), rest


def _test(text: str, position: int, guards: tuple[str, re.Pattern[str]]) -> ImportKind | None:
    """What a test makes of its body: never run, always run, or run only as a script; ``None`` when it depends."""
    if _MAIN_TEST.match(text, position):
        return ImportKind.DEFERRED
    if constant := _CONSTANT_TEST.match(text, position):
        return ImportKind.TYPING if constant[1] else ImportKind.EAGER
    line_end = text.find("\n", position)
    test = text[position : line_end if line_end >= 0 else len(text)]
    if ":" not in test or test.count("(") > test.count(")"):
        test = logical_line(text, position)
    names, pattern = guards
    if not re.search(names, test):
        return None
    match = pattern.fullmatch(test)
    if match is None:
        raise Unclear
    return ImportKind.EAGER if match["negated"] else ImportKind.TYPING


def _guards(text: str) -> tuple[str, re.Pattern[str]]:
    """What shows that a test needs a closer look, and the form of the tests that are plain."""
    names = sorted({"TYPE_CHECKING", *_ALIAS.findall(text)}) if "TYPE_CHECKING" in text else ["TYPE_CHECKING"]
    alternatives = rf"\b(?:{'|'.join(names)})\b"
    return rf"{alternatives}|\b__name__\b", re.compile(
        rf"\s*(?P<negated>not\s+)?\(?\s*(?:\w+\.)*{alternatives}\s*\)?\s*:(?!=).*"
    )


def _deferred(kind: ImportKind) -> ImportKind:
    return kind if kind is ImportKind.TYPING else ImportKind.DEFERRED


def _width(indentation: str) -> int:
    # A form feed starts the count anew, as in CPython's tokenizer.
    return len(indentation.rpartition("\f")[2].expandtabs(8))
