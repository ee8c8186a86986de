"""What the evaluator knows of names outside the target: one module an area."""

from importcycle.evaluate.library import (
    builtin_functions,
    builtin_methods,
    class_makers,
    digests,
    functional,
    holders,
    imports,
    patterns,
    pure,
    signatures,
    syntax,
    system,
)

MODELS = {
    **pure.MODELS,
    **functional.MODELS,
    **imports.MODELS,
    **system.MODELS,
    **class_makers.MODELS,
    **digests.MODELS,
    **patterns.MODELS,
    **syntax.MODELS,
    **holders.MODELS,
    **signatures.MODELS,
}
VALUES = {**pure.VALUES, **system.VALUES, **patterns.VALUES, **syntax.VALUES, **signatures.VALUES}

__all__ = ["MODELS", "VALUES", "builtin_functions", "builtin_methods"]
