"""Unknown inputs of a program (environment variables, the platform) and what follows from tests on them.

A test on an input splits the run into worlds. Which worlds exist is found by trying candidates: every constant that the
program compares the input with, and some that are usual.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice, product
from typing import Any

from importcycle.values.model import Constant, DictValue, ListValue, SetValue, Symbolic, TupleValue, Value, constant

UNSET = None
"""The content of an environment variable that is not set."""
_USUAL: tuple[Any, ...] = (UNSET, "", "1", "0", "some other value")
_MOST_COMBINATIONS = 4096
LONGEST_LIKELY = 10_000
"""Length of a likely value that is kept."""
LARGEST_PLAIN = 100_000
"""Values inside a container that is still made plain."""
DEEPEST_PLAIN = 100
MOST_PARTS = 10_000
"""Containers inside a container that are looked into."""
LARGEST_EXPRESSION = 200
"""Values that a symbolic one is computed from before it is no longer computed."""
LARGEST_SMALL = 5
"""Up to this number, all smaller ones are told apart, too."""
LONGEST_STAND_IN = 40
MOST_PLAIN_WORDS = 8
"""Contents that a program has an eye for and that are tried for an input as they are."""
MOST_JOINED = 4
"""Texts compared at once that may all be parts of an input."""
_MARK = "\0"
_PLATFORMS = ("linux", "darwin", "win32", "cygwin", "freebsd14", "emscripten", "wasi")


class UnknownError(Exception):
    """The value is not determined by known inputs."""


def environment_variable(name: str, text: str) -> Symbolic:
    """The content of an environment variable; most often it is not set."""
    key = f"environment {name}"
    return Symbolic(text, Constant(None), None, frozenset((key,)), lambda inputs: given(inputs, key))


def given(inputs: dict[str, Any], key: str) -> Any:
    """The content of an input. Raises UnknownError where it is not given."""
    if key not in inputs:
        raise UnknownError
    return inputs[key]


def plain(value: Value, inputs: dict[str, Any]) -> Any:
    """The value as a plain Python one under the given inputs. Raises UnknownError where it is not determined, or large.

    Containers may hold the same container many times, even themselves: written out, they have no bound.
    """
    return value.value if type(value) is Constant else _Plain(inputs).of(value, 0)


class _Plain:
    def __init__(self, inputs: dict[str, Any]) -> None:
        self._inputs = inputs
        self._left = LARGEST_PLAIN

    def of(self, value: Value, depth: int) -> Any:
        self._left -= 1
        if self._left < 0 or depth > DEEPEST_PLAIN:
            raise UnknownError
        match value:
            case Constant(value=content):
                if isinstance(content, str | bytes):
                    self._left -= len(content) >> 4
                return content
            case TupleValue(items=items):
                return tuple(self.of(item, depth + 1) for item in items)
            case ListValue(items=items, is_open=False):
                return [self.of(item, depth + 1) for item in items]
            case SetValue(items=members, is_open=False):
                return {self.of(item, depth + 1) for item in members.values()}
            case DictValue(items=pairs, is_open=False, default=None):
                return {self.of(key, depth + 1): self.of(item, depth + 1) for key, item in pairs.values()}
            case Symbolic(compute=compute) if compute is not None:
                return compute(self._inputs)
        raise UnknownError


def apply(text: str, function: Callable[..., Any], *operands: Value) -> Symbolic:
    """The symbolic result of a plain Python function on values some of which are symbolic."""
    inputs: frozenset[str] = frozenset()
    is_determined = True
    size = 0
    for part in (part for operand in operands for part in _parts(operand)):
        if isinstance(part, Symbolic):
            inputs |= part.inputs
            size += part.size
            is_determined = is_determined and part.compute is not None
        elif not isinstance(part, Constant):
            is_determined = False
    likely = _likely(function, operands)
    if not is_determined or not inputs or size > LARGEST_EXPRESSION:
        return Symbolic(text, likely)

    def compute(given: dict[str, Any]) -> Any:
        return function(*(plain(operand, given) for operand in operands))

    result = Symbolic(text, likely, None, inputs, compute)
    result.size = size + 1
    return result


def negation(text: str, value: Value) -> Symbolic:
    """The opposite truth of a value that is not known."""
    result = apply(text, lambda content: not content, value) if isinstance(value, Symbolic) else Symbolic(text)
    result.negated = value
    return result


def is_compound(text: str) -> bool:
    """Whether an expression has an operator outside all brackets and strings: as an operand it needs brackets."""
    bare = re.sub(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", "", text)
    inner = None
    while inner != bare:
        inner, bare = bare, re.sub(r"[(\[{][^()\[\]{}]*[)\]}]", "", bare)
    return " " in bare.strip()


def _parts(value: Value) -> Iterator[Value]:
    """What a container holds, at any depth; past a number of parts, the containers themselves."""
    pending = [value]
    for count in itertools.count():
        if not pending:
            return
        part = pending.pop()
        match part:
            case TupleValue(items=items) | ListValue(items=items) if count < MOST_PARTS:
                pending.extend(reversed(items))
            case SetValue(items=members) if count < MOST_PARTS:
                pending.extend(reversed(members.values()))
            case DictValue(items=pairs) if count < MOST_PARTS:
                pending.extend(each for pair in reversed(pairs.values()) for each in reversed(pair))
            case _:
                yield part


def _likely(function: Callable[..., Any], operands: Iterable[Value]) -> Value | None:
    try:
        content = function(*(plain(_most_likely(operand), {}) for operand in operands))
    except Exception:
        return None
    is_large = isinstance(content, str | bytes | list | tuple) and len(content) > LONGEST_LIKELY
    return None if is_large else constant(content)


def _most_likely(value: Value) -> Value:
    if isinstance(value, Symbolic):
        if value.likely is None:
            raise UnknownError
        return value.likely
    return value


class Constraints:
    """What the tests passed so far say about the inputs."""

    def __init__(self, platform: str) -> None:
        self._tests: list[tuple[Symbolic, bool]] = []
        self._constants: dict[str, list[Any]] = {}
        self._separators: dict[str, dict[str, None]] = {}
        self._platform = platform

    def note_constant(self, value: Symbolic, compared: Value) -> None:
        """The program compares the symbolic value with a constant: a candidate for its inputs."""
        contents: list[Any] = []
        texts: list[str] = []
        for part in _parts(compared):
            if isinstance(part, Constant) and isinstance(part.value, str):
                # Tests ask whether a value is this, begins or ends with it, or holds it.
                contents += [part.value, f"{part.value}x", f"x{part.value}"]
                texts.append(part.value)
            elif isinstance(part, Constant) and isinstance(part.value, int | float):
                contents += _around(part.value)
        self._note(value.inputs, contents)
        for key in value.inputs:
            separators = self._separators.get(key, ())
            self._note([key], [joined for sign in separators for text in texts for joined in _around_sign(text, sign)])
            if 1 < len(texts) <= MOST_JOINED:
                self._note([key], [sign.join(texts) for sign in separators])
        self.note_results(value, texts)

    def note_separator(self, value: Symbolic, separator: Value) -> None:
        """The program takes the symbolic value apart: a text that it looks for may be one of several parts."""
        if isinstance(separator, Constant) and isinstance(separator.value, str) and separator.value:
            for key in value.inputs:
                self._separators.setdefault(key, {})[separator.value] = None
            self._note(value.inputs, [separator.value.join("123"[:length]) for length in (2, 3)])

    def note_results(self, value: Symbolic, wanted: Collection[str]) -> None:
        """The program has an eye for these contents of the value: what gives them is a candidate for its inputs.

        Found where the value is the content of an input with a text before and after it; where it is the plain content,
        if they are few.
        """
        for key, shown in _marked(value):
            is_framed = shown != _MARK or len(wanted) <= MOST_PLAIN_WORDS
            if isinstance(shown, str) and shown.count(_MARK) == 1 and is_framed:
                before, _, after = shown.partition(_MARK)
                texts = [text for text in wanted if text.startswith(before) and text.endswith(after)]
                self._note([key], [text[len(before) : len(text) - len(after)] for text in texts])

    def note_parts(self, value: Symbolic, words: Iterable[str]) -> None:
        """The program looks at the parts of the symbolic value: words that one of them may be."""
        for key, shown in _marked(value):
            if isinstance(shown, list | tuple | set) and _MARK in shown:
                self._note([key], list(words))

    def _note(self, keys: Iterable[str], contents: list[Any]) -> None:
        for key in keys:
            known = self._constants.setdefault(key, [])
            known.extend(content for content in contents if content not in known)

    def add(self, value: Symbolic, truth: bool) -> int:
        """A test was given a value; the result is what `forget` takes to go back."""
        self._tests.append((value, truth))
        return len(self._tests) - 1

    def forget(self, length: int) -> None:
        """Drop the tests added since `length` was returned."""
        del self._tests[length:]

    def possible(self, value: Symbolic) -> set[bool]:
        """The truth values that the symbolic value can have, given the tests passed so far."""
        found: set[bool] = set()
        for content in self._contents(value):
            found.add(bool(content))
            if len(found) == 2:
                break
        return found or {True, False}

    def contents(self, value: Symbolic) -> list[Any]:
        """The contents that the symbolic value can have, given the tests passed so far: the least telling one last.

        Empty where they are not known.
        """
        found: list[Any] = []
        for content in self._contents(value):
            if not any(type(content) is type(known) and content == known for known in found):
                found.append(content)
        return found

    def _contents(self, value: Symbolic) -> Iterator[Any]:
        if value.compute is None:
            return
        keys = set(value.inputs)
        relevant = []
        for test, truth in self._tests:
            if test.compute is not None and test.inputs & keys:
                relevant.append((test, truth))
                keys |= test.inputs
        ordered = sorted(keys)
        for combination in islice(product(*(self._candidates(key) for key in ordered)), _MOST_COMBINATIONS):
            inputs = dict(zip(ordered, combination, strict=True))
            try:
                if not all(bool(_computed(test, inputs)) == truth for test, truth in relevant):
                    continue
                content = _computed(value, inputs)
            except Exception:  # an operation that fails for this candidate: another world's business
                continue
            yield content

    def _candidates(self, key: str) -> list[Any]:
        if key == "sys.platform":
            return [self._platform, *(name for name in _PLATFORMS if name != self._platform)]
        known = (each for each in self._constants.get(key, ()) if each not in _USUAL)
        return [*_USUAL[:-1], *known, _USUAL[-1]]


def _marked(value: Symbolic) -> Iterator[tuple[str, Any]]:
    """For each input that determines the value: what that is when the input is a mark, and no other is set."""
    for key in value.inputs if value.compute is not None else ():
        try:
            yield key, _computed(value, {**dict.fromkeys(value.inputs), key: _MARK})
        except Exception:  # an operation that fails for the mark tells nothing
            continue


def _around_sign(text: str, sign: str) -> tuple[str, str, str]:
    return f"{text}{sign}1", f"1{sign}{text}", f"1{sign}2{sign}{text}"


def _around(number: float) -> list[Any]:
    """What a test on a number tells apart: numbers about it, small ones, and texts of that length."""
    near = [number + difference for difference in (0, 1, -1)]
    small = range(int(number) + 1) if 0 <= number <= LARGEST_SMALL else ()
    texts = [str(each) for each in (*near, *small)]
    return [*texts, "x" * int(number)] if 0 <= number <= LONGEST_STAND_IN else texts


def _computed(value: Symbolic, inputs: dict[str, Any]) -> Any:
    if value.compute is None:
        raise UnknownError
    return value.compute(inputs)
