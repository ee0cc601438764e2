"""The same cells, or tests of a suite, for a CI server: one JUnit test case each.

A cell that is not as expected is a failure; one without a single conclusive trial is an error,
because it says nothing about Kafka. Of a suite a test is what pytest counted it as; the property
`outcome` of its case has our word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from highwater.harness.record.files import write_text
from highwater.harness.record.reader import StoredRun
from highwater.reports.cells import Cell, read_cells
from highwater.reports.contents import load
from highwater.reports.headline import sentence
from highwater.reports.rewritten import LIES, sentences
from highwater.reports.suite import Suite, SuiteTest
from highwater.reports.trials import judged, relative_path

JUNIT_WORDS = {
    "failed": "failure", "inconclusive": "failure", "error": "error", "skipped": "skipped",
}  # fmt: skip
NOT_XML = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")


def write_junit(
    directory: Path, cells: Sequence[Mapping[str, Any]], runs: Sequence[StoredRun]
) -> Path:
    """Write `junit.xml` into `directory` and return its path."""
    known = read_cells(cells)
    reasons = {relative_path(run.path, directory): _reason(run) for run in runs}
    cases = [_case(cell, reasons) for cell in known]
    return _write(directory, cases, _seconds(known))


def _reason(run: StoredRun) -> str:
    contents = load(run)
    return judged(contents.identity, contents.verdicts).reason


def write_suite_junit(directory: Path, suite: Suite) -> Path:
    """Write `junit.xml` of a suite into `directory` and return its path."""
    seconds = f"{sum(test.seconds for test in suite.tests):.3f}"
    return _write(directory, [_test_case(test) for test in suite.tests], seconds)


def _write(directory: Path, cases: Sequence[ET.Element], seconds: str) -> Path:
    counts = {
        kind: str(sum(case.find(tag) is not None for case in cases))
        for kind, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))
    }
    suite = ET.Element(
        "testsuite", {"name": "highwater", "tests": str(len(cases)), **counts, "time": seconds}
    )
    suite.extend(cases)
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    path = directory / "junit.xml"
    write_text(path, ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n")
    return path


def _test_case(test: SuiteTest) -> ET.Element:
    file, *inner, name = test.test.split("::") if "::" in test.test else (test.test, test.test)
    classname = ".".join([file.removesuffix(".py").replace("/", "."), *inner])
    case = ET.Element(
        "testcase", classname=_xml(classname), name=_xml(name), time=f"{test.seconds:.3f}"
    )
    properties = ET.SubElement(case, "properties")
    ET.SubElement(properties, "property", name="outcome", value=test.outcome)
    for why in test.reruns:
        ET.SubElement(properties, "property", name="rerun", value=_xml(why))
    if test.outcome in JUNIT_WORDS:
        kinds = [violation["claim"] for violation in test.violated] or [test.outcome]
        ET.SubElement(
            case,
            JUNIT_WORDS[test.outcome],
            message=_xml(test.reason),
            type=_xml(", ".join(kinds)),
        ).text = _xml(test.text)
    again = [test.command, f"the record: {test.run}"] if test.run else [test.command]
    if test.rewritten:
        again.append(f"{LIES} {'; '.join(sentences(test.rewritten))}")
    ET.SubElement(case, "system-out").text = _xml("\n".join(again))
    return case


def _case(cell: Cell, reasons: Mapping[str, str]) -> ET.Element:
    name = f"kafka {cell.column.label} ({cell.backend})"
    case = ET.Element(
        "testcase", classname=_xml(cell.scenario), name=_xml(name), time=_seconds([cell])
    )
    problem = _problem(cell)
    if problem:
        wanted = f"expected {cell.expected or 'an answer'}, saw {_seen(cell)}"
        ET.SubElement(case, problem, message=_xml(wanted), type=cell.result).text = _xml(
            sentence([cell])
        )
    lines = [f"{run}  {reasons[run]}" if reasons.get(run) else run for run in cell.runs]
    if cell.rewritten:
        lines.append(f"{LIES} {'; '.join(sentences(cell.rewritten))}")
    ET.SubElement(case, "system-out").text = _xml("\n".join([sentence([cell]), *lines]))
    return case


def _problem(cell: Cell) -> str | None:
    if cell.conclusive == 0:
        return "error"
    return "failure" if cell.unexpected else None


def _seen(cell: Cell) -> str:
    return (
        f"{cell.reproduced} reproduced, {cell.clean} clean, {cell.inconclusive} inconclusive "
        f"of {cell.trials}"
    )


def _seconds(cells: Sequence[Cell]) -> str:
    return f"{sum(sum(cell.seconds) for cell in cells):.3f}"


def _xml(text: str) -> str:
    """XML 1.0 has no way to write most control characters, not even escaped."""
    return NOT_XML.sub("�", text)
