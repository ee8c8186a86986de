"""What the evaluator knows of names outside the target: one module an area."""

from importcycle.evaluate.library import (
    builtin_functions,
    builtin_methods,
    class_makers,
    containers,
    copies,
    counters,
    digests,
    flags,
    functional,
    holders,
    imports,
    inspection,
    iteration,
    loggers,
    patterns,
    pure,
    signatures,
    specs,
    stacks,
    syntax,
    system,
    texts,
)

MODELS = {
    **pure.MODELS,
    **functional.MODELS,
    **imports.MODELS,
    **specs.MODELS,
    **system.MODELS,
    **class_makers.MODELS,
    **containers.MODELS,
    **copies.MODELS,
    **counters.MODELS,
    **iteration.MODELS,
    **inspection.MODELS,
    **digests.MODELS,
    **patterns.MODELS,
    **syntax.MODELS,
    **holders.MODELS,
    **signatures.MODELS,
    **loggers.MODELS,
    **stacks.MODELS,
    **texts.MODELS,
}
VALUES = {
    **class_makers.VALUES,
    **pure.VALUES,
    **system.VALUES,
    **patterns.VALUES,
    **syntax.VALUES,
    **signatures.VALUES,
    **inspection.VALUES,
}

__all__ = ["MODELS", "VALUES", "builtin_functions", "builtin_methods", "flags", "loggers"]
