"""What a trial measured in a few numbers, and what is made of several trials."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from highwater import playing
from highwater.campaign import trial_of
from highwater.cells import Cell, Result, Trial, make_cells
from highwater.harness.measurements import LAGS, MEASURES, REBALANCES, RECOVERIES
from highwater.harness.model import Ending
from highwater.harness.record.reader import StoredRun, open_run
from highwater.harness.record.writer import RunRecord, write_measures
from highwater.harness.tables import FINAL_READER
from highwater.harness.trial import Played
from highwater.harness.versions.catalogue import find_kafka
from highwater.measured import measured_of, summary
from highwater.reports.compared import WORDS
from highwater.scenarios.catalogue import find_scenario

Row = dict[str, Any]
Recorded = Callable[..., StoredRun]


def client(name: str = "load", **told: Any) -> Row:
    counts = dict.fromkeys(("acked", "failed", "unknown", "handed"), 0)
    return {"client": name, "topic": "orders", **counts, **told}


def fault(**told: Any) -> Row:
    named = {"fault_id": "1", "fault": "Kill(1)", "from_ns": 0, "sent_on": True}
    return {**named, "topic": "orders", **told}


@pytest.fixture
def recorded(tmp_path: Path) -> Recorded:
    def of(
        measures: list[Row],
        recoveries: list[Row] | None = None,
        rebalances: list[Row] | None = None,
        lags: list[Row] | None = None,
    ) -> StoredRun:
        with RunRecord(tmp_path / "run", {}) as record:
            row = {"client": "last", "role": "consumer", "client_id": FINAL_READER}
            record.history.clients.append(row)
            record.end({"complete": True, "reason": "", "seconds": 0.0})
        write_measures(
            tmp_path / "run",
            pa.Table.from_pylist(measures, MEASURES),
            pa.Table.from_pylist(recoveries or [], RECOVERIES),
            pa.Table.from_pylist(rebalances or [], REBALANCES),
            pa.Table.from_pylist(lags or [], LAGS),
        )
        return open_run(tmp_path / "run")

    return of


def test_what_is_compared_stands_in_one_of_the_tables() -> None:
    tables = MEASURES, RECOVERIES, REBALANCES, LAGS

    assert {*WORDS} <= {name for table in tables for name in table.names}


def test_records_are_summed_and_of_times_the_worst_counts(recorded: Recorded) -> None:
    run = recorded(
        [
            client(acked=100, ack_p99_ms=5.0, longest_gap_ms=90.0),
            client(acked=999, ack_p99_ms=99.0, partition=0),
            client(acked=999, ack_p99_ms=99.0, second=0),
            client("other", acked=20, ack_p99_ms=7.5, longest_gap_ms=0.0),
            client("reader", handed=120, end_to_end_p99_ms=30.0),
            client("last", handed=120, end_to_end_p99_ms=9_000.0),
        ],
        [
            fault(first_ack_ms=10.0, silent_ms=300.0, isr_shrank=True, full_isr_ms=4_000.0),
            fault(first_ack_ms=50.0, silent_ms=200.0, isr_shrank=False),
            fault(sent_on=False, partition=None),
            fault(silent_ms=8_000.0, partition=0),
        ],
    )

    assert measured_of(run) == {
        "acked": 120,
        "ack_p99_ms": 7.5,
        "longest_gap_ms": 90.0,
        "end_to_end_p99_ms": 30.0,
        "first_ack_ms": 50.0,
        "silent_ms": 300.0,
        "full_isr_ms": 4_000.0,
    }


def test_what_never_came_after_a_fault_has_no_number(recorded: Recorded) -> None:
    quick = fault(first_ack_ms=10.0, isr_shrank=True, full_isr_ms=40.0)

    found = measured_of(recorded([client(acked=1)], [quick, fault(isr_shrank=True)]))

    assert found == {"acked": 1, "first_ack_ms": None}


def rebalance(lasted_ms: float | None) -> Row:
    known = {"group": "b", "client": "b-1", "how": "lost", "from_ns": 0, "partitions": 1}
    return {**known, "rebalance_ms": lasted_ms}


def lag(most: int | None, **told: Any) -> Row:
    return {"group": "b", "topic": "orders", "lag_records": most, **told}


def test_of_groups_the_longest_rebalance_and_the_largest_lag_count(recorded: Recorded) -> None:
    seconds, partitions = lag(90, second=3), lag(70, partition=0)
    lags = [lag(40), lag(60, topic="bills"), seconds, partitions, lag(None, group="c")]

    found = measured_of(recorded([client(acked=1)], [], [rebalance(5.0), rebalance(9.5)], lags))

    assert found == {"acked": 1, "rebalance_ms": 9.5, "lag_records": 60}


def test_a_rebalance_without_an_end_never_came_to_one(recorded: Recorded) -> None:
    found = measured_of(
        recorded([client(acked=1)], [], [rebalance(5.0), rebalance(None)], [lag(None)])
    )

    assert found == {"acked": 1, "rebalance_ms": None}


def test_who_sent_in_vain_has_measured_that_and_who_only_read_has_not(recorded: Recorded) -> None:
    assert measured_of(recorded([client(failed=3), client("last", handed=3)])) == {"acked": 0}


def test_nothing_was_measured_where_nobody_sent(recorded: Recorded) -> None:
    assert measured_of(recorded([client("reader", handed=3, end_to_end_p99_ms=1.0)])) == {}


@pytest.mark.parametrize("name", ["measures", "recoveries", "rebalances", "lags"])
def test_of_a_damaged_table_nothing_is_compared(recorded: Recorded, name: str) -> None:
    run = recorded([client(acked=3)])
    (run.path / f"{name}.parquet").write_bytes(b"PAR1")

    assert measured_of(run) == {}


def test_of_trials_there_are_the_median_and_the_range() -> None:
    told = summary(
        [
            {"acked": 5, "silent_ms": 3.0},
            {"acked": 9, "silent_ms": None},
            {},
            {"acked": 6, "silent_ms": 1.000_04},
        ]
    )

    assert told == {
        "acked": {"median": 6, "least": 5, "most": 9, "trials": 3, "never": 0},
        "silent_ms": {"median": 2.0, "least": 1.0, "most": 3.0, "trials": 3, "never": 1},
    }
    never = {"median": None, "least": None, "most": None, "trials": 1, "never": 1}
    assert summary([{"full_isr_ms": None}]) == {"full_isr_ms": never}
    assert summary([{}, {}]) == {}


# -- as it stands in compare.json and in the terminal


def cell(kafka: str) -> Cell:
    (found,) = make_cells([find_scenario("hw-two-fetches")], [find_kafka(kafka)], [])
    return found


@pytest.mark.parametrize("complete", [True, False])
def test_a_play_that_did_not_complete_has_measured_nothing(
    recorded: Recorded, *, complete: bool
) -> None:
    run = recorded([client(acked=120)])
    played = Played(run.path, complete, "" if complete else "no quorum", 1.0, cluster_usable=True)

    trial = trial_of(cell("4.1.1"), played, [], run)

    assert trial.measured == ({"acked": 120} if complete else {})


def test_the_terminal_tells_what_differs_by_much(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def result(kafka: str, p99_ms: float) -> Result:
        played = Played(tmp_path / "runs" / kafka, True, "", 1.0, cluster_usable=True)
        measured = {"acked": 100, "ack_p99_ms": p99_ms}
        trial = Trial(played=played, verdicts=[], ending=Ending.CLEAN, acked=100, measured=measured)
        return Result(cell(kafka), [trial])

    results = [result("2.8.2", 900.0), result("4.1.1", 30.0)]

    playing._show(tmp_path, results, 1.0, as_json=False)

    said = "hw-two-fetches: acknowledged within, p99: 900 ms on 2.8.2, 30 ms on 4.1.1"
    assert said in capsys.readouterr().out.splitlines()
    row = results[0].row(tmp_path)
    assert row["measures"]["ack_p99_ms"] == {
        "median": 900.0, "least": 900.0, "most": 900.0, "trials": 1, "never": 0,
    }  # fmt: skip
