"""Above a number of rows a record is judged in parts, and the verdicts are the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.checkers.chance import history
from tests.checkers.conftest import Row, by_name

from highwater.checkers import judge
from highwater.checkers.facts import BLOCK_BITS
from highwater.harness.model import Answer
from highwater.harness.record.reader import StoredRun

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
