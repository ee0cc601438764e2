"""Whatever a record has and lacks, it is judged in parts as it is whole."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.checkers import (
    test_client_claims,
    test_committed_truncation,
    test_epoch_claims,
    test_poll_claims,
    test_reader_claims,
    test_replica_claims,
)
from tests.checkers.conftest import (
    HISTORIES,
    Row,
    end,
    poll,
    replica,
    replicas,
    send,
    stored,
)
from tests.checkers.paths import FULL, differing, row_by_row, said_of

from highwater.harness.record.reader import StoredRun
from highwater.harness.tables import TABLES

pytestmark = pytest.mark.spark

WriteRun = Callable[[Path, Sequence[Row]], StoredRun]
LITERAL = (  # they fill HISTORIES
    test_client_claims,
    test_epoch_claims,
    test_poll_claims,
    test_reader_claims,
    test_committed_truncation,
    test_replica_claims,
)
OFTEN = 4  # of literal histories so many-th are judged each time, and all of them on demand

ALONE = {
    "polls": [poll(1, 0), poll(2, 1)],
    "sends with acks=1": [send(1, 0, acks="1"), send(2, 1, acks="1")],
    "sends with acks=1, then polls": [send(1, 0, acks="1"), poll(1, 0)],
    "sends with acks=all, then an end": [send(1, 0), end(1)],
    "sends that failed": [send(1, outcome="failed")],
    "sends that nobody answered": [send(1, outcome="unknown")],
    "ends": [end(3)],
    "polls of nothing": [poll(None, 0)],
    "polls that failed": [poll(1, 0, outcome="failed")],
    "damaged records": [stored(1, 0, None, problem="CRC"), *replicas(1)],
    "a loss from a log that is empty": [send(1, 0), end(0), replica(1, 0)],
    "control records": [stored(1, 0, None, is_control=True), *replicas(1)],
    "a row written twice": [send(1, 0), send(1, 0), poll(1, 0), poll(1, 0), end(1), end(1)],
    "nothing": [],
}


def _named(rows: Sequence[Row], tables: Sequence[str]) -> list[Row]:
    return [row for row in rows if row[0] in tables]


@pytest.mark.on_demand
def test_a_record_that_has_but_some_tables_or_kinds_of_rows_is_judged_all_the_same(
    write_run: WriteRun, tmp_path: Path
) -> None:
    lacking = [(*TABLES,), *itertools.combinations(TABLES, 1)]
    lacking += [tuple(one for one in TABLES if one != left) for left in TABLES]
    runs = [write_run(tmp_path / "+".join(names), _named(FULL, names)) for names in lacking]
    runs += [write_run(tmp_path / name, rows) for name, rows in ALONE.items()]
    for name in ALONE:
        row_by_row(tmp_path / name)

    assert differing(run.path for run in runs) == {}
    assert not any(b"the checker broke" in said for said in said_of(runs).values())


@pytest.mark.parametrize(
    "every", [OFTEN, pytest.param(1, marks=pytest.mark.on_demand)], ids=["some", "all"]
)
def test_literal_histories_are_judged_in_parts_as_they_are_whole(
    every: int, write_run: WriteRun, tmp_path: Path
) -> None:
    assert len(HISTORIES) > 50, LITERAL
    chosen = list(HISTORIES.items())[::every]
    runs = [write_run(tmp_path / name, rows) for name, (_, rows) in chosen]

    assert differing(run.path for run in runs) == {}
