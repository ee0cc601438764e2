"""When records were due, and what was measured: as it is recorded, and read back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from highwater.achieved import fault_lines_of, group_lines_of, lag_lines_of, lines_of
from highwater.harness.errors import RecordError
from highwater.harness.measurements import LAGS, MEASURES, REBALANCES, RECOVERIES
from highwater.harness.model import TopicPartition
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import RunRecord, write_measures
from highwater.reports.contents import load

WHERE = TopicPartition("orders")
COUNTS = dict.fromkeys(("acked", "failed", "unknown", "handed"), 0)


def _measures(*rows: dict[str, object]) -> pa.Table:
    return pa.Table.from_pylist([{"topic": "orders", **COUNTS, **row} for row in rows], MEASURES)


def _recoveries(*rows: dict[str, object]) -> pa.Table:
    fault = {"fault_id": "1", "fault": "Kill(1)", "from_ns": 1_500_000_000}
    shared = {**fault, "topic": "orders", "sent_on": True}
    return pa.Table.from_pylist([{**shared, **row} for row in rows], RECOVERIES)


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
    assert run.measures().num_rows == run.recoveries().num_rows == 0
    measures = _measures({"client": "load", "acked": 3, "ack_max_ms": 1.5})
    recoveries = _recoveries({"first_ack_ms": 1.5}, {"partition": 3})

    write_measures(tmp_path, measures, recoveries, REBALANCES.empty_table(), LAGS.empty_table())
    assert run.measures().equals(measures)
    assert run.recoveries().equals(recoveries)
    assert load(run).recoveries.equals(recoveries)

    for name, read in (("measures", run.measures), ("recoveries", run.recoveries)):
        (tmp_path / f"{name}.parquet").write_bytes(b"PAR1")
        with pytest.raises(RecordError, match=rf"{name}\.parquet cannot be read"):
            read()
    told = load(run)
    assert [
        f"{name}.parquet" in problem
        for name, problem in zip(("measures", "recoveries"), told.problems, strict=True)
    ] == [True, True]
    assert told.recoveries.equals(RECOVERIES.empty_table())


def test_recoveries_that_lack_a_column_are_told(tmp_path: Path) -> None:
    with RunRecord(tmp_path, {}):
        pass
    pq.write_table(_recoveries({}).drop_columns(["silent_ms"]), tmp_path / "recoveries.parquet")

    with pytest.raises(RecordError, match=r"recoveries\.parquet has no column silent_ms"):
        open_run(tmp_path).recoveries()


@pytest.mark.parametrize(
    ("name", "schema"), [("recoveries", RECOVERIES), ("rebalances", REBALANCES), ("lags", LAGS)]
)
def test_the_ledger_has_every_column_that_is_measured(name: str, schema: pa.Schema) -> None:
    ledger = (Path(__file__).parents[3] / "docs" / "ledger.md").read_text(encoding="utf-8")
    section = ledger.partition(f"## {name}.parquet")[2].partition("\n## ")[0]
    rows = [line.split("|") for line in section.splitlines() if line.startswith("| ")][1:]
    types = {"string": "string", "int32": "int32", "int64": "int64", "bool": "bool",
             "double": "double"}  # fmt: skip
    told = {
        each.strip(): (types[kind.strip()], null.strip())
        for _, names, kind, null, *_ in rows
        if "---" not in names
        for each in names.split(",")
    }

    assert told == {
        field.name: (str(field.type), "yes" if field.nullable else "no") for field in schema
    }


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


def test_the_terminal_has_a_line_for_each_fault_and_topic() -> None:
    known = {"first_ack_ms": 1234.56, "silent_ms": 1250.0, "leaderless_ms": 300.0}
    recoveries = _recoveries(
        {**known, "until_ns": 21_500_000_000, "isr_shrank": True, "full_isr_ms": 20_000.0},
        {**known, "partition": 0, "isr_shrank": False},
        {"silent_ms": 5e3, "isr_shrank": True},
        {"sent_on": False, "isr_shrank": False, "leaderless_ms": 0.0},
        {"sent_on": False},
    )

    assert list(fault_lines_of(recoveries)) == [
        (
            "Kill(1) at 1.5 s for 20.0 s, on orders: first ack after 1,234.6 ms; silent 1,250.0 "
            "ms; no leader 300.0 ms; ISR full again after 20,000.0 ms"
        ),
        (
            "Kill(1) at 1.5 s, on orders: never acknowledged again; silent 5,000.0 ms; the ISR "
            "shrank and was not seen full again"
        ),
        "Kill(1) at 1.5 s, on orders: nobody sent on; no leader 0.0 ms; the ISR never shrank",
        "Kill(1) at 1.5 s, on orders: nobody sent on",
    ]


def test_of_many_faults_the_terminal_has_the_first_ones() -> None:
    many: list[dict[str, object]] = [{"sent_on": False}] * 1_050

    lines = list(fault_lines_of(_recoveries(*many)))

    assert len(lines) == 21
    assert lines[-1] == "and 1,030 more in recoveries.parquet"


def _rebalances(*rows: dict[str, object]) -> pa.Table:
    known: dict[str, object] = {"group": "orders-b", "client": "b-1", "from_ns": 1_500_000_000}
    return pa.Table.from_pylist([{**known, **row} for row in rows], REBALANCES)


def test_the_terminal_has_a_line_for_each_rebalance() -> None:
    ended: dict[str, object] = {"until_ns": 2_499_500_000, "rebalance_ms": 999.5}
    rebalances = _rebalances(
        {"how": "revoked", "partitions": 3, "members": 2, "generation": 7, **ended},
        {"how": "killed", "partitions": 1},
    )

    whose, lasted = "rebalance of orders-b at 1.5 s", "3 partitions without an owner for 999.5 ms"
    assert list(group_lines_of(rebalances)) == [
        f"{whose} (b-1 revoked): {lasted}, 2 members, generation 7",
        f"{whose} (b-1 killed): 1 partition without an owner to the end",
    ]
    many = list(group_lines_of(_rebalances(*[{"how": "lost", "partitions": 1}] * 30)))
    assert many[20:] == ["and 10 more in rebalances.parquet"]


def test_the_terminal_has_a_line_for_the_lag_of_each_group_and_topic() -> None:
    known: dict[str, object] = {"group": "orders-b", "topic": "orders"}
    rows: list[dict[str, object]] = [
        {**known, "lag_records": 12_345, "last_records": 7, "above_half_ms": 3_210.0},
        {**known, "partition": 0, "lag_records": 99},
        {**known, "second": 4, "lag_records": 99},
        {**known, "topic": "bills", "lag_records": 0, "last_records": 0, "above_half_ms": 0.0},
        {**known, "topic": "returns"},
    ]

    whose = "lag of orders-b"
    assert list(lag_lines_of(pa.Table.from_pylist(rows, LAGS))) == [
        f"{whose} on orders: 12,345 records at most, above half of that for 3.2 s, 7 at the end",
        f"{whose} on bills: 0 records at most, 0 at the end",
        f"{whose} on returns: not known",
    ]
