"""The page of a pytest suite: each test with its outcome, its reason and its record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from highwater.harness.record.reader import StoredRun
from highwater.reports import curves
from highwater.reports.drawn import MOST_RUNS_IN_FULL, MOST_UNPACKED
from highwater.reports.environments import environments
from highwater.reports.exhibit import Exhibit, exhibit
from highwater.reports.packing import Packer
from highwater.reports.page import made_in, save, template
from highwater.reports.suite import ORDER, Suite, SuiteTest
from highwater.reports.trials import relative_path
from highwater.reports.wording import slug


@dataclass(frozen=True, slots=True)
class Shown:
    """A test with its record, where it has one."""

    id: str
    test: SuiteTest
    exhibit: Exhibit | None
    part: str = ""  # where its record is packed


def write_suite_page(directory: Path, suite: Suite, runs: Sequence[StoredRun]) -> Path:
    """Write `report.html` into `directory` and return its path.

    What cannot be read of a run is said on the page.
    """
    stored = {relative_path(run.path, directory): run for run in runs}
    whole = _in_full(suite)
    packer = Packer(made_in(directory))
    drawn = [
        Shown(test_id(number, test), test, _exhibit(test, stored, directory, whole))
        for number, test in enumerate(suite.tests, start=1)
    ]
    records = [each.exhibit for each in drawn if each.exhibit]
    as_they_are = whole if len(records) <= MOST_RUNS_IN_FULL else whole[:MOST_UNPACKED]
    shown = [_packed(each, as_they_are, packer) for each in drawn]
    bad = [each.exhibit for each in shown if each.exhibit and each.test.is_bad]
    html = template("suite.html.j2").render(
        suite=suite,
        shown=shown,
        opened=next((each.id for each in [*bad, *records]), ""),
        environments=environments([each.identity for each in records]),
        blocks=packer.blocks(),
        families=curves.families(suite.tests),
        **curves.MEASURED_OUT,
    )
    return save(directory, html)


def _packed(shown: Shown, as_they_are: Sequence[str], packer: Packer) -> Shown:
    """A test whose record is packed, unless it is one of the few that are not."""
    if shown.exhibit is None or shown.test.run in as_they_are:
        return shown
    body = template("run_body.html.j2").render(run=shown.exhibit)
    return replace(shown, part=packer.add(body))


def test_id(number: int, test: SuiteTest) -> str:
    """Link target of a test, which is the `number`th of its suite, from 1 on."""
    return f"test-{number}-{slug(test.test)}"


def _in_full(suite: Suite) -> Sequence[str]:
    """The runs that keep their charts: those of tests that did not pass first."""
    ranked = sorted(suite.tests, key=lambda test: ORDER.index(test.outcome))
    return [test.run for test in ranked if test.run][:MOST_RUNS_IN_FULL]


def _exhibit(
    test: SuiteTest, stored: Mapping[str, StoredRun], directory: Path, whole: Sequence[str]
) -> Exhibit | None:
    if test.run is None or test.run not in stored:
        return None
    made = exhibit(stored[test.run], directory, brief=test.run not in whole)
    # The test says these by itself, and what a play showed is not what its test came to.
    return replace(made, word=test.outcome, symbol=test.symbol, reason="", command="", title="")
