"""Scans of a package: with an empty cache, again, and after a change of one file."""

from __future__ import annotations

import ast
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measuring import Stopwatch
from benchmarks.model import Row, Section, Target, row_of
from benchmarks.processes import Measured, run

COLD = "cold"
WARM = "warm"
LINE = "one file changed: a line in a function"
FUNCTION = "one file changed: a function more"
STATEMENT = "one file changed: a statement more"
_LINE_TEXT = "added_for_the_benchmark = [1, 2, 3]"
_FUNCTION_TEXT = "\n\ndef added_for_the_benchmark(value):\n    return [value, added_for_the_benchmark]\n"
_STATEMENT_TEXT = "\n\nADDED_FOR_THE_BENCHMARK = [1, 2, 3]\n"
_SCRIPT = Path(sys.executable).with_name("importcycle")


@dataclass(frozen=True, slots=True)
class _Scanner:
    target: Target
    work: Path
    """A folder for caches, outside the target's."""
    timeout: float

    @property
    def cache(self) -> Path:
        return self.work / "cache"

    @property
    def filled(self) -> Path:
        """A cache as the cold scan left it, to begin from again."""
        return self.work / "filled"

    def scan(self) -> Measured:
        options = ["--isolated", "--exit-zero", "--quiet", "--cache-dir", str(self.cache)]
        command = [str(_SCRIPT), "scan", self.target.package, *options]
        return run(command, folder=self.target.root, timeout=self.timeout)

    def cold(self) -> Measured:
        shutil.rmtree(self.cache, ignore_errors=True)
        measured = self.scan()
        if self.cache.is_dir():
            shutil.rmtree(self.filled, ignore_errors=True)
            shutil.copytree(self.cache, self.filled)
        return measured

    def warm(self) -> Measured:
        self._refill()
        return self.scan()

    def changed(self, change: Callable[[str], str]) -> Measured:
        """A scan after a file of middling size was changed; the file is then as before."""
        self._refill()
        file = middling_file(self.target)
        before = file.read_bytes()
        try:
            file.write_text(change(before.decode("utf-8")), encoding="utf-8")
            return self.scan()
        finally:
            file.write_bytes(before)

    def _refill(self) -> None:
        shutil.rmtree(self.cache, ignore_errors=True)
        shutil.copytree(self.filled, self.cache)


def scan_rows(target: Target, work: Path, stopwatch: Stopwatch, timeout: float) -> Iterator[Row]:
    """Measure each kind of scan; if the cold one fails, no other.

    Raises:
        MeasureFailed: not even ``ast.parse`` of the files can be measured.
    """
    scanner = _Scanner(target, work, timeout)
    modules = len(target.files())
    tasks: list[tuple[str, Callable[[], Measured]]] = [
        (COLD, scanner.cold),
        (WARM, scanner.warm),
        (LINE, lambda: scanner.changed(with_line_in_function)),
        (FUNCTION, lambda: scanner.changed(lambda text: text + _FUNCTION_TEXT)),
        (STATEMENT, lambda: scanner.changed(lambda text: text + _STATEMENT_TEXT)),
    ]
    for what, task in tasks:
        row = row_of(Section.SCANS, target, what, stopwatch.repeated(target, task), modules)
        yield row
        if row.seconds is None or row.at_least:
            return


def cold_row(target: Target, work: Path, stopwatch: Stopwatch, timeout: float) -> Row:
    """Measure a scan with an empty cache alone, as a row of the scaling table.

    Raises:
        MeasureFailed: not even ``ast.parse`` of the files can be measured.
    """
    series = stopwatch.repeated(target, _Scanner(target, work, timeout).cold)
    return row_of(Section.SCALING, target, COLD, series, len(target.files()))


def middling_file(target: Target) -> Path:
    """The file in the middle, by size, of those that have a function to be changed, or of all if none has."""
    files = sorted(target.files(), key=lambda file: (file.stat().st_size, file))
    after_half = files[len(files) // 2 :]
    return next((file for file in after_half if _line_in_function(_text(file)) is not None), after_half[0])


def with_line_in_function(text: str) -> str:
    """The text of a file with a statement more in its last function; as it is if it has none."""
    place = _line_in_function(text)
    if place is None:
        return text
    line, column = place
    lines = text.splitlines(keepends=True)
    return "".join([*lines[: line - 1], " " * column + _LINE_TEXT + "\n", *lines[line - 1 :]])


def _line_in_function(text: str) -> tuple[int, int] | None:
    """Line and column of the last statement of the last function that has it on a line of its own."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    places = [(node.body[-1].lineno, node.body[-1].col_offset) for node in functions if len(node.body) > 1]
    lines = text.splitlines()
    own = [(line, column) for line, column in places if lines[line - 1][:column].isspace()]
    return max(own, default=None)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except ValueError:
        return ""
