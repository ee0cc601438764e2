"""A play that broke off has measured a part: its test's figures stand beside no others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
from tests.unit.reports import suites

from highwater.harness.measurements import LAGS, MEASURES, REBALANCES, RECOVERIES
from highwater.harness.record.writer import RunRecord, write_measures
from highwater.past import sessions_below
from highwater.suites import write_suite

COUNTS = {"acked": 120, "failed": 0, "unknown": 0, "handed": 0}


def recorded(folder: Path, number: int, *, complete: bool) -> str:
    path = folder / "runs" / str(number)
    with RunRecord(path, {}) as record:
        reason = None if complete else "waited 30 s for 480 records to be acknowledged"
        record.end({"complete": complete, "reason": reason, "seconds": 1.0})
    row = {"client": "load", "topic": "orders", **COUNTS, "longest_gap_ms": 9.0 * number}
    empty = [schema.empty_table() for schema in (RECOVERIES, REBALANCES, LAGS)]
    write_measures(path, pa.Table.from_pylist([row], MEASURES), *empty)
    return f"runs/{number}"


def failed(run: str, number: int) -> dict[str, Any]:
    """By a claim, which says nothing of how far the play came."""
    named = {"test": f"test_wide.py::test_dies[{number}]", "violated": [suites.VIOLATION]}
    more = {**named, "run": run, "arguments": {"partitions": number}}
    return suites.row("test_dies", "failed", ["failed"], **more)


def test_a_test_that_failed_in_the_middle_of_its_play_is_no_point(tmp_path: Path) -> None:
    runs = [recorded(tmp_path, number, complete=number < 4) for number in (1, 2, 3, 4)]
    tests = [failed(run, number) for number, run in enumerate(runs, start=1)]

    html = write_suite(tmp_path, suites.content(tests=tests)).read_text()

    head = html.partition('id="curves"')[2].partition("</thead>")[0]
    assert [f'class="n">{number}<' in head for number in (1, 2, 3, 4)] == [True, True, True, False]
    told = json.loads((tmp_path / "suite.json").read_text())["tests"]
    assert [bool(each["measures"]) for each in told] == [True, True, True, False]
    (session,) = sessions_below(tmp_path, [])
    assert [bool(each.measures) for each in session.results.values()] == [True, True, True, False]
