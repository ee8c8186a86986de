"""The model of CPython's import system: simulated imports of every entry, and what they gave."""
