"""Tests, grouped by room; the folders judge, semantics and fuzz ask CPython itself."""
