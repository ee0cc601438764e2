"""metrics.txt: OpenMetrics by the rules, read by the parser of Prometheus's own client."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from tests.unit.reports import suites

from highwater.harness.measurements import LAGS, MEASURES, REBALANCES, RECOVERIES
from highwater.harness.model import Answer, Verdict
from highwater.harness.record.reader import StoredRun, open_run
from highwater.harness.record.writer import RunRecord, write_measures, write_verdicts
from highwater.harness.tables import FINAL_READER
from highwater.metrics import write_metrics, write_suite_metrics
from highwater.reports.suite import read_suite

Row = dict[str, Any]
CELL = {"scenario": "s", "kafka": "0.10.2.2", "trials": 1, "reproduced": 1, "runs": ["runs/1"]}
CELL |= {"seconds": [3.5], "expected": "reproduced", "as_expected": True}
COUNTS = {"acked": 120, "failed": 3, "unknown": 0, "handed": 0}
LOAD = {"client": "load", "topic": "orders", **COUNTS, "longest_gap_ms": 90.0}
LOAD |= {"ack_p50_ms": 2.0, "ack_p99_ms": 7.5, "ack_p999_ms": 9.0, "ack_max_ms": 12.0}
FAULT = {"fault_id": "1", "fault": 'Kill("1")\n', "from_ns": 0, "sent_on": True, "topic": "orders"}
MOVE = {"group": "g", "client": "g-1", "how": "killed", "from_ns": 0, "partitions": 2}
LAG = {"group": "g", "topic": "orders", "lag_records": 77}


@pytest.fixture
def run(tmp_path: Path) -> StoredRun:
    path = tmp_path / "runs" / "1"
    with RunRecord(path, {}) as record:
        row = {"client": "last", "role": "consumer", "client_id": FINAL_READER}
        record.history.clients.append(row)
        record.end({"complete": True, "reason": "", "seconds": 0.0})
    final = {**LOAD, "client": "last", "acked": 0, "handed": 120}
    seconds = [{**LOAD, "second": 0}, {**LOAD, "partition": 0}]
    moves = [{**MOVE, "rebalance_ms": 500.0}, {**MOVE, "rebalance_ms": None}]
    write_measures(
        path,
        pa.Table.from_pylist([LOAD, final, *seconds], MEASURES),
        pa.Table.from_pylist([{**FAULT, "silent_ms": 250.0}], RECOVERIES),
        pa.Table.from_pylist(moves, REBALANCES),
        pa.Table.from_pylist([LAG, {**LAG, "second": 1}], LAGS),
    )
    return open_run(path)


def samples(path: Path) -> dict[str, list[tuple[dict[str, str], float]]]:
    """By name with labels and figure; raises ValueError for what is no OpenMetrics."""
    found: dict[str, list[tuple[dict[str, str], float]]] = {}
    text = path.read_text(encoding="utf-8")
    for family in text_string_to_metric_families(text):  # type: ignore[no-untyped-call]
        for each in family.samples:
            found.setdefault(each.name, []).append((each.labels, each.value))
    return found


def test_latencies_are_seconds_with_their_quantiles_and_counts(
    tmp_path: Path, run: StoredRun
) -> None:
    told = samples(write_metrics(tmp_path, [CELL], [run]))

    latencies = told["highwater_ack_latency_seconds"]
    assert {labels["quantile"]: figure for labels, figure in latencies} == {
        "0.5": 0.002, "0.99": 0.0075, "0.999": 0.009, "1.0": 0.012,
    }  # fmt: skip
    ((labels, count),) = told["highwater_ack_latency_seconds_count"]
    assert count == 120
    assert labels == {
        "scenario": "s", "kafka": "0.10.2.2", "control": "", "backend": "process",
        "run": "runs/1", "client": "load", "topic": "orders",
    }  # fmt: skip
    records = told["highwater_records_total"]
    assert {each["result"]: figure for each, figure in records} == COUNTS
    assert "highwater_end_to_end_latency_seconds" not in told


def test_what_never_came_is_infinite_and_what_nobody_knows_is_left_out(
    tmp_path: Path, run: StoredRun
) -> None:
    told = samples(write_metrics(tmp_path, [CELL], [run]))

    ((labels, first_ack_s),) = told["highwater_first_ack_seconds"]
    assert (labels["fault"], first_ack_s) == (FAULT["fault"], math.inf)
    assert [figure for _, figure in told["highwater_silent_seconds"]] == [0.25]
    assert "highwater_full_isr_seconds" not in told
    assert [figure for _, figure in told["highwater_rebalances_total"]] == [2]
    assert [figure for _, figure in told["highwater_rebalance_seconds"]] == [math.inf]
    assert [figure for _, figure in told["highwater_group_lag_records"]] == [77]


def test_a_suite_has_a_state_per_test_and_the_anomalies_of_claims(
    tmp_path: Path, run: StoredRun
) -> None:
    held = Verdict(claim="duplicate", answer=Answer.HELD, considered=5, anomalies=0)
    lost = Verdict(claim="lost-write", answer=Answer.VIOLATED, considered=5, anomalies=2)
    write_verdicts(
        run.path, [held, lost, Verdict(claim="unseen", answer=Answer.UNKNOWN, considered=0)]
    )
    suite = read_suite(suites.content("runs/1"))

    told = samples(write_suite_metrics(tmp_path, suite, [run]))

    states = {
        labels["test"]: labels["highwater_outcome"]
        for labels, figure in told["highwater_outcome"]
        if figure == 1
    }
    assert states == {each.test: each.outcome for each in suite.tests}
    anomalies = {labels["claim"]: figure for labels, figure in told["highwater_anomalies"]}
    assert anomalies == {"duplicate": 0, "lost-write": 2}
    assert {labels["test"] for labels, _ in told["highwater_records_total"]} == {
        "folder/test_eight.py::test_fails_by_a_claim[0.10.2.2]"
    }


def test_a_record_that_cannot_be_read_is_said_to_be_so(tmp_path: Path, run: StoredRun) -> None:
    (run.path / "measures.parquet").write_bytes(b"no Parquet")

    told = samples(write_metrics(tmp_path, [CELL], [run]))

    assert [figure for _, figure in told["highwater_record_readable"]] == [0]
    assert "highwater_records_total" not in told
    assert [figure for _, figure in told["highwater_as_expected"]] == [1]
