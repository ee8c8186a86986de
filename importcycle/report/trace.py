"""The text form of ``importcycle trace``: what happens while an entry is imported, as an indented tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from importcycle.findings.wording import conditions_in_words, error_text, when_clause
from importcycle.importing.outcomes import Event, EventKind, Failure, FailureKind
from importcycle.project.model import Project
from importcycle.report.escaping import printable
from importcycle.report.text import place, print_lines

_VERBS = {
    EventKind.IMPORT: "imports",
    EventKind.DEFERRED_IMPORT: "deferred import of",
    EventKind.DYNAMIC_IMPORT: "dynamic import of",
    EventKind.BIND_FAILURE: "cannot bind",
}
_STYLES = {
    EventKind.IMPORT: "",
    EventKind.DEFERRED_IMPORT: "yellow",
    EventKind.DYNAMIC_IMPORT: "yellow",
    EventKind.BIND_FAILURE: "bold red",
}


def print_trace(
    entry: str, events: Sequence[Event], failures: Sequence[Failure], project: Project, console: Console
) -> None:
    """Print each import that initialises a module, each deferred or dynamic one, and each failure, in order.

    Below come the errors that the import ends with, or that a handler hides.
    """
    shown = [event for event in events if event.initialises or event.kind is not EventKind.IMPORT]
    print_lines([Text(f"import {printable(entry)}", style="bold")], console)
    for event in shown:
        print_lines(_event_lines(event), console)
    hidden = len(events) - len(shown)
    if hidden:
        plural = "" if hidden == 1 else "s"
        print_lines([Text(f"not shown: {hidden:,} import{plural} of modules already loaded", style="dim")], console)
    print_lines(_failure_lines(failures, project), console)


def _failure_lines(failures: Sequence[Failure], project: Project) -> Iterator[Text]:
    for failure in failures:
        if failure.kind in (FailureKind.STAR_LOSS, FailureKind.SURVIVED_DEFERRED):
            continue
        outcome = "hidden by a handler" if failure.kind is FailureKind.SWALLOWED else "fails"
        error = f"{failure.error_type}: {error_text(failure, project)}"
        line = f"{outcome}{when_clause(failure.conditions)}, at {place(failure.site)}: {error}"
        yield Text(printable(line), style="bold red")


def _event_lines(event: Event) -> Iterator[Text]:
    indent = "  " * (event.depth + 1)
    loaded = "" if event.initialises or event.kind is EventKind.BIND_FAILURE else "  (already loaded)"
    function = f" in {event.site.function}" if event.site.function else ""
    what = f"{_VERBS[event.kind]} {event.target}{function}{loaded}"
    line = Text.assemble(indent, (printable(place(event.site)), "cyan"), "  ", (printable(what), _STYLES[event.kind]))
    yield line
    when = conditions_in_words(event.conditions)
    if when:
        yield Text(f"{indent}  when {printable(when)}", style="magenta")
    if event.via:
        path = " > ".join(printable(place(site)) for site in event.via)
        yield Text(f"{indent}  by way of {path}", style="dim")
