"""Undoing: changes of mutable values are noted while a speculative run goes on, and taken back after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, MutableMapping
from typing import Any

_ABSENT: Any = object()


class Trail:
    """The one way to change the contents of values.

    Outside of speculation (no mark is set) changes are made and not noted.
    """

    __slots__ = ("_depth", "_undo")

    def __init__(self) -> None:
        self._undo: list[Callable[[], None] | tuple[Any, Any, Any]] = []
        self._depth = 0

    def mark(self) -> int:
        """Begin to note changes; the result is handed to `undo` or `commit`."""
        self._depth += 1
        return len(self._undo)

    def undo(self, mark: int) -> None:
        """Take back every change since the mark, which ends."""
        self.undo_to(mark)
        self._depth -= 1

    def undo_to(self, mark: int) -> None:
        """Take back every change since the mark, which stays."""
        notes = self._undo
        while len(notes) > mark:
            note = notes.pop()
            if not isinstance(note, tuple):
                note()
            elif note[2] is _ABSENT:
                note[0].pop(note[1], None)
            else:
                note[0][note[1]] = note[2]

    def commit(self, mark: int) -> None:
        """Keep the changes since the mark (an outer mark can still undo them)."""
        self._depth -= 1
        if not self._depth:
            self._undo.clear()

    def changed_items(self, mark: int) -> list[tuple[MutableMapping[Any, Any], Any, Any]]:
        """The mapping items set since the mark, each once: mapping, key and the value before (`is_absent` tells)."""
        seen: set[tuple[int, Any]] = set()
        found = []
        for note in self._undo[mark:]:
            if isinstance(note, tuple) and (id(note[0]), note[1]) not in seen:
                seen.add((id(note[0]), note[1]))
                found.append(note)
        return found

    @staticmethod
    def is_absent(value: object) -> bool:
        """Whether `changed_items` says that there was no value before."""
        return value is _ABSENT

    # -- changes
    def set_item(self, mapping: MutableMapping[Any, Any], key: Any, value: Any) -> None:
        """``mapping[key] = value``"""
        if self._depth:
            self._undo.append((mapping, key, mapping.get(key, _ABSENT)))
        mapping[key] = value

    def delete_item(self, mapping: MutableMapping[Any, Any], key: Any) -> None:
        """``del mapping[key]``; undoing puts the key back where it stood."""
        if self._depth:
            before = dict(mapping)

            def restore() -> None:
                mapping.clear()
                mapping.update(before)

            self._undo.append(restore)
        del mapping[key]

    def append(self, items: list[Any], value: Any) -> None:
        """``items.append(value)``"""
        if self._depth:
            self._undo.append(items.pop)
        items.append(value)

    def replace(self, items: list[Any], values: Iterable[Any]) -> None:
        """``items[:] = values``"""
        values = list(values)
        if self._depth:
            before = list(items)

            def restore() -> None:
                items[:] = before

            self._undo.append(restore)
        items[:] = values

    def clear(self, mapping: MutableMapping[Any, Any]) -> None:
        """``mapping.clear()``"""
        for key in list(mapping):
            self.delete_item(mapping, key)

    def set_attribute(self, value: object, name: str, content: Any) -> None:
        """``value.name = content`` for a field of a value (not an attribute of the analysed program)."""
        if self._depth:
            before = getattr(value, name)
            self._undo.append(lambda: setattr(value, name, before))
        setattr(value, name, content)
