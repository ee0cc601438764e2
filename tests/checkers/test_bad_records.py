"""What a table may not hold is named with its column, and nothing else is unknown for that."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.checkers.conftest import (
    Row,
    end,
    poll,
    send,
)
from tests.checkers.paths import FULL, differing

from highwater.checkers import catalogue
from highwater.checkers.judge import TIMELINE, Judgement, judge, judge_claims
from highwater.checkers.second_opinion.opinions import disagreements
from highwater.harness.model import Answer
from highwater.harness.record.reader import StoredRun
from highwater.harness.tables import IDENTITIES, LARGEST, RECKONED, TABLES, UNUSABLE

pytestmark = pytest.mark.spark

WriteRun = Callable[[Path, Sequence[Row]], StoredRun]
Change = Callable[[pa.Table], pa.Table]

# Of what no claim reads nothing can be judged wrongly.
READ = {table for claim in catalogue.claims() for table in (*claim.needs, *claim.uses)}
NAMES = {field.name for table in READ for field in TABLES[table]}
NEEDED = [
    (table, field.name) for table, schema in TABLES.items() for field in schema
    if table in READ and not field.nullable
]  # fmt: skip


def _with(name: str, *content: object, kind: pa.DataType | None = None) -> Change:
    """The first rows of a column say this instead."""

    def changed(table: pa.Table) -> pa.Table:
        at = table.column_names.index(name)
        rows = [*content, *table[name].to_pylist()[len(content) :]]
        return table.set_column(at, name, pa.array(rows, kind or table[name].type))

    return changed


def _not_utf8(table: pa.Table) -> pa.Table:
    words = pa.array([b"orders\xff"] * len(table), pa.binary())
    topics = pa.StringArray.from_buffers(len(table), *words.buffers()[1:])
    return table.set_column(table.column_names.index("topic"), "topic", pa.chunked_array([topics]))


def _twice(name: str) -> Change:
    return lambda table: pa.Table.from_arrays(
        [*table.columns, table[name]], names=[*table.column_names, name]
    )


# Of columns with times that need not be in `history`.
OF_TABLE = {
    "at_ns": "replica_states", "began_ns": "clients", "ended_ns": "clients",
    "asked_ns": "flushes", "flushed_ns": "flushes",
}  # fmt: skip

# By name: the table, what is changed in it, and what is said of it.
BAD: dict[str, tuple[str, Change, str]] = {
    f"null {table} {name}": (
        table, _with(name, None), f"part-000000.parquet: 1 null in {name}, which may not be null"
    )
    for table, name in NEEDED
} | {
    "two nulls": ("history", _with("topic", None, None), "2 nulls in topic, which may not be null"),
    "nothing but nulls": (
        "liveness",
        _with("answers", None, None, kind=pa.null()),
        "part-000000.parquet: 2 nulls in answers, which may not be null",
    ),
    "an action": (
        "history",
        _with("action", "read"),
        "expected action to be send, poll, end or stall, saw 'read' in 1 row",
    ),
    "an outcome": (
        "history",
        _with("outcome", "acked", "acked"),
        "expected outcome to be invoked, ok, failed or unknown, saw 'acked' in 2 rows",
    ),
    "acks": ("history", _with("acks", "-1"), "expected acks to be all, 1 or 0, saw '-1' in 1 row"),
    "a stage": (
        "fetches",
        _with("stage", "answer"),
        "expected stage to be request or response, saw 'answer' in 1 row",
    ),
    "what is no assignment": (
        "assignments",
        _with("what", "given"),
        "expected what to be assigned, revoked or lost, saw 'given' in 1 row",
    ),
    "what is no step": (
        "shares",
        _with("step", "taken"),
        "expected step to be handed, accepted or released, saw 'taken' in 1 row",
    ),
    "what is told by nobody": (
        "contracts",
        _with("tells", "outcome"),
        "expected tells to be input, output, position, inputs-end or outputs-end, saw 'outcome' in",
    ),
    "so many outputs": (
        "contracts",
        _with("each", "one"),
        "expected each to be exactly, at least or at most, saw 'one' in 1 row",
    ),
    "what is not kept": (
        "contracts",
        _with("keeps", "order,key"),
        "expected keeps to be key, order or key,order, saw 'order,key' in 1 row",
    ),
    "an isr": (
        "replica_states",
        _with("isr", "[1, 2]"),
        "expected isr to be broker ids with commas and nothing else, saw '[1, 2]' in 1 row",
    ),
    "two accounts of a client": (
        "clients",
        _with("client", "reader"),
        "clients: expected one row for each client, saw several of 'reader' that differ in role, ",
    ),
    "no text": ("history", _not_utf8, "topic: "),
    "a column twice": ("history", _twice("value"), "part-000000.parquet has 2 columns value"),
    "a number too large": (
        "history", _with("value", 2**63, kind=pa.uint64()), "part-000000.parquet: value: "
    ),
    "a partition too large": (
        "history", _with("partition", 2**40, kind=pa.int64()), "part-000000.parquet: partition: "
    ),
    "an unusable value": (
        "history",
        _with("value", UNUSABLE.start),
        "a number in value is one of -9223370937343148036",
    ),
} | {
    f"{name} beyond {number}": (
        OF_TABLE.get(name, "history"),
        _with(name, number),
        f"expected {name} within {LARGEST} of zero, saw {number}",
    )
    for name in sorted(RECKONED & NAMES) for number in (-LARGEST - 1, LARGEST + 1)
}  # fmt: skip


def _change(run: StoredRun, table: str, changed: Change) -> StoredRun:
    part = run.path / table / "part-000000.parquet"
    pq.write_table(changed(pq.ParquetFile(part).read()), part)
    return run


@pytest.fixture(scope="module")
def judged(
    write_run: WriteRun, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[StoredRun, Judgement]]:
    root = tmp_path_factory.mktemp("bad")
    runs = {"good": write_run(root / "good", FULL)}
    for name, (table, changed, _) in BAD.items():
        runs[name] = _change(write_run(root / name, FULL), table, changed)
    said = judge_claims(list(runs.values()), catalogue.claims())
    return {name: (run, said[run.path]) for name, run in runs.items()}


@pytest.mark.parametrize("name", BAD)
def test_what_a_table_may_not_hold_makes_unknown_what_needs_or_uses_it_and_nothing_else(
    name: str, judged: dict[str, tuple[StoredRun, Judgement]]
) -> None:
    table, _, reason = BAD[name]
    _, said = judged[name]
    good = {one.claim: one for one in judged["good"][1].verdicts}

    assert reason in said.unreadable[table]
    assert set(said.unreadable) == {table}
    for claim, verdict in zip(catalogue.claims(), said.verdicts, strict=True):
        if table in {*claim.needs, *claim.uses}:
            assert (verdict.answer, verdict.considered) == (Answer.UNKNOWN, 0)
            assert verdict.reason == said.unreadable[table]
        else:
            assert verdict.answer is good[claim.name].answer
            assert verdict.considered == good[claim.name].considered


def test_the_good_record_among_bad_ones_has_something_to_say_of_most_claims(
    judged: dict[str, tuple[StoredRun, Judgement]],
) -> None:
    run, said = judged["good"]

    assert said.unreadable == {}
    assert sum(one.answer is not Answer.UNKNOWN for one in said.verdicts) > 20
    assert disagreements(run, said.verdicts) == []


def test_both_paths_and_the_second_opinion_say_the_same_of_bad_records(
    judged: dict[str, tuple[StoredRun, Judgement]],
) -> None:
    for name, (run, said) in judged.items():
        assert disagreements(run, said.verdicts) == [], name
    some = [run.path for run, _ in list(judged.values())[::10]]
    assert differing(some) == {}


def test_of_several_bad_parts_the_first_is_named_by_both_paths(
    write_run: WriteRun, tmp_path: Path
) -> None:
    run = write_run(tmp_path / "run", FULL)
    whole = run.path / "history" / "part-000000.parquet"
    rows = pq.ParquetFile(whole).read()
    for number, name in ((1, "client"), (2, "topic"), (3, "op")):
        bad = _with(name, None)(rows.slice(number, 1))
        pq.write_table(bad, whole.with_name(f"part-{number:06d}.parquet"))

    said = judge_claims([run], catalogue.claims())[run.path]

    assert "part-000001.parquet: 1 null in client" in said.unreadable["history"]
    assert differing([run.path]) == {}


def test_a_dictionary_may_have_words_that_stand_in_no_row(
    write_run: WriteRun, tmp_path: Path
) -> None:
    def coded(table: pa.Table) -> pa.Table:
        words = pa.DictionaryArray.from_arrays([0] * len(table), ["ok", "acked"])
        return table.set_column(table.column_names.index("outcome"), "outcome", words)

    rows = [(name, {**row, "outcome": "ok"} if name == "history" else row) for name, row in FULL]
    plain = write_run(tmp_path / "plain", rows)
    run = _change(write_run(tmp_path / "run", rows), "history", coded)

    told = judge([plain, run], ["lost-write"])

    assert told[run.path] == told[plain.path]
    assert told[run.path][0].considered > 0


def test_a_table_that_is_a_file_is_named(write_run: WriteRun, tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [send(1, 0)])
    (run.path / "liveness").touch()

    said = judge_claims([run], catalogue.claims())[run.path]

    assert "expected a directory of parts, saw a file" in said.unreadable["liveness"]
    assert differing([run.path]) == {}


STRANGE = {
    "deep": b"[" * 100_000 + b"\n{}\n",
    "an id of many parts": json.dumps(
        {"kind": "fault", "at_ns": 1, "text": "x", "phase": "closed", "id": [1]}
    ).encode(),
    "a time beyond all numbers": b'{"kind": "fault", "phase": "opened", "text": "x", "id": 1, '
    b'"at_ns": -1' + b"0" * 400 + b"}",
    "no text": b'{"at_ns": 1, "kind": "step", "text": "\xff"}\n{}\n',
}


@pytest.mark.parametrize("timeline", STRANGE.values(), ids=STRANGE)
def test_a_timeline_that_cannot_be_read_is_told_and_explains_nothing(
    timeline: bytes, write_run: WriteRun, tmp_path: Path
) -> None:
    run = write_run(tmp_path / "run", [send(1, 0), poll(1, 0), end(1)])
    (run.path / "events.jsonl").write_bytes(timeline)

    said = judge_claims([run], catalogue.chosen(["lost-write", "stalled-sends"]))[run.path]

    assert {verdict.answer for verdict in said.verdicts} == {Answer.HELD}
    assert set(said.unreadable) == {TIMELINE}


def test_the_identities_are_columns_of_tables() -> None:
    columns = {field.name for schema in TABLES.values() for field in schema}

    assert {*IDENTITIES, *RECKONED} <= columns
