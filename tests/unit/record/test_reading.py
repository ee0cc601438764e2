"""A record is read as far as it goes: cut short is fine, damaged is said aloud."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from highwater.harness.errors import RecordError
from highwater.harness.model import SCHEMA_VERSION, TopicPartition
from highwater.harness.record.reader import StoredRun, find_runs, open_run
from highwater.harness.record.writer import RunRecord
from highwater.harness.tables import HISTORY, TABLES

WHERE = TopicPartition("orders")
FULL = [b'{"kind": "step", "text": "one"}', b'{"kind": "step", "text": "two"}']


@pytest.fixture
def run(tmp_path: Path) -> StoredRun:
    """A run with a handful of records, and nothing wrong yet."""
    with RunRecord(tmp_path / "run", {"scenario": "x"}) as record:
        for offset in range(100):
            record.history.saw("reader", WHERE, offset, (offset, 0))
    return open_run(tmp_path / "run")


def write_events(run: StoredRun, *lines: bytes, end: bytes = b"\n") -> None:
    (run.path / "events.jsonl").write_bytes(b"\n".join(lines) + end)


def texts(run: StoredRun) -> list[str]:
    return [event["text"] for event in run.events()]


def test_a_run_of_a_newer_schema_is_refused_with_what_can_read_it(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(json.dumps({"schema": SCHEMA_VERSION + 1}))

    with pytest.raises(RecordError) as refused:
        open_run(tmp_path)

    assert f"schema {SCHEMA_VERSION + 1}" in str(refused.value)
    assert f"reads up to {SCHEMA_VERSION}" in str(refused.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"schema": 1', r"run\.json cannot be read"),
        ("", r"run\.json cannot be read"),
        ("[1]", "expected a JSON object, saw list"),
        ('{"scenario": "x"}', 'expected a number as "schema", saw None'),
        ('{"schema": "1"}', """expected a number as "schema", saw '1'"""),
        ('{"schema": true}', 'expected a number as "schema", saw True'),
        ('{"schema": 0}', 'expected a number as "schema", saw 0'),
        ("[" * 100_000, r"run\.json cannot be read"),
    ],
)
def test_a_damaged_run_json_is_named_with_what_is_wrong(
    tmp_path: Path, content: str, said: str
) -> None:
    (tmp_path / "run.json").write_text(content)

    with pytest.raises(RecordError, match=said):
        open_run(tmp_path)


def test_a_run_json_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes(b'\xef\xbb\xbf{"schema": 1}')

    assert open_run(tmp_path).identity == {"schema": 1}


def test_a_run_json_that_is_no_text_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(RecordError, match=r"run\.json cannot be read"):
        open_run(tmp_path)


def test_a_directory_without_a_run_is_asked_about(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="is it a run directory"):
        find_runs(tmp_path)
    with pytest.raises(RecordError, match=r"run\.json is missing"):
        open_run(tmp_path)
    with pytest.raises(RecordError, match="not a directory"):
        find_runs(tmp_path / "nowhere")


def test_all_runs_below_a_directory_are_found_in_order(tmp_path: Path) -> None:
    for name in ("b/1", "a/2", "a/1"):
        with RunRecord(tmp_path / name, {}):
            pass

    found = find_runs(tmp_path)

    assert [str(each.path.relative_to(tmp_path)) for each in found] == ["a/1", "a/2", "b/1"]
    assert [each.path for each in find_runs(tmp_path / "b" / "1")] == [tmp_path / "b" / "1"]


def test_a_last_line_that_was_cut_short_is_left_out(run: StoredRun) -> None:
    write_events(run, *FULL, b'{"kind": "ste', end=b"")

    assert texts(run) == ["one", "two"]


def test_a_last_line_cut_inside_a_character_is_left_out(run: StoredRun) -> None:
    write_events(run, *FULL, '{"text": "é'.encode()[:-1], end=b"")

    assert texts(run) == ["one", "two"]


def test_a_last_line_without_its_newline_counts_when_it_is_whole(run: StoredRun) -> None:
    write_events(run, *FULL, end=b"")

    assert texts(run) == ["one", "two"]


@pytest.mark.parametrize("damage", [b'{"kind": "ste', b"\xff\xff", b"[1, 2]", b"7", b""])
def test_a_damaged_line_in_the_middle_is_named_by_its_number(run: StoredRun, damage: bytes) -> None:
    write_events(run, FULL[0], damage, FULL[1])

    with pytest.raises(RecordError, match=r"events\.jsonl, line 2: "):
        run.events()


def test_a_text_may_hold_any_separator_but_the_newline(run: StoredRun) -> None:
    write_events(run, '{"text": "one\u2028two\x85three"}'.encode())

    assert texts(run) == ["one\u2028two\x85three"]


def test_a_run_without_events_has_none(run: StoredRun) -> None:
    (run.path / "events.jsonl").unlink()

    assert run.events() == []


@pytest.mark.parametrize("kept", [0, 3, 500])
def test_a_part_that_was_cut_short_is_named(run: StoredRun, kept: int) -> None:
    (part,) = run.parts("history")
    content = part.read_bytes()
    part.write_bytes(content[:kept])

    with pytest.raises(RecordError, match=r"part-000000\.parquet cannot be read"):
        run.table("history")


def test_a_part_that_is_half_written_is_no_part_yet(run: StoredRun) -> None:
    (run.path / "history" / ".part-000001.parquet.1.partial").write_bytes(b"PAR1")

    assert len(run.table("history")) == 100


def test_a_column_that_is_missing_is_named(run: StoredRun) -> None:
    (part,) = run.parts("history")
    pq.write_table(pq.read_table(part).drop_columns(["acks", "error"]), part)

    with pytest.raises(RecordError, match=r"part-000000\.parquet has no column acks, error"):
        run.table("history")


def test_a_required_column_that_is_missing_is_named(run: StoredRun) -> None:
    (part,) = run.parts("history")
    pq.write_table(pq.ParquetFile(part).read().drop_columns(["client"]), part)

    with pytest.raises(RecordError, match="client"):
        run.table("history")


def test_a_column_that_cannot_be_what_it_should_be_is_refused(run: StoredRun) -> None:
    (part,) = run.parts("history")
    table = pq.ParquetFile(part).read()
    words = pa.array(["no number"] * len(table))
    place = table.column_names.index("offset")
    pq.write_table(table.set_column(place, "offset", words), part)

    with pytest.raises(RecordError, match="expected offset to be int64, saw string"):
        run.table("history")


def test_columns_that_nobody_knows_and_narrower_numbers_do_no_harm(run: StoredRun) -> None:
    (part,) = run.parts("history")
    table = pq.ParquetFile(part).read()
    narrow = table.column("offset").cast(pa.int32())
    place = table.column_names.index("offset")
    foreign = table.set_column(place, "offset", narrow)
    pq.write_table(foreign.append_column("mood", pa.array(["fine"] * len(table))), part)

    assert run.table("history").schema == HISTORY


def test_a_directory_called_like_a_column_does_not_become_one(tmp_path: Path) -> None:
    with RunRecord(tmp_path / "offset=7" / "topic=b", {}) as record:
        record.history.saw("reader", WHERE, 3, (1, 0))

    (row,) = open_run(tmp_path / "offset=7" / "topic=b").table("history").to_pylist()

    assert (row["offset"], row["topic"]) == (3, "orders")


@pytest.mark.parametrize("table", TABLES)
def test_a_table_that_the_run_did_not_get_to_is_empty(run: StoredRun, table: str) -> None:
    if table != "history":
        assert len(run.table(table)) == 0
    assert run.table(table).schema == TABLES[table]


@pytest.mark.parametrize(
    "content",
    [
        "{}",
        '{"verdicts": [{"claim": "x"}]}',
        '{"verdicts": [{"claim": "x", "answer": "MAYBE", "considered": 1}]}',
        '{"verdicts": [{"claim": "x", "answer": "HELD", "considered": 1, "mood": "fine"}]}',
        '{"verdicts": 5}',
    ],
)
def test_verdicts_that_are_none_are_named(run: StoredRun, content: str) -> None:
    (run.path / "verdicts.json").write_text(content)

    with pytest.raises(RecordError, match=r"verdicts\.json holds no verdicts"):
        run.verdicts()


def test_a_run_that_nobody_judged_has_no_verdicts(run: StoredRun) -> None:
    assert run.verdicts() == []
