"""A source without the bodies of its functions: what runs when the module is imported, and a quarter of the text.

Most functions of a module are never called while modules are initialised. Their bodies are found in the text, which
is ten times as fast as parsing them, and parsed when they are first called.
"""

from __future__ import annotations

import re
from functools import lru_cache

from importcycle.project.syntax.skipping import COMMENTS_AND_STRINGS

_LONG_STRING = (
    r'(?:"{3}[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"{3}'
    r"|'{3}[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'{3})"
)
_SHORT_STRING = r"""(?!"{3}|'{3})(?:"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\\\n]*(?:\\.[^'\\\n]*)*')"""
_COMMENT = r"\#[^\n]*(?![^\n])"  # to the line's end: a comment that could end earlier would be tried in all lengths
_DEPTH_OF_BRACKETS = 4
"""Parameters whose brackets nest deeper are left to the parser, with the body of their function."""


def _in_brackets(depth: int) -> str:
    """A pattern for brackets with all that they hold; written so that no text makes it go back far."""
    inner = rf"{_LONG_STRING}|{_SHORT_STRING}|{_COMMENT}|\\\n" + (rf"|{_in_brackets(depth - 1)}" if depth else "")
    plain = r"""[^()\[\]{}"'#\\]*"""
    return rf"[(\[{{]{plain}(?:(?:{inner}){plain})*[)\]}}]"


# Strings and comments are named so that a "def" inside them is passed over.
_DEFINITION = re.compile(
    COMMENTS_AND_STRINGS + r"| \n(?P<indentation>[ \t]*)(?:async[ \t]+)?def\b",
    re.VERBOSE | re.DOTALL,
)
_HEADER = re.compile(
    rf"""[ \t]+\w+[ \t]*{_in_brackets(_DEPTH_OF_BRACKETS)}[ \t]*"""
    rf"""(?:->[^:\n"'\#(\[{{]*(?:(?:{_SHORT_STRING}|{_in_brackets(_DEPTH_OF_BRACKETS)})[^:\n"'\#(\[{{]*)*)?"""
    r""":[ \t]*(?:\#[^\n]*)?(?=\n)""",
    re.DOTALL,
)
_WHOLE_STRINGS = re.compile(
    rf"""[^"'\#]*(?:(?:{_COMMENT}|{_LONG_STRING}|{_SHORT_STRING})[^"'\#]*)*""",
    re.DOTALL,
)


def without_function_bodies(text: str) -> str:
    """The text with each function's body left out: empty lines, and ``pass`` on its last line.

    Lines keep their numbers and what is left keeps its columns. A function stays whole where the text does not show
    plainly where it ends; where it seems to and is wrong, what is left is no valid Python.

    Args:
        text: The source, with a line feed at the end of each line.
    """
    text = f"\n{text}"
    kept: list[str] = []
    position = done = 0
    while (found := _DEFINITION.search(text, position)) is not None:
        position = found.end()
        if found.lastgroup is None:
            continue
        body = _body(text, position, found["indentation"])
        if body is None:
            continue
        start, position = body
        kept += (text[done:start], "\n" * text.count("\n", start, position), f"{found['indentation']} pass")
        done = position
    kept.append(text[done:])
    return "".join(kept)[1:]


def _body(text: str, position: int, indentation: str) -> tuple[int, int] | None:
    """Where the body of a function begins and ends, whose ``def`` ends at the position."""
    header = _HEADER.match(text, position)
    if header is None:
        return None
    body = _deeper_lines(indentation).match(text, header.end())
    if body is None:
        return None
    lines = _without_last_comments(body.group())
    if lines.endswith("\\") or (('"""' in lines or "'''" in lines) and _ends_in_string(lines)):
        return None
    return header.end(), header.end() + len(lines)


@lru_cache(maxsize=64)
def _deeper_lines(indentation: str) -> re.Pattern[str]:
    """Lines that are indented more than this, with empty lines and comments between them."""
    return re.compile(rf"(?:\n(?:{indentation}[ \t]+[^\n]*|[ \t]*(?:\#[^\n]*)?(?=\n|\Z)))+")


def _without_last_comments(text: str) -> str:
    """The text up to the end of its last line that is neither empty nor a comment."""
    end = len(text.rstrip())
    while (start := text.rfind("\n", 0, end)) >= 0 and text[start:end].lstrip().startswith("#"):
        end = start
        while end and text[end - 1].isspace():
            end -= 1
    return text[:end]


def _ends_in_string(lines: str) -> bool:
    """Whether a string begins in these lines that does not end in them."""
    return _WHOLE_STRINGS.fullmatch(lines) is None
