"""GitHub annotations, GitLab code quality, JUnit XML and Markdown, each read as its reader reads it."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import junitparser
import pytest
from markdown_it import MarkdownIt

from importcycle.findings import CycleKind, ImportCycle, Report, Severity
from importcycle.importing.outcomes import Condition, StepKind
from importcycle.report.formats import FORMAT_NAMES, TERMINAL_FORMAT, render
from importcycle.report.locations import SourceLocations, repository_folder
from importcycle.report.markdown import LIMIT
from tests.report.hostile import hostile_report
from tests.support.samples import conditional_crash, import_crash, make_report, make_simulation, step

ROOT = Path("/nowhere")


def rendered(name: str, report: Report, *, base: Path = ROOT, threshold: Severity = Severity.ERROR) -> str:
    return render(name, report, SourceLocations(report.project, base), version="1.0", threshold=threshold)


def with_note() -> Report:
    """A crash, a warning and a note."""
    example = (step(StepKind.IMPORT, "shop.parts", 1, "import till"),)
    cycle = ImportCycle(CycleKind.EAGER, ("shop.parts", "till"), example)
    simulation = make_simulation([import_crash()], unparsable={"broken.py": "invalid syntax"})
    return make_report(simulation=simulation, cycles=[cycle])


@pytest.mark.parametrize("name", [name for name in FORMAT_NAMES if name != TERMINAL_FORMAT])
def test_every_format_is_ready_for_every_report(name: str) -> None:
    for report in (make_report(), with_note(), hostile_report()):
        for base in (ROOT, Path("/elsewhere")):
            text = rendered(name, report, base=base)
            assert text == rendered(name, report, base=base)
            assert text.endswith("\n") or not text
            text.encode("utf-8")


def test_paths_start_at_the_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    inside = tmp_path / "services" / "shop"
    inside.mkdir(parents=True)
    assert repository_folder(inside) == tmp_path
    report = make_report(import_crash(), project=replace(make_report().project, root=inside / "src"))
    for name in ("github", "gitlab", "junit", "sarif"):
        assert "services/shop/src/shop/customers.py" in rendered(name, report, base=tmp_path)


def test_without_a_repository_paths_start_at_the_folder(tmp_path: Path) -> None:
    if any((parent / ".git").exists() for parent in tmp_path.parents):
        pytest.skip("the folder for temporary files lies in a repository")
    assert repository_folder(tmp_path) == tmp_path


CODES = {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}


def decoded(text: str) -> str:
    """The text that a workflow command stands for."""
    return re.sub("%..", lambda code: CODES[code[0]], text)


def commands(text: str) -> list[tuple[str, dict[str, str], str]]:
    """What the runner of GitHub Actions reads: command, properties, message."""
    found = []
    for line in text.splitlines():
        match = re.fullmatch(r"::(\w+) ([^:]*)::(.*)", line)
        assert match is not None, line
        pairs = dict(pair.split("=", 1) for pair in match[2].split(","))
        found.append((match[1], {key: decoded(value) for key, value in pairs.items()}, decoded(match[3])))
    return found


def test_an_annotation_stands_at_the_failing_line() -> None:
    ((command, properties, message),) = commands(rendered("github", make_report(conditional_crash())))
    assert command == "error"
    assert properties == {"file": "shop/customers.py", "line": "1", "title": "IC102 conditional-crash"}
    first, *others = message.split("\n")
    assert first.startswith("import shop fails when is_limited() is true")
    assert "  shop/orders.py:4  LIMIT = read_limit()" in others
    assert others[-1].startswith("to fix: ")


def test_annotations_have_the_severity_of_their_finding() -> None:
    assert [command for command, _, _ in commands(rendered("github", with_note()))] == ["error", "warning", "notice"]


def test_files_outside_the_repository_are_annotated_without_a_place() -> None:
    ((_, properties, _),) = commands(rendered("github", make_report(import_crash()), base=Path("/elsewhere")))
    assert set(properties) == {"title"}


def test_hostile_text_starts_no_workflow_command() -> None:
    text = rendered("github", hostile_report())
    ((command, properties, message),) = commands(text)
    assert command == "error"
    assert set(properties) == {"file", "line", "title"}
    assert "a=b:c" in properties["file"]
    assert not any(line.lstrip().startswith("::") for line in message.split("\n"))
    assert "##[" not in text


GITLAB_KEYS = {"description", "check_name", "fingerprint", "severity", "location"}


def test_gitlab_gets_the_keys_that_it_documents() -> None:
    issues: list[dict[str, Any]] = json.loads(rendered("gitlab", with_note()))
    assert [issue["severity"] for issue in issues] == ["critical", "major", "info"]
    for issue in issues:
        assert set(issue) == GITLAB_KEYS
        assert issue["location"]["lines"]["begin"] >= 1
        assert not issue["location"]["path"].startswith(("./", "/"))
    assert issues[0]["location"] == {"path": "shop/customers.py", "lines": {"begin": 1}}
    assert issues[0]["check_name"] == "IC101 import-crash"


def test_gitlab_gets_each_fingerprint_once() -> None:
    report = make_report(conditional_crash())
    (finding,) = report.findings
    other = replace(finding, conditions=(Condition("is_frozen()", True, "shop/log.py", 7),))
    issues = json.loads(rendered("gitlab", replace(report, findings=(finding, other, other))))
    assert issues[0]["fingerprint"] == finding.fingerprint
    assert len({issue["fingerprint"] for issue in issues}) == 3


def suite_of(text: str) -> tuple[junitparser.TestSuite, list[junitparser.TestCase]]:
    parsed = junitparser.JUnitXml.fromroot(junitparser.JUnitXml.fromstring(text.encode("utf-8"))._elem)
    (suite,) = list(parsed)
    assert (parsed.tests, parsed.failures, parsed.errors) == (suite.tests, suite.failures, suite.errors)
    return suite, list(suite)


def test_a_finding_is_a_failing_test_case() -> None:
    suite, (case,) = suite_of(rendered("junit", make_report(conditional_crash())))
    assert (suite.tests, suite.failures) == (1, 1)
    assert case.classname == "importcycle.IC102"
    assert case.name.startswith("conditional-crash: Order of shop.orders [")
    (failure,) = case.result
    assert isinstance(failure, junitparser.Failure)
    assert failure.type == "ImportError"
    assert failure.message.startswith("import shop fails when is_limited() is true")
    assert " x shop/customers.py:1" in failure.text


@pytest.mark.parametrize(("threshold", "failures"), [(Severity.ERROR, 1), (Severity.WARNING, 2), (Severity.NOTE, 3)])
def test_test_cases_fail_where_the_gate_does(threshold: Severity, failures: int) -> None:
    suite, cases = suite_of(rendered("junit", with_note(), threshold=threshold))
    assert (suite.tests, suite.failures) == (3, failures)
    assert sum(bool(case.result) for case in cases) == failures


def test_a_clean_scan_is_a_test_case_that_passes() -> None:
    suite, (case,) = suite_of(rendered("junit", make_report()))
    assert (suite.tests, suite.failures) == (1, 0)
    assert not case.result


def test_hostile_text_is_text_in_xml() -> None:
    suite, (case,) = suite_of(rendered("junit", hostile_report()))
    assert suite.failures == 1
    (failure,) = case.result
    assert "<img src=x onerror=alert(1)>" in failure.text
    assert not {"\x1b", "\x00", "\ufffe"} & set(failure.text)


class _Page(HTMLParser):
    """The elements of a page, and its text outside of code."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.text = io.StringIO()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.elements.append(tag)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "code" not in self.open:
            self.text.write(data)


def page_of(text: str) -> _Page:
    page = _Page()
    page.feed(MarkdownIt("commonmark").render(text))
    page.close()
    assert not page.open
    return page


def test_the_summary_reads_as_a_comment() -> None:
    text = rendered("markdown", with_note())
    assert text.startswith("## importcycle: 1 error, 1 warning\n")
    page = page_of(text)
    assert page.elements.count("details") == 2
    assert page.elements.count("pre") == 2
    assert "1 note not shown" in page.text.getvalue()
    assert " x shop/customers.py:1" in text
    assert "  to fix: " in text


def test_a_clean_scan_is_said_in_two_lines() -> None:
    assert rendered("markdown", make_report()) == (
        "## importcycle: no failing import found\n\n7 modules of `shop, till` (Python 3.11, linux)\n"
    )


def test_hostile_text_stays_in_code() -> None:
    page = page_of(rendered("markdown", hostile_report()))
    assert set(page.elements) == {"h2", "p", "code", "details", "summary", "b", "pre"}
    outside = page.text.getvalue()
    for sign in ("@octocat", "#1", "evil.example", "onerror", "\x1b"):
        assert sign not in outside


def test_many_findings_fit_into_a_comment() -> None:
    crashes = [
        replace(import_crash(), name=f"Order{number}", bound_at=None, conditions=(), error_type="ImportError")
        for number in range(200)
    ]
    report = make_report(*crashes)
    assert len(report.findings) == 200
    text = rendered("markdown", report)
    assert len(text) < LIMIT + 200
    left_out = re.search(r"(\d+) more findings for which there is no room", text)
    assert left_out is not None
    assert text.count("<details") + int(left_out[1]) == 200
