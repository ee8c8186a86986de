"""Comments that silence findings: ``# importcycle: ignore[IC102] -- why``."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from importcycle.findings.judging import plain_finding
from importcycle.findings.model import Finding, Rule
from importcycle.findings.rules import UnknownRule, select_rules
from importcycle.importing.outcomes import Site
from importcycle.project import Project, SourceError, decode_source, read_file
from importcycle.project.model import ModuleKind

_MARK = "importcycle:"
_COMMENT = re.compile(r"#\s*importcycle:\s*(?P<rest>.*)")
_DIRECTIVE = re.compile(r"ignore\s*(?:\[(?P<codes>[^\]]*)\])?\s*(?:--.*|#.*)?")
_LINE_TOKENS = frozenset({tokenize.NEWLINE, tokenize.NL})


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment."""

    path: str
    line: int
    lines: range
    """All lines of the statement that the comment is on: a formatter may move it to another of them."""
    codes: tuple[str, ...]
    """Codes, names or prefixes of the rules it silences; none for all."""
    problem: str = ""
    """Why the comment cannot be understood."""

    def fitting_codes(self, finding: Finding) -> set[str]:
        """Which of the codes silence the finding; ``*`` where the comment has none."""
        if self.problem:
            return set()
        return {code for code in self.codes or ("*",) if code == "*" or _fits(code, finding.rule, finding.name)}


class Suppressions:
    """The comments of a project, read when first asked for, and which of them have silenced something."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._modules = {
            module.display_path: (name, module.path)
            for name, module in project.modules.items()
            if module.kind is ModuleKind.SOURCE
        }
        self._comments: dict[str, tuple[Suppression, ...]] = {}
        self._used: dict[Suppression, set[str]] = {}

    def silence(self, finding: Finding) -> bool:
        """Whether a comment silences the finding; all comments that do so count as used."""
        silenced = False
        for path, line in sorted(_places(finding)):
            for comment in self._of(path):
                if line in comment.lines and (codes := comment.fitting_codes(finding)):
                    self._used.setdefault(comment, set()).update(codes)
                    silenced = True
        return silenced

    def unused(self, rule: Rule) -> Iterator[Finding]:
        """A finding of the rule for each comment that has silenced nothing; all rules must have been applied before."""
        for path, (name, _) in self._modules.items():
            for comment in () if self._project.is_followed(name) else self._of(path):
                message = comment.problem or self._complaint(comment)
                if message:
                    site = Site(name, path, comment.line)
                    yield plain_finding(rule, site, message, fix="remove the comment, or the codes that are not needed")

    def _complaint(self, comment: Suppression) -> str:
        used = self._used.get(comment, set())
        if not comment.codes:
            return "" if used else "this comment silences nothing"
        idle = [code for code in comment.codes if code not in used]
        return f"this comment silences nothing of {', '.join(idle)}" if idle else ""

    def _of(self, path: str) -> tuple[Suppression, ...]:
        if path not in self._comments:
            known = self._modules.get(path)
            self._comments[path] = tuple(read_suppressions(path, _text(known[1]))) if known is not None else ()
        return self._comments[path]


def read_suppressions(path: str, text: str) -> Iterator[Suppression]:
    """The comments in a source text that are meant for this tool."""
    if _MARK not in text:
        return
    comments: list[tokenize.TokenInfo] = []
    first = 0
    for token in _tokens(text):
        if token.type == tokenize.COMMENT and _MARK in token.string:
            comments.append(token)
        if token.type == tokenize.NEWLINE:
            yield from _made(path, comments, range(first or token.start[0], token.end[0] + 1))
            comments, first = [], 0
        elif token.type == tokenize.NL and not first:
            yield from _made(path, comments, range(token.start[0], token.start[0] + 1))
            comments = []
        elif not first and token.type not in (tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT, *_LINE_TOKENS):
            first = token.start[0]


def _made(path: str, comments: Iterable[tokenize.TokenInfo], lines: range) -> Iterator[Suppression]:
    for token in comments:
        match = _COMMENT.search(token.string)
        if match is not None:
            yield _parsed(path, token.start[0], lines, match["rest"].strip())


def _parsed(path: str, line: int, lines: range, rest: str) -> Suppression:
    match = _DIRECTIVE.fullmatch(rest)
    if match is None:
        return Suppression(path, line, lines, (), f"this comment is not understood: {rest!r}; write ignore[IC101]")
    codes = tuple(dict.fromkeys(code.strip() for code in (match["codes"] or "").split(",") if code.strip()))
    if match["codes"] is not None and not codes:
        return Suppression(path, line, lines, (), "this comment names no rule: write ignore[IC101]")
    try:
        select_rules(codes)
    except UnknownRule as error:
        return Suppression(path, line, lines, codes, f"this comment names an unknown rule: {error}")
    return Suppression(path, line, lines, codes)


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    """As many tokens as can be had: a file that is no Python ends early."""
    try:
        yield from tokenize.generate_tokens(io.StringIO(text, newline=None).readline)
    except (tokenize.TokenError, SyntaxError, ValueError, RecursionError):
        return


def _text(path: Path) -> str:
    try:
        data = read_file(path)
        return decode_source(data) if _MARK.encode() in data else ""
    except SourceError:
        return ""


def _places(finding: Finding) -> set[tuple[str, int]]:
    sites = [finding.location, *(step.site for step in finding.trace)]
    if finding.handler is not None:
        sites.append(finding.handler)
    return {(site.path, site.line) for site in sites}


def _fits(code: str, rule: str, name: str) -> bool:
    return code.upper() == "ALL" or rule.startswith(code.upper()) or code.lower() == name
