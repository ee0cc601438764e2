"""When records were due, and what was measured: as it is recorded, and read back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from highwater.achieved import lines_of
from highwater.harness.errors import RecordError
from highwater.harness.model import TopicPartition
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import RunRecord, write_measures
from highwater.harness.tables import MEASURES
from highwater.reports.contents import load

WHERE = TopicPartition("orders")
COUNTS = dict.fromkeys(("acked", "failed", "unknown", "handed"), 0)


def _measures(*rows: dict[str, object]) -> pa.Table:
    return pa.Table.from_pylist([{"topic": "orders", **COUNTS, **row} for row in rows], MEASURES)


def test_a_send_is_recorded_with_when_it_was_due_where_it_was(tmp_path: Path) -> None:
    with RunRecord(tmp_path, {}) as record:
        paced = record.history.sends("load", WHERE, "all", range(1, 4))
        paced.intend(np.array([7, 8, 9]) + record.origin_ns)
        free = record.history.sends("other", WHERE, "all", range(4, 5))
        for sends in (paced, free):
            sends.invoke(sends.values, [0] * len(sends.values))
        paced.acknowledged(2, 0)
        record.history.saw("reader", WHERE, 0, (2, 0))

    rows = open_run(tmp_path).table("history").to_pylist()
    due = {(row["client"], row["value"]): row["intended_ns"] for row in rows}
    assert due == {
        ("load", 1): 7,
        ("load", 2): 8,
        ("load", 3): 9,
        ("other", 4): None,
        ("reader", 2): None,
    }


def test_a_history_from_before_has_no_such_column(tmp_path: Path) -> None:
    with RunRecord(tmp_path, {}) as record:
        record.history.saw("reader", WHERE, 0, (2, 0))
    (part,) = open_run(tmp_path).parts("history")
    pq.write_table(pq.read_table(part).drop_columns(["intended_ns"]), part)

    assert open_run(tmp_path).table("history")["intended_ns"].to_pylist() == [None]


def test_what_was_measured_can_be_read_back_and_damage_is_told(tmp_path: Path) -> None:
    with RunRecord(tmp_path, {}):
        pass
    run = open_run(tmp_path)
    assert run.measures().num_rows == 0
    measures = _measures({"client": "load", "acked": 3, "ack_max_ms": 1.5})

    write_measures(tmp_path, measures)
    assert run.measures().equals(measures)

    (tmp_path / "measures.parquet").write_bytes(b"PAR1")
    with pytest.raises(RecordError, match=r"measures\.parquet"):
        run.measures()
    assert "measures.parquet" in load(run).problems[0]


def test_the_terminal_has_a_line_for_each_client_with_what_is_known() -> None:
    latencies = {"ack_p50_ms": 1.25, "ack_p99_ms": 20.0, "ack_p999_ms": 1500.0, "ack_max_ms": 2e3}
    measures = _measures(
        {"client": "load", "acked": 59_685, "failed": 1, "longest_gap_ms": 2998.9, **latencies},
        {"client": "load", "acked": 59_685, "second": 0},
        {"client": "load", "acked": 59_685, "partition": 0},
        {"client": "reader", "handed": 7},
    )

    first, second = lines_of(measures)
    assert first == (
        "load on orders: 59,685 acked, 1 failed; acknowledged p50 1.2, p99 20.0, p99.9 1,500.0, "
        "max 2,000.0 ms; longest gap 2,998.9 ms"
    )
    assert second == "reader on orders: 7 handed"
