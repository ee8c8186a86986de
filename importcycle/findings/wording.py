"""Errors in CPython's words, conditions in plain ones, and advice derived from the facts."""

from __future__ import annotations

from collections.abc import Iterable

from importcycle.importing.outcomes import Condition, Failure, FailureKind, StepKind
from importcycle.project.model import Project

_CIRCULAR = "(most likely due to a circular import)"


def error_text(failure: Failure, project: Project) -> str:
    """The exception's text as CPython of the project's version words it, without the file it may name at the end.

    CPython 3.13 words the AttributeError of a module in the folder of the running script differently (it takes a
    clash of names to be the cause); modules found anywhere else get the words given here.
    """
    module, name = failure.module, failure.name
    if failure.error_type == "NameError":
        return f"name {name!r} is not defined"
    if failure.error_type == "ModuleNotFoundError":
        return f"No module named {_missing_module(failure, project)!r}"
    if failure.error_type == "ImportError":
        source = f"partially initialized module {module!r} {_CIRCULAR}" if is_half_loaded(failure) else f"{module!r}"
        return f"cannot import name {name!r} from {source}"
    if failure.error_type == "AttributeError":
        return _attribute_error_text(failure, project)
    if failure.error_type == "KeyError":
        return repr(name)
    return f"{name!r} of {module!r} is not bound yet"


def _missing_module(failure: Failure, project: Project) -> str:
    """The full name of the module that was not found: failures name it in full or below its package."""
    prefix = f"{failure.module}."
    if failure.name == failure.module or failure.name.startswith(prefix):
        return failure.name
    return prefix + failure.name if failure.module in project.modules else failure.name


def _attribute_error_text(failure: Failure, project: Project) -> str:
    module, name = failure.module, failure.name
    if is_half_loaded(failure):
        source = f"{module!r}{_origin(module, project)}"
        return f"partially initialized module {source} has no attribute {name!r} {_CIRCULAR}"
    is_submodule = f"{module}.{name}" in project.modules and not failure.is_left_over
    if is_submodule and project.python_version >= (3, 11):
        return f"cannot access submodule {name!r} of module {module!r} {_CIRCULAR}"
    return f"module {module!r} has no attribute {name!r}"


def _origin(module: str, project: Project) -> str:
    """The file, which CPython names from 3.13 on; relative to the target's root, as in all of the report."""
    known = project.modules.get(module)
    return f" from {known.display_path!r}" if known is not None and project.python_version >= (3, 13) else ""


def is_half_loaded(failure: Failure) -> bool:
    """Whether the body of the module asked is still running: a package that is complete may lack a submodule."""
    if failure.is_left_over:
        return False
    if failure.reached is not None:
        return failure.reached.module == failure.module
    return any(step.site.function is None and step.site.module == failure.module for step in failure.trace)


def conditions_in_words(conditions: Iterable[Condition]) -> str:
    """``in_wsl() is true and DEBUG is false``; empty without conditions."""
    tests = dict.fromkeys((condition.test, condition.value) for condition in conditions)
    return " and ".join(f"{test} is {'true' if value else 'false'}" for test, value in tests)


def when_clause(conditions: Iterable[Condition]) -> str:
    """`` when in_wsl() is true``, to go after a verb; empty without conditions."""
    words = conditions_in_words(conditions)
    return f" when {words}" if words else ""


def crash_message(failure: Failure, entries: int) -> str:
    """One sentence for an import that ends with an error."""
    subject = f"running {failure.entry} as a script" if failure.script else f"import {failure.entry}"
    final = failure.final_error
    outcome = f" with {final}" if final is not None and final != failure.error_type else ""
    asked = f"{failure.site.module} asks for {failure.name!r} of {failure.module}"
    fails = f"{subject} fails{outcome}{when_clause(failure.conditions)}{_others(entries)}"
    return f"{fails}: {asked}, {_not_bound_yet(failure)}"


def _others(entries: int) -> str:
    if entries < 2:
        return ""
    return " (and so does another module)" if entries == 2 else f" (and so do {entries - 1:,} other modules)"


def _not_bound_yet(failure: Failure) -> str:
    if failure.is_left_over:
        return "and gets the object that a failed import of it left half-loaded"
    reached = f" and has only reached line {failure.reached.line}" if failure.reached is not None else ""
    if failure.bound_at is not None:
        return f"which binds it at line {failure.bound_at.line}{reached}"
    return f"which has not bound it yet{reached}"


def fix_advice(failure: Failure, trigger: int | None) -> str:
    """What to change, in one line, derived from the facts of the failure."""
    if failure.kind is FailureKind.MISSING:
        if failure.suggestion is not None:
            return f"ask for {failure.suggestion!r} instead, or add {failure.name!r} to {failure.module}"
        return f"add {failure.name!r} to {failure.module}, or stop asking for it"
    if failure.kind is FailureKind.STAR_LOSS:
        return f"name the imports in place of * at {failure.site.path}:{failure.site.line}, or break the cycle"
    asking = f"{failure.site.path}:{failure.site.line}"
    if failure.is_left_over:
        left = f"the object that a failed import of {failure.module} left half-loaded"
        return f"mend the import that fails first and is hidden: {asking} asks {left}"
    if not is_half_loaded(failure) and failure.error_type == "AttributeError":
        statement = f"from {failure.module} import {failure.name}"
        return f"at {asking}, use '{statement}', which finds a submodule that is still loading"
    return _reorder(failure, trigger, asking)


def _reorder(failure: Failure, trigger: int | None, asking: str) -> str:
    choices = []
    step = failure.trace[trigger] if trigger is not None else None
    bound = failure.bound_at
    if step is not None and step.kind is StepKind.CALL:
        place = f"{step.site.path}:{step.site.line}"
        later = f"after line {bound.line}, or " if bound is not None and bound.module == step.site.module else ""
        choices.append(f"run the statement at {place} {later}on first use instead of at import")
    elif failure.reached is not None and bound is not None and bound.line > failure.reached.line:
        stands = f"{failure.reached.path}:{failure.reached.line}"
        choices.append(f"move the statement at {stands} below line {bound.line}, which binds {failure.name!r}")
    if failure.error_type == "ImportError" and failure.site.function is None:
        choices.append(f"move the import at {asking} into the function that uses {failure.name!r}")
    elif failure.error_type == "AttributeError" and failure.site.function is None:
        choices.append(f"use {failure.name!r} at {asking} in a function that runs after import")
    return "; or ".join(choices) or f"make {failure.module} bind {failure.name!r} before it lets {asking} run"
