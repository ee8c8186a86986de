"""The formats by name; the modules that write them are loaded when needed, so that ``--help`` stays instant."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importcycle.findings.model import Report, Severity
    from importcycle.report.locations import SourceLocations

TERMINAL_FORMAT = "text"
"""The format for people, which is printed line by line and knows of colours and widths."""
FORMAT_NAMES = (TERMINAL_FORMAT, "json", "sarif", "github", "gitlab", "junit", "markdown")


def render(
    name: str,
    report: Report,
    locations: SourceLocations,
    *,
    version: str,
    threshold: Severity,
    deferred: bool = False,
) -> str:
    """The report as one document.

    Args:
        name: One of ``FORMAT_NAMES``, but ``text``.
        report: What a scan gave.
        locations: How to name files.
        version: That of this tool.
        threshold: The least grave finding that fails the gate.
        deferred: Whether to list the deferred imports that initialisation can trigger, too; in JSON alone.

    Raises:
        KeyError: there is no such format.
    """
    if name == "json":
        from importcycle.report.json import render_json

        return render_json(report, version=version, deferred=deferred) + "\n"
    if name == "sarif":
        from importcycle.report.sarif import render_sarif

        return render_sarif(report, locations, version=version)
    if name == "junit":
        from importcycle.report.junit import render_junit

        return render_junit(report, locations, threshold=threshold)
    if name == "github":
        from importcycle.report.github import render_github

        return render_github(report, locations)
    if name == "gitlab":
        from importcycle.report.gitlab import render_gitlab

        return render_gitlab(report, locations)
    if name == "markdown":
        from importcycle.report.markdown import render_markdown

        return render_markdown(report)
    raise KeyError(name)
