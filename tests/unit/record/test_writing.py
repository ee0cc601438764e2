"""What is recorded is there, whoever writes at the same time and however the writer ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from highwater.harness.errors import InfrastructureError
from highwater.harness.model import Answer, Outcome, ReplicaState, TopicPartition, Verdict
from highwater.harness.record import writer as writing
from highwater.harness.record.reader import find_runs, open_run
from highwater.harness.record.states import Probed
from highwater.harness.record.writer import RunRecord, write_verdicts
from highwater.harness.tables import TABLES

WHERE = TopicPartition("orders")
END = {
    "broker": 1,
    "topic": "orders",
    "partition": 0,
    "is_leader": True,
    "in_isr": True,
    "settled": True,
}
PROBED = Probed(7, 1, None, {}, (WHERE,), (ReplicaState(1, 5, None),))

KILLED_WRITER = """
import sys, threading
from pathlib import Path
from highwater.harness.model import TopicPartition
from highwater.harness.record.writer import RunRecord
with RunRecord(Path(sys.argv[1]), {"scenario": "killed"}) as record:
    record.event("step", "sending")
    where = TopicPartition("orders")
    sends = record.history.sends("producer", where, "all", range(1, 5))
    sends.invoke(range(1, 4), [7, 7, 7])
    sends.acknowledged(1, 0)
    record.flush()
    print("flushed", flush=True)
    threading.Event().wait()
"""


def test_a_run_whose_writer_was_killed_knows_which_records_may_have_been_written(
    tmp_path: Path,
) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", KILLED_WRITER, str(tmp_path / "run")], stdout=subprocess.PIPE
    )
    assert writer.stdout
    assert writer.stdout.readline() == b"flushed\n"

    os.kill(writer.pid, signal.SIGKILL)
    writer.communicate()
    (run,) = find_runs(tmp_path)

    rows = run.table("history").to_pylist()
    assert {(row["value"], row["outcome"], row["offset"]) for row in rows} == {
        (1, "ok", 0),
        (2, "invoked", None),
        (3, "invoked", None),
    }
    assert [event["text"] for event in run.events()] == ["sending"]
    assert run.identity["played"] is None


def test_an_invoked_row_is_superseded_by_a_later_row_of_the_same_operation(tmp_path: Path) -> None:
    with RunRecord(tmp_path, {}) as record:
        sends = record.history.sends("producer", WHERE, "all", range(1, 2))
        sends.invoke(range(1, 2), [7])
        record.flush()
        sends.ended(1, Outcome.UNKNOWN, "timed out")

    *before, last = open_run(tmp_path).table("history").to_pylist()
    # One for each part that was written meanwhile: on a slow machine there may be several.
    assert {(row["op"], row["outcome"], row["error"]) for row in before} == {(2, "invoked", None)}
    assert (last["op"], last["outcome"], last["error"]) == (2, "unknown", "timed out")
    assert {last["invoked_ns"]} == {row["invoked_ns"] for row in before}
    assert last["completed_ns"] >= last["invoked_ns"]


def test_consumers_are_recorded_with_what_they_saw(tmp_path: Path) -> None:
    with RunRecord(tmp_path, {}) as record:
        record.history.saw("reader", WHERE, 4, (17, 99))
        record.history.saw("reader", WHERE, 5, (None, 98))
        record.history.reached_end("reader", WHERE, 6)

    rows = open_run(tmp_path).table("history").to_pylist()
    assert [(row["action"], row["offset"], row["value"], row["checksum"]) for row in rows] == [
        ("poll", 4, 17, 99),
        ("poll", 5, None, 98),
        ("end", 6, None, None),
    ]


def test_a_reading_is_recorded_with_when_it_began(tmp_path: Path) -> None:
    with RunRecord(tmp_path, {}) as record:
        record.history.reached_end("near", WHERE, 4, began_ns=record.origin_ns + 7)
        record.history.stalled("far", WHERE, 2, began_ns=record.origin_ns + 8)

    rows = open_run(tmp_path).table("history").to_pylist()
    assert [(row["client"], row["action"], row["offset"], row["invoked_ns"]) for row in rows] == [
        ("near", "end", 4, 7),
        ("far", "stall", 2, 8),
    ]
    assert all(row["completed_ns"] > 8 for row in rows)


def test_clients_that_append_while_parts_are_written_lose_nothing(tmp_path: Path) -> None:
    clients, each = 4, 500

    def send(client: int) -> None:
        values = range(client * each, (client + 1) * each)
        sends = record.history.sends(f"p{client}", WHERE, "all", values)
        for number, value in enumerate(values):
            sends.invoke(range(value, value + 1), [0])
            record.event("note", f"{client}-{number}")
            record.states(replace(PROBED, at_ns=value))  # no two parts are alike
            sends.acknowledged(value, number)

    with RunRecord(tmp_path, {}) as record, ThreadPoolExecutor(clients) as pool:
        sending = [pool.submit(send, client) for client in range(clients)]
        while not all(sent.done() for sent in sending):
            record.flush()
        for sent in sending:
            sent.result()

    run = open_run(tmp_path)
    ended = [row for row in run.table("history").to_pylist() if row["outcome"] == "ok"]
    assert sorted(row["value"] for row in ended) == list(range(clients * each))
    assert len({row["op"] for row in ended}) == clients * each
    assert len(run.events()) == clients * each
    assert len(run.table("replica_states")) == clients * each
    assert len(run.parts("history")) > 1


def test_events_are_on_the_disk_at_once_and_in_order(tmp_path: Path) -> None:
    with RunRecord(tmp_path, {}) as record:
        for number in range(3):
            record.event("step", f"step {number}", number=number)
        meanwhile = open_run(tmp_path).events()

    assert [event["number"] for event in meanwhile] == [0, 1, 2]
    times = [event["at_ns"] for event in meanwhile]
    assert times == sorted(times)


def test_an_event_that_somebody_else_timed_keeps_its_time(tmp_path: Path) -> None:
    with RunRecord(tmp_path, {}) as record:
        record.event_at(12, "gate", "held", {"link": "2 -> 1"})

    assert open_run(tmp_path).events() == [
        {"at_ns": 12, "kind": "gate", "text": "held", "link": "2 -> 1"}
    ]


def test_a_table_may_be_written_in_parts(tmp_path: Path) -> None:
    ends = pa.Table.from_pylist(
        [{**END, "broker": broker} for broker in range(1, 6)], TABLES["replica_ends"]
    )

    with RunRecord(tmp_path / "run", {}) as record:
        record.parts("replica_ends", (ends.slice(start, 2) for start in (0, 2, 4)))
        record.table("epoch_checkpoints", [])

    parts = sorted(each.name for each in (tmp_path / "run" / "replica_ends").iterdir())
    assert parts == ["part-000000.parquet", "part-000001.parquet", "part-000002.parquet"]
    run = open_run(tmp_path / "run")
    assert [row["broker"] for row in run.table("replica_ends").to_pylist()] == [1, 2, 3, 4, 5]
    assert len(run.table("epoch_checkpoints")) == 0


def test_an_event_after_the_end_is_left_out(tmp_path: Path) -> None:
    with RunRecord(tmp_path, {}) as record:
        record.event("step", "the only one")
    record.event("gate", "too late")

    assert [event["text"] for event in open_run(tmp_path).events()] == ["the only one"]


def test_whole_tables_and_the_ending_can_be_read_back(tmp_path: Path) -> None:
    end: dict[str, Any] = {
        "broker": 1,
        "topic": "orders",
        "partition": 0,
        "log_start_offset": 0,
        "log_end_offset": 5,
        "high_watermark": 5,
        "is_leader": True,
        "in_isr": True,
        "leader_epoch": None,
        "settled": True,
        "topic_id": None,
    }

    with RunRecord(tmp_path, {"scenario": "x"}) as record:
        record.table("replica_ends", [end])
        record.table("replica_logs", [])
        record.end({"complete": True, "reason": None, "seconds": 1.5})

    run = open_run(tmp_path)
    assert run.table("replica_ends").to_pylist() == [end]
    assert len(run.table("replica_logs")) == 0
    assert run.identity["played"] == {"complete": True, "reason": None, "seconds": 1.5}
    assert run.identity["scenario"] == "x"


def test_verdicts_are_kept_beside_the_record(tmp_path: Path) -> None:
    said = [
        Verdict(
            claim="lost-write",
            answer=Answer.VIOLATED,
            considered=11,
            anomalies=10,
            witnesses=[{"offset": 1}],
            reason="",
        ),
        Verdict(claim="duplicate", answer=Answer.UNKNOWN, considered=0, witnesses=[], reason="?"),
    ]
    with RunRecord(tmp_path, {}):
        pass

    write_verdicts(tmp_path, said)

    assert open_run(tmp_path).verdicts() == said


def test_what_could_not_be_written_is_kept_and_written_later(tmp_path: Path) -> None:
    (tmp_path / "replica_states").touch()  # a file where the table's directory should be
    with RunRecord(tmp_path, {}) as record:
        sends = record.history.sends("producer", WHERE, "all", range(1, 2))
        sends.invoke(range(1, 2), [7])
        sends.acknowledged(1, 0)
        record.states(PROBED)

        with pytest.raises(InfrastructureError, match=f"cannot write the record {tmp_path}"):
            record.flush()
        (tmp_path / "replica_states").unlink()

    run = open_run(tmp_path)
    assert run.table("history").column("value").to_pylist() == [1]
    assert run.table("replica_states").column("log_end_offset").to_pylist() == [5]


def test_what_cannot_be_written_down_is_not_sent(tmp_path: Path) -> None:
    """Who is killed takes its memory along: such a record would be read, and nobody sent it."""
    (tmp_path / "history").touch()
    with RunRecord(tmp_path, {}) as record:
        sends = record.history.sends("producer", WHERE, "all", range(1, 2))

        with pytest.raises(InfrastructureError, match="it was not sent"):
            sends.invoke(range(1, 2), [7])
        (tmp_path / "history").unlink()


def test_wherever_writing_ends_what_was_committed_is_not_without_what_was_processed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    monkeypatch.setattr(writing, "write_parquet", lambda path, _: written.append(path.parent.name))
    with RunRecord(tmp_path, {}) as record:
        record.row("commits", {})
        record.row("processed", {})
        record.states(PROBED)
        record.history.reader("reader")
        record.flush()

    assert (written[0], written[-1]) == ("clients", "commits")
    assert set(written[1:-1]) == {"processed", "replica_states"}


def test_a_full_disk_is_one_clear_message(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").symlink_to("/dev/full")

    with (
        pytest.raises(InfrastructureError, match="No space left on device"),
        RunRecord(tmp_path, {}) as record,
    ):
        record.event("step", "there is no room for this")
