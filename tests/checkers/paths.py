"""The same records judged whole and in parts: verdicts have to be the same, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq
from tests.checkers.conftest import (
    Row,
    alive,
    answered,
    asked,
    assigned,
    commit,
    consumer,
    decided,
    end,
    entry,
    flushed,
    given,
    look,
    made,
    moving,
    poll,
    processed,
    producer,
    replicas,
    send,
    shared,
    stored,
    whole,
)

from highwater.checkers import catalogue, judge
from highwater.harness.record.reader import StoredRun, open_run

FULL: list[Row] = [
    producer(transaction_timeout_ms=1),
    consumer(),
    *(send(value, value) for value in range(3)),
    *(poll(value, value) for value in (0, 2)),
    end(3),
    *(stored(broker, value, value) for broker in (1, 2, 3) for value in (0, 1, 2)),
    *replicas(3),
    *(entry(broker, 0, 0) for broker in (1, 2, 3)),
    *(look(at, broker, 3, 3, quiet=True) for at in (1, 2, 3) for broker in (2, 3)),
    *(look(at, 1, 3, 3, quiet=True, last_stable_offset=3) for at in (1, 2, 3)),
    asked(1, 2, 3),
    answered(2, 2, 3),
    *(alive(second, 1) for second in (0, 1)),
    *(decided(second, state) for second, state in ((0, "PrepareAbort"), (1, "CompleteAbort"))),
    *(moving(second) for second in (0, 1)),
    flushed(2, 3),
    *(commit(position, (position, position)) for position in (0, 3)),
    processed(0, 3),
    *(assigned(at, what=what) for at, what in ((0, "assigned"), (9, "revoked"))),
    *(shared(0, 3, step=step) for step in ("handed", "accepted")),
    *(given(f"{at}", at, keeps="key,order") for at in range(3)),
    *(made(f"{at}", at) for at in (0, 2, 1, 1)),
    *whole(),
    producer("billing-1#producer", group_id="billing"),
    *(send(10 + of, of, client="billing-1#producer", topic="bills", made_of=of) for of in (0, 2)),
    poll(10, 0, topic="bills"),
    producer("chain", transactional_id="chain"),
    send(30, 0, client="chain", topic="chained", transaction=1),
    poll(30, 0, client="chain", topic="chained", transaction=2),
]

IN_PARTS = {"WHOLE_ROWS": -1, "PART_ROWS": 16, "AT_ONCE_ROWS": 1}

Said = Mapping[Path, bytes]


def differing(paths: Iterable[Path]) -> dict[str, tuple[bytes, bytes]]:
    """By name of the run what is said of it whole and in parts, where that is not the same."""
    runs = [open_run(path) for path in paths]
    whole, in_parts = said_of(runs), said_in_parts(runs)
    return {
        run.name: (whole[run.path], in_parts[run.path])
        for run in runs
        if whole[run.path] != in_parts[run.path]
    }


def said_of(runs: Sequence[StoredRun]) -> Said:
    """All that is said of each run, as bytes."""
    judged = judge.judge_claims(runs, catalogue.claims())
    return {
        path: json.dumps(asdict(each), default=_plain).encode() for path, each in judged.items()
    }


def _plain(told: object) -> object:
    return told.to_pylist() if isinstance(told, pa.Table) else str(told)


def said_in_parts(runs: Sequence[StoredRun]) -> Said:
    """The same by the path of large records, a task for each file and for every few rows."""
    with ExitStack() as changed:
        for name, rows in IN_PARTS.items():
            changed.enter_context(patch.object(judge, name, rows))
        return said_of(runs)


def row_by_row(run: Path) -> Path:
    """The same record with each row in a file of its own."""
    for part in sorted(run.glob("*/part-*.parquet")):
        table = pq.ParquetFile(part).read()
        part.unlink()
        for row in range(table.num_rows):
            pq.write_table(table.slice(row, 1), part.with_name(f"part-{row:06d}.parquet"))
    return run
