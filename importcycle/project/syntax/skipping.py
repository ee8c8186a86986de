"""What a reader of source text passes over, to find the words of statements behind it."""

from __future__ import annotations

# Each alternative begins with a literal character: so a search can skip all others quickly, which makes it four times
# as fast. A string that has no end still matches, since else each further quote in it would have the rest of the text
# searched again.
COMMENTS_AND_STRINGS = r"""
      \#[^\n]*
    | ""(?:"[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*(?:\"{3})?)?
    | ''(?:'[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*(?:'{3})?)?
    | "[^"\\\n]*(?:\\.[^"\\\n]*)*"?
    | '[^'\\\n]*(?:\\.[^'\\\n]*)*'?
"""
"""Alternatives of a pattern, to be compiled with ``re.VERBOSE`` and ``re.DOTALL``."""
