"""The report as JUnit XML: a test case for each finding, which fails where the finding fails the gate."""

from __future__ import annotations

from xml.etree import ElementTree

from importcycle.findings.model import Finding, Report, Severity
from importcycle.report.escaping import printable
from importcycle.report.locations import SourceLocations
from importcycle.report.text import finding_lines

_NAME = "importcycle"


def render_junit(report: Report, locations: SourceLocations, *, threshold: Severity) -> str:
    """The findings as test cases; without any that fails, one test case says that all is well."""
    failing = [finding for finding in report.findings if finding.severity.reaches(threshold)]
    cases = [_case(finding, report, locations, fails=finding in failing) for finding in report.findings]
    if not failing:
        cases.insert(0, ElementTree.Element("testcase", classname=_NAME, name="imports do not fail", time="0"))
    counts = {"name": _NAME, "tests": str(len(cases)), "failures": str(len(failing)), "errors": "0", "time": "0"}
    suites = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(suites, "testsuite", {**counts, "skipped": "0"})
    suite.extend(cases)
    ElementTree.indent(suites)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(suites, encoding="unicode")}\n'


def _case(finding: Finding, report: Report, locations: SourceLocations, *, fails: bool) -> ElementTree.Element:
    path = locations.shown(finding.location.path)
    case = ElementTree.Element(
        "testcase",
        classname=f"{_NAME}.{finding.rule}",
        name=_xml_text(_case_name(finding)),
        file=_xml_text(path),
        line=str(finding.location.line),
        time="0",
    )
    text = "\n".join(_xml_text(line.plain) for line in finding_lines(finding, report, None))
    if fails:
        kind = finding.error.type if finding.error is not None else finding.severity.value
        details = ElementTree.SubElement(case, "failure", message=_xml_text(finding.message), type=_xml_text(kind))
    else:
        details = ElementTree.SubElement(case, "system-out")
    details.text = f"\n{text}\n"
    return case


def _case_name(finding: Finding) -> str:
    """The same as long as the finding is: a server tells by it which failures are new."""
    asked = f"{finding.error.name} of {finding.error.module}" if finding.error is not None else finding.location.module
    return f"{finding.name}: {asked} [{finding.fingerprint}]"


def _xml_text(text: str) -> str:
    """The text without characters that XML cannot hold even as references."""
    return "".join(f"\\u{ord(one):04x}" if one in "\ufffe\uffff" else one for one in printable(text))
