"""What can go wrong while targets are looked up and sources are read."""

from __future__ import annotations


class TargetError(Exception):
    """A target cannot be scanned; the text says why and what to do next."""


class SourceError(Exception):
    """A source file cannot be taken in."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        """Why, in a few words that fit behind the file's name."""
