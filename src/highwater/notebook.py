"""Histories as pandas frames, judged like recorded runs: for notebooks, and for other tools."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from highwater.checkers.judge import judge
from highwater.harness.errors import RecordError, UsageError
from highwater.harness.model import SCHEMA_VERSION
from highwater.harness.record.columns import conformed
from highwater.harness.record.files import write_json, write_parquet
from highwater.harness.record.reader import open_run
from highwater.harness.tables import TABLES


def judge_frames(
    frames: Mapping[str, pd.DataFrame],
    claims: Sequence[str] | None = None,
    identity: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """What the checkers say of these tables, a row for each claim; `identity` is run.json's.

    Raises UsageError for a table or claim that does not exist, and, naming it, for a column that is
    missing, of another type, null where it may not be, or has a word that docs/ledger.md does not.
    """
    unknown = sorted(set(frames) - set(TABLES))
    if unknown:
        raise UsageError(f"no table {', '.join(unknown)}; there are {', '.join(TABLES)}")
    with tempfile.TemporaryDirectory(prefix="highwater-frames-") as folder:
        path = Path(folder) / "run"
        path.mkdir()
        write_json(path / "run.json", _identity(identity))
        for name, frame in frames.items():
            if len(frame):
                write_parquet(path / name / "part-000000.parquet", _table(name, frame))
        run = open_run(path)
        verdicts = judge([run], claims)[path]
    rows = [
        {
            "claim": one.claim,
            "answer": one.answer.value,
            "considered": one.considered,
            "anomalies": one.anomalies,
            "reason": one.reason,
            "witnesses": pd.DataFrame(list(one.witnesses)),
        }
        for one in verdicts
    ]
    return pd.DataFrame(rows).set_index("claim")


def _identity(told: Mapping[str, Any] | None) -> dict[str, Any]:
    if not isinstance(told, Mapping | None):
        raise UsageError(f"run: expected fields of run.json by their names, saw {told!r}")
    try:
        said = json.loads(json.dumps(dict(told or {})))
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"run: expected what JSON can say: {error}") from error
    return {"scenario": "frames", **said, "schema": SCHEMA_VERSION}


def _table(name: str, frame: pd.DataFrame) -> pa.Table:
    if name == "history" and "op" not in frame:
        frame = frame.assign(op=np.arange(len(frame)))
    columns = [_column(name, frame, field) for field in TABLES[name]]
    table = pa.Table.from_arrays(columns, names=TABLES[name].names)
    try:
        return conformed(name, table, TABLES[name]).cast(TABLES[name])
    except RecordError as error:
        raise UsageError(f"{error}; see docs/ledger.md") from error


def _column(table: str, frame: pd.DataFrame, field: pa.Field) -> pa.Array:
    if field.name not in frame:
        if field.nullable:
            return pa.nulls(len(frame), field.type)
        raise UsageError(f"{table} has no column {field.name}; see docs/ledger.md")
    values = frame[field.name]
    try:
        if pd.api.types.is_datetime64_any_dtype(values):
            times = pa.Array.from_pandas(values)
            column = times.cast(pa.timestamp("ns", times.type.tz)).cast(pa.int64())
        else:
            column = pa.Array.from_pandas(values, type=field.type)
    except (pa.ArrowException, OverflowError, TypeError, ValueError) as error:
        raise UsageError(f"{table}, column {field.name}: expected {field.type}: {error}") from error
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
