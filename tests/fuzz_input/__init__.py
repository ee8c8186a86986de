"""Fuzzing of the tool itself: real sources, mutated, go through the whole scan."""
