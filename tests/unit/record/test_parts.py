"""Parts of the history hold what happened whole, and take no time to tell it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from highwater.harness.model import TopicPartition
from highwater.harness.record.files import write_parquet
from highwater.harness.record.history import History
from highwater.harness.record.journal import salvage
from highwater.harness.record.polls import Polls
from highwater.harness.tables import NO_KEY, history_table

WHERE = TopicPartition("orders", 2)
ENTRY = {
    "client": "load-1", "action": "send", "topic": "orders", "partition": 2, "acks": "all",
    "first": 1, "end": 3, "invoked_ns": 0,
}  # fmt: skip


def test_a_part_that_cannot_be_written_is_told_whole_by_the_next_one(tmp_path: Path) -> None:
    history = History(tmp_path / "history", 0)
    sends = history.sends("producer", WHERE, "all", range(1, 3))
    sends.invoke(range(1, 3), [7, 8])
    sends.acknowledged(2, 0)
    in_the_way = tmp_path / "history" / f".part-000000.parquet.{os.getpid()}.partial"
    in_the_way.mkdir()  # the journal has made the folder

    with pytest.raises(OSError, match="partial"):
        history.flush()
    in_the_way.rmdir()
    history.close()

    (part,) = (tmp_path / "history").glob("part-*.parquet")
    rows = pq.read_table(part).to_pylist()
    assert [(row["value"], row["outcome"]) for row in rows] == [(1, "invoked"), (2, "ok")]


def test_a_part_has_what_the_sends_in_it_were_made_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another thread hands out, and sends what is made of it, while the part is being made."""
    history = History(tmp_path / "history", 0)
    polls = history.polls("member", WHERE)
    sends = history.sends("member#producer", WHERE, "all", range(1, 3))
    sends.made_of([10, 11])

    def process(value: int) -> None:
        polls.append(value, (value + 9, 5), value, NO_KEY)
        sends.invoke(range(value, value + 1), [7])
        sends.acknowledged(value, value)

    def table(self: Polls, origin_ns: int) -> pa.Table:
        found = told(self, origin_ns)
        process(2)
        return found

    told = Polls.table
    process(1)
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(Polls, "table", table)
        history.flush()

    (part,) = (tmp_path / "history").glob("part-*.parquet")
    rows = pq.read_table(part).to_pylist()
    handed = {row["value"] for row in rows if row["action"] == "poll"}
    assert {row["made_of"] for row in rows if row["outcome"] == "ok" and row["made_of"]} <= handed


@pytest.mark.on_demand
@pytest.mark.timeout(120)  # to go through all that is written for each entry takes far longer
def test_a_journal_of_a_long_load_takes_no_longer_than_its_record(tmp_path: Path) -> None:
    sent, unwritten = range(1, 1_000_001), {7, 500_000, 1_000_000}
    shared = {**dict.fromkeys(("offset", "checksum", "completed_ns", "error")), **ENTRY}
    values = [value for value in sent if value not in unwritten]
    written = history_table(
        {"op": [2 * value for value in values], "value": values},
        {**shared, "outcome": "invoked"},
        len(values),
    )
    write_parquet(tmp_path / "history" / "part-load-1-000000.parquet", written)
    entries = [{**ENTRY, "first": first, "end": first + 50} for first in sent[::50]]
    lines = "".join(json.dumps(entry) + "\n" for entry in entries)
    (tmp_path / "history" / "load-1.journal").write_text(lines)

    salvage(tmp_path)

    part = pq.read_table(tmp_path / "history" / "part-load-1--journal.parquet")
    assert set(part["value"].to_pylist()) == unwritten
