"""Whoever is killed: what was sent is not from nowhere."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from highwater.harness.errors import RecordError
from highwater.harness.model import TopicPartition
from highwater.harness.record.history import History
from highwater.harness.record.journal import HARNESS, Journal, salvage
from highwater.harness.record.reader import open_run
from highwater.harness.record.writer import RunRecord

WHERE = TopicPartition("orders", 2)

CLIENT = """
import sys, threading
from pathlib import Path
from highwater.harness.model import TopicPartition
from highwater.harness.record.history import History
history = History(Path(sys.argv[1]) / "history", int(sys.argv[2]), "load-1", 1)
where = TopicPartition("orders", 2)
first = history.sends("load-1", where, "all", range(1, 4))
first.invoke(range(1, 4), [7, 7, 7])
first.acknowledged(1, 0)
history.flush()
history.sends("load-1", where, "1", range(4, 6)).invoke(range(4, 6), [7, 7])
print("sent", flush=True)
threading.Event().wait()
"""


ENTRY = {
    "client": "load-1", "action": "send", "topic": "orders", "partition": 2, "acks": "all",
    "first": 1, "end": 3, "invoked_ns": 0,
}  # fmt: skip


def killed_client(run: Path, origin_ns: int) -> None:
    words = [sys.executable, "-c", CLIENT, str(run), str(origin_ns)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as client:
        assert client.stdout
        assert client.stdout.readline() == b"sent\n"
        client.send_signal(signal.SIGKILL)


def test_what_a_killed_client_had_sent_is_in_the_record_of_its_run(tmp_path: Path) -> None:
    with RunRecord(tmp_path, {}) as record:
        killed_client(tmp_path, record.origin_ns)

    rows = open_run(tmp_path).table("history").to_pylist()
    assert sorted((row["value"], row["outcome"], row["acks"]) for row in rows) == [
        (1, "ok", "all"),
        (2, "invoked", "all"),
        (3, "invoked", "all"),
        (4, "invoked", "1"),
        (5, "invoked", "1"),
    ]
    last = rows[0]  # of the journal, whose part comes before those with a number
    assert (last["client"], last["topic"], last["partition"]) == ("load-1", "orders", 2)
    assert last["op"] == 2 * last["value"]
    assert 0 <= last["invoked_ns"] < 60e9
    assert {last[name] for name in ("offset", "checksum", "completed_ns", "error")} == {None}


def test_a_journal_takes_nothing_from_a_client_that_lives(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"schema": 1}')
    history = History(tmp_path / "history", 0, "load-1", 1)
    sends = history.sends("load-1", WHERE, "all", range(1, 3))
    sends.invoke(range(1, 3), [7, 7])

    salvage(tmp_path)
    sends.acknowledged(1, 0)
    sends.acknowledged(2, 1)
    history.flush()
    salvage(tmp_path)
    history.close()

    rows = open_run(tmp_path).table("history").to_pylist()
    assert [row["outcome"] for row in rows] == ["invoked", "invoked", "ok", "ok"]
    assert [row["invoked_ns"] for row in rows[:2]] == [row["invoked_ns"] for row in rows[2:]]
    assert list((tmp_path / "history").glob("*.journal")) == []


def test_what_was_sent_in_a_transaction_says_in_which_one(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"schema": 1}')
    history = History(tmp_path / "history", 0, "load-1", 1)
    for transaction in (1, 2):
        sends = history.sends("load-1", WHERE, "all", range(transaction, transaction + 1))
        sends.within(transaction)
        sends.invoke(sends.values, [7])
        if transaction == 1:
            sends.acknowledged(1, 0)
            history.flush()

    salvage(tmp_path)

    rows = open_run(tmp_path).table("history").to_pylist()
    told = {(row["value"], row["outcome"], row["transaction"]) for row in rows}
    assert told == {(1, "ok", 1), (2, "invoked", 2)}


def test_what_was_made_of_something_says_of_what(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"schema": 1}')
    history = History(tmp_path / "history", 0, "pipe-1", 1)
    for first in (1, 4):
        sends = history.sends("pipe-1", WHERE, "all", range(first, first + 3))
        sends.made_of([first + 70, None, first + 72])
        sends.invoke(range(first, first + 2), [7, 7])
        sends.invoke(range(first + 2, first + 3), [7])
        sends.acknowledged(first + 2, first)
    history.flush()
    history.sends("pipe-1", WHERE, "all", range(7, 8)).made_of([77])
    sends = history.sends("pipe-1", WHERE, "all", range(8, 10))
    sends.made_of([78, 79])
    sends.invoke(sends.values, [7, 7])

    salvage(tmp_path)

    rows = open_run(tmp_path).table("history").to_pylist()
    told = {(row["value"], row["outcome"], row["made_of"]) for row in rows}
    assert told == {
        (1, "invoked", 71), (2, "invoked", None), (3, "ok", 73),
        (4, "invoked", 74), (5, "invoked", None), (6, "ok", 76),
        (8, "invoked", 78), (9, "invoked", 79),
    }  # fmt: skip


def test_what_was_handed_out_in_a_transaction_says_in_which_one(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"schema": 1}')
    history = History(tmp_path / "history", 0, "pipe-1", 1)
    polls, others = history.polls("pipe-1", WHERE), history.polls("reader", WHERE)
    for number in range(3):
        polls.within(number)
        polls.append(number, (7 + number, 0), 5)
        others.append(number, (7 + number, 0), 5)
        if number:
            history.flush()
    history.close()

    rows = open_run(tmp_path).table("history").to_pylist()
    told = {(row["client"], row["value"], row["transaction"]) for row in rows}
    assert told == {
        *(("pipe-1", 7 + number, number) for number in range(3)),
        *(("reader", 7 + number, None) for number in range(3)),
    }


def test_a_last_line_that_was_cut_short_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "history").mkdir()
    history = History(tmp_path / "history", 0)
    history.sends("producer-1", WHERE, "all", range(1, 2)).invoke(range(1, 2), [7])
    journal = tmp_path / "history" / "harness.journal"
    journal.write_bytes(journal.read_bytes() + b'{"client": "produ')
    (tmp_path / "run.json").write_text('{"schema": 1}')

    salvage(tmp_path)

    assert [row["value"] for row in open_run(tmp_path).table("history").to_pylist()] == [1]


@pytest.mark.parametrize(
    "line",
    [
        b"[]",
        b"{}",
        b"\xff",
        b'{"first": 1, "end": 9e99, "invoked_ns": 0}',
        b'{"first": []}',
        b'{"first": 0, "end": 99999999999}',
        *(
            json.dumps({**ENTRY, **wrong}).encode()
            for wrong in (
                {"first": 1 << 62, "end": (1 << 62) + 1},
                {"first": (1 << 61) - 1, "end": (1 << 61) + 1},
                {"client": ""},
                {"first": -1},
                {"first": 4},
                {"first": True},
                {"partition": 1.5},
                {"partition": 1 << 31},
                {"invoked_ns": "0"},
                {"action": "poll"},
                {"acks": "2"},
                {"topic": None},
                {"client": 7},
                {"transaction": -1},
                {"transaction": "1"},
                {"made_of": 7},
                {"made_of": [-1]},
                {"made_of": [7, 7, 7, 7, 7, 7, 7]},
                {"partition": [0, 0, 0, 0, 0, 0, 0]},
                {"partition": [0, None]},
                {"partition": [0, -1]},
            )
        ),
    ],
)
def test_a_damaged_journal_is_named(line: bytes, tmp_path: Path) -> None:
    (tmp_path / "history").mkdir()
    (tmp_path / "history" / "load-1.journal").write_bytes(line + b"\n")

    with pytest.raises(RecordError, match=r"load-1\.journal tells what was sent"):
        salvage(tmp_path)


def test_a_journal_that_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "history").mkdir()
    os.mkfifo(tmp_path / "history" / "load-1.journal")

    with pytest.raises(RecordError, match=r"load-1\.journal tells what was sent.*is no file"):
        salvage(tmp_path)


def test_an_entry_says_nothing_of_how_its_sends_ended(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"schema": 1}')
    (tmp_path / "history").mkdir()
    more = {"offset": 77, "completed_ns": 5, "checksum": 9, "error": "x", "outcome": "ok"}
    line = json.dumps({**ENTRY, **more}).encode() + b"\n"
    (tmp_path / "history" / "load-1.journal").write_bytes(line)

    salvage(tmp_path)

    rows = open_run(tmp_path).table("history").to_pylist()
    assert {row[name] for row in rows for name in more} == {None, "invoked"}


def test_a_part_of_another_type_is_no_fault_of_a_journal(tmp_path: Path) -> None:
    (tmp_path / "history").mkdir()
    at = pa.array([0], pa.timestamp("ns"))
    strange = pa.table({"action": pa.array(["send"]), "value": at})
    pq.write_table(strange, tmp_path / "history" / "part-load-2-000000.parquet")
    (tmp_path / "history" / "load-1.journal").write_bytes(json.dumps(ENTRY).encode() + b"\n")

    salvage(tmp_path)

    assert (tmp_path / "history" / "part-load-1--journal.parquet").exists()


def test_an_entry_for_which_there_is_no_room_leaves_the_others_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "run.json").write_text('{"schema": 1}')
    write, journal = os.write, Journal(tmp_path / "history" / "load-1.journal")
    shared = {name: ENTRY[name] for name in ("client", "action", "topic", "partition", "acks")}

    journal.intends(shared, range(1, 2), 0)
    monkeypatch.setattr(os, "write", lambda file, line: write(file, line[:20]))
    with pytest.raises(OSError, match="no room for an entry"):
        journal.intends(shared, range(2, 3), 0)
    monkeypatch.undo()
    journal.intends(shared, range(3, 4), 0)
    salvage(tmp_path)

    assert [row["value"] for row in open_run(tmp_path).table("history").to_pylist()] == [1, 3]


def test_a_damaged_part_keeps_nobody_from_reading_a_journal(tmp_path: Path) -> None:
    with RunRecord(tmp_path, {}) as record:
        killed_client(tmp_path, record.origin_ns)
        (tmp_path / "history" / "part-load-1-000000.parquet").write_bytes(b"no parquet")

    assert (tmp_path / "history" / "part-load-1--journal.parquet").exists()


def test_authors_of_one_history_take_nothing_from_one_another(tmp_path: Path) -> None:
    with RunRecord(tmp_path / "run", {}) as record:
        for number, author in enumerate([HARNESS, "billing-1", "billing-2"]):
            directory = tmp_path / "run" / "history"
            history = History(directory, record.origin_ns, author, number)
            for offset in range(3):
                history.saw(author, WHERE, offset, (offset, 7))
            history.flush()

    rows = open_run(tmp_path / "run").table("history").to_pylist()
    assert len({row["op"] for row in rows}) == 9
    assert Counter(row["client"] for row in rows) == {"harness": 3, "billing-1": 3, "billing-2": 3}
