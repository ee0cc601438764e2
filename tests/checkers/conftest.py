"""Writes literal records with the real writers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from highwater.checkers.session import start_session, stop_session
from highwater.harness.record.files import write_parquet
from highwater.harness.record.reader import StoredRun, open_run
from highwater.harness.record.writer import RunRecord
from highwater.harness.tables import TABLES

Row = tuple[str, Mapping[str, Any]]  # the table, and what stands in it


def _write_run(path: Path, rows: Sequence[Row]) -> StoredRun:
    with RunRecord(path, {"scenario": "literal"}) as record:
        record.end({"complete": True, "reason": "", "seconds": 0.0})
    for table, schema in TABLES.items():
        of_table = [
            {"op": op, **row} if table == "history" else row
            for op, (name, row) in enumerate(rows)
            if name == table
        ]
        if of_table:
            part = path / table / "part-000000.parquet"
            write_parquet(part, pa.Table.from_pylist(of_table, schema=schema))
    return open_run(path)


@pytest.fixture(scope="session")
def write_run() -> Callable[[Path, Sequence[Row]], StoredRun]:
    return _write_run


@pytest.fixture(scope="session", autouse=True)
def spark() -> Iterator[None]:
    start_session()
    yield
    stop_session()
