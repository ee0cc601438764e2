"""A record of each schema is judged by what its schema says, to the letter of it."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.checkers.conftest import HELD, UNKNOWN, VIOLATED
from tests.checkers.paths import differing
from tests.model.judged import judged_here

from highwater.checkers.second_opinion.opinions import disagreements
from highwater.harness.errors import RecordError
from highwater.harness.record.reader import StoredRun, open_run

pytestmark = pytest.mark.spark

# As tools wrote them when there was no other schema. The last column was of their own.
NAMES = """
op client action outcome topic partition offset value checksum acks invoked_ns completed_ns error
key
"""
SCHEMA_1 = """
0 writer send ok orders 0 0 1 901 all 0 500000 - customer-1
1 writer send ok orders 0 1 2 902 all 1000000 1500000 - customer-2
2 writer send ok orders 0 2 3 903 all 2000000 2500000 - customer-3
3 reader poll ok orders 0 0 1 901 - 3000000 3500000 - customer-3
4 reader poll ok orders 0 2 3 903 - 4000000 4500000 - customer-2
5 reader end ok orders 0 3 - - - 5000000 5500000 - -
"""
TEXTS = {"client", "action", "outcome", "topic", "acks", "error"}


def _write(path: Path, schema: int, content: str, *, with_keys: bool = True) -> StoredRun:
    names, rows = NAMES.split(), [line.split() for line in content.strip().splitlines()]
    columns = {}
    for name, cells in zip(names, zip(*rows, strict=True), strict=True):
        is_text = name in TEXTS or any("-" in each[1:] for each in cells)
        told = [None if each == "-" else each if is_text else int(each) for each in cells]
        number = pa.int32() if name == "partition" else pa.int64()
        columns[name] = pa.array(told, pa.string() if is_text else number)
    if not with_keys:
        del columns["key"]
    (path / "history").mkdir(parents=True)
    (path / "run.json").write_text(json.dumps({"schema": schema, "tool": "another-tester 2.0"}))
    pq.write_table(pa.table(columns), path / "history" / "part-000000.parquet")
    return open_run(path)


@pytest.mark.parametrize("with_keys", [True, False])
def test_a_record_of_schema_1_is_judged_as_it_was(tmp_path: Path, with_keys: bool) -> None:
    run = _write(tmp_path / "run", 1, SCHEMA_1, with_keys=with_keys)

    verdicts = judged_here(run)

    assert {name: one.considered for name, one in verdicts.items() if one.answer is HELD} == {
        "aborted-read": 2, "corrupt-value": 2, "duplicate": 2, "inconsistent-offsets": 3,
        "nonmonotonic-poll": 2, "nonmonotonic-send": 3, "phantom-read": 2, "poll-skip": 2,
        "stale-read": 1, "stalled-sends": 1, "stuck-reader": 1,
    }  # fmt: skip
    (lost,) = [one for one in verdicts.values() if one.answer is VIOLATED]
    assert (lost.claim, [witness["value"] for witness in lost.witnesses]) == ("lost-write", [2])
    assert disagreements(run, list(verdicts.values())) == []
    assert differing([run.path]) == {}


def test_a_column_of_schema_2_is_nobodys_own(tmp_path: Path) -> None:
    run = _write(tmp_path / "run", 2, SCHEMA_1)

    verdicts = judged_here(run)

    assert {one.answer for one in verdicts.values()} == {UNKNOWN}
    assert "expected key to be int64, saw string" in verdicts["lost-write"].reason
    assert disagreements(run, list(verdicts.values())) == []


def test_numbers_in_it_are_keys_from_schema_2_on(tmp_path: Path) -> None:
    numbers = SCHEMA_1.replace("customer-", "")

    answers = []
    for schema in (1, 2):
        run = _write(tmp_path / str(schema), schema, numbers)
        verdicts = judged_here(run)
        assert disagreements(run, list(verdicts.values())) == []
        assert differing([run.path]) == {}
        answers.append(verdicts["corrupt-value"].answer)

    assert answers == [HELD, VIOLATED]


@pytest.mark.parametrize("schema", [3, 2**70])
def test_a_schema_that_nobody_knows_is_refused_in_a_sentence(tmp_path: Path, schema: int) -> None:
    with pytest.raises(RecordError, match=rf"has schema {schema}, and this highwater reads up to"):
        _write(tmp_path / "run", schema, SCHEMA_1)
