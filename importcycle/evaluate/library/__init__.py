"""What the evaluator knows of names outside the target: one module an area."""

from importcycle.evaluate.library import (
    builtin_functions,
    builtin_methods,
    class_makers,
    functional,
    imports,
    patterns,
    system,
)

MODELS = {**functional.MODELS, **imports.MODELS, **system.MODELS, **class_makers.MODELS, **patterns.MODELS}
VALUES = {**system.VALUES, **patterns.VALUES}

__all__ = ["MODELS", "VALUES", "builtin_functions", "builtin_methods"]
