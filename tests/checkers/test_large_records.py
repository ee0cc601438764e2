"""Above a number of rows a record is judged in parts, and the verdicts are the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.checkers.chance import history
from tests.checkers.conftest import Row, by_name

from highwater.checkers import judge
from highwater.checkers.facts import BLOCK_BITS
from highwater.harness.model import Answer
from highwater.harness.record.files import write_parquet
from highwater.harness.record.reader import StoredRun
from highwater.harness.tables import history_table

pytestmark = pytest.mark.spark

RUNS = 6
NUMBERED = {"offset", "value", "high_watermark"} | {
    f"{which}_offset" for which in ("fetch", "start", "log_start", "log_end")
}


def _apart(row: Row) -> Row:
    """The same with other numbers: no two values, and no two offsets, lie in one block."""
    table, columns = row
    return table, {
        name: each << BLOCK_BITS if name in NUMBERED and each is not None else each
        for name, each in columns.items()
    }


def _many(run: Path, part: int, action: str, acks: str | None) -> None:
    """As many rows as make a record large with another such part, all of one kind."""
    count = judge.WHOLE_ROWS // 2 + 1
    numbers = np.arange(count)
    times = {"invoked_ns": numbers + part * count, "completed_ns": numbers + part * count + 1}
    columns = {"op": numbers + part * count, "offset": numbers, "value": numbers, **times}
    place = {"client": action, "topic": "orders", "partition": 0}
    shared = {
        **place,
        "action": action,
        "outcome": "ok",
        "acks": acks,
        "checksum": 7,
        "error": None,
    }
    table = history_table({name: pa.array(each) for name, each in columns.items()}, shared, count)
    write_parquet(run / "history" / f"part-{part:06d}.parquet", table)


@pytest.mark.on_demand
@pytest.mark.parametrize(("acks", "considered"), [("1", 0), ("all", judge.WHOLE_ROWS // 2 + 1)])
def test_a_large_record_of_parts_that_have_one_kind_of_rows_each_is_judged(
    acks: str,
    considered: int,
    write_run: Callable[[Path, Sequence[Row]], StoredRun],
    tmp_path: Path,
) -> None:
    run = write_run(tmp_path / "run", [])
    _many(run.path, 0, "send", acks)
    _many(run.path, 1, "poll", None)

    verdicts = {one.claim: one for one in judge.judge([run])[run.path]}

    assert verdicts["lost-write"].considered == considered
    assert verdicts["duplicate"].considered == judge.WHOLE_ROWS // 2 + 1
    assert verdicts["poll-skip"].answer is Answer.HELD


def test_records_are_judged_in_parts_as_they_are_whole(
    write_run: Callable[[Path, Sequence[Row]], StoredRun],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = random.Random(7)
    histories = [[_apart(row) for row in history(chance)] for _ in range(RUNS)]
    runs = [write_run(tmp_path / str(number), rows) for number, rows in enumerate(histories)]
    whole = by_name(judge.judge(runs))
    monkeypatch.setattr(judge, "WHOLE_ROWS", 0)
    monkeypatch.setattr(judge, "PART_ROWS", 12)

    in_parts = by_name(judge.judge(runs))

    assert in_parts == whole
    assert any(one.answer is Answer.VIOLATED for run in whole.values() for one in run.values())
