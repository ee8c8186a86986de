"""The generator as a hypothesis strategy."""

from __future__ import annotations

from hypothesis import strategies
from hypothesis.strategies import DrawFn

from .choices import DrawnChoices
from .generate import generate
from .package import GeneratedPackage


@strategies.composite
def packages(draw: DrawFn) -> GeneratedPackage:
    """Generated packages; they shrink towards few modules with plain statements."""
    return generate(DrawnChoices(lambda limit: draw(strategies.integers(0, limit - 1))))
