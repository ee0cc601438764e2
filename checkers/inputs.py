"""Brings the tables of many runs into Spark at once, and keeps account of what cannot be read.

Small records are read by Arrow into one cached partition: every later query then runs without an
exchange, which is what makes twenty small runs as quick as one. Large ones Spark scans itself.
"""

from __future__ import annotations

import filecmp
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import lit
from pyspark.sql.pandas.types import from_arrow_schema

from highwater.harness.errors import RecordError
from highwater.harness.record.reader import StoredRun
from highwater.harness.tables import TABLES

SMALL_ROWS = 300_000  # of all tables together; above, Spark's parallel plans pay for themselves

_SMALL = {
    "spark.sql.adaptive.enabled": "false",  # without an exchange there is nothing to adapt
    "spark.sql.autoBroadcastJoinThreshold": "-1",  # dearer than a join in place
    "spark.sql.codegen.wholeStage": "false",  # compiling costs more than it saves
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "2",
}
_LARGE = {
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.autoBroadcastJoinThreshold": "10MB",
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
    "spark.sql.shuffle.partitions": "16",  # adaptive execution puts small ones together
}


@dataclass(frozen=True)
class Inputs:
    """The tables' frames, and what is wrong or missing: (index of the run, table) -> why."""

    tables: Mapping[str, DataFrame]
    unreadable: Mapping[tuple[int, str], str]
    empty: frozenset[tuple[int, str]]


@contextmanager
def loaded(spark: SparkSession, runs: Sequence[StoredRun]) -> Iterator[Inputs]:
    """All tables of all runs; one that cannot be read is left out for its run, with a reason."""
    rows: dict[tuple[int, str], int] = {}
    unreadable: dict[tuple[int, str], str] = {}
    for index, run in enumerate(runs):
        for table in TABLES:
            try:
                rows[index, table] = _count_rows(run, table)
            except RecordError as error:
                unreadable[index, table] = str(error)
    small = sum(rows.values()) <= SMALL_ROWS
    for setting, value in (_SMALL if small else _LARGE).items():
        spark.conf.set(setting, value)
    load = _load_small if small else _load_large
    frames: dict[str, DataFrame] = {}
    for table in TABLES:
        readable = {i: runs[i] for i in range(len(runs)) if rows.get((i, table))}
        frames[table] = load(spark, table, readable, unreadable)
    empty = frozenset(place for place, count in rows.items() if not count)
    try:
        yield Inputs(frames, unreadable, empty)
    finally:
        for frame in frames.values():
            frame.unpersist()


def _count_rows(run: StoredRun, table: str) -> int:
    """From the footers, but for parts of equal size, whose bytes are compared.

    Raises RecordError for a part that is damaged, is there twice, lacks a column, or has one of
    another type.
    """
    parts = run.parts(table)
    _refuse_copies(parts)
    return sum(_check_part(part, TABLES[table]) for part in parts)


def _refuse_copies(parts: Sequence[Path]) -> None:
    """Every record in a copy would count twice, and nobody could say which file is one too many."""
    sizes: dict[int, list[Path]] = {}
    for part in parts:
        others = sizes.setdefault(part.stat().st_size, [])
        for other in others:
            if filecmp.cmp(part, other, shallow=False) and not _is_open(part):
                raise RecordError(f"{part} has the same content as {other.name}")
        others.append(part)


def _is_open(part: Path) -> bool:
    """Whether it tells of nothing but sends under way, as every second does until they end."""
    try:
        outcomes = pq.ParquetFile(part).read(columns=["outcome"])["outcome"].to_pylist()
    except (KeyError, OSError, pa.ArrowException):
        return False
    return set(outcomes) == {"invoked"}


def _check_part(part: Path, schema: pa.Schema) -> int:
    try:
        footer = pq.read_metadata(part)
        found = footer.schema.to_arrow_schema()
    except (OSError, pa.ArrowException) as error:
        raise RecordError(f"{part} cannot be read: {error}") from error
    missing = [name for name in schema.names if name not in found.names]
    if missing:
        raise RecordError(f"{part} has no column {', '.join(missing)}")
    for field in schema:
        _check_type(part, field, found.field(field.name).type)
    return int(footer.num_rows)


def _check_type(part: Path, field: pa.Field, found: pa.DataType) -> None:
    if pa.types.is_dictionary(found):
        found = found.value_type
    if found != field.type and not pa.types.is_null(found):
        numbers = pa.types.is_integer(found) and pa.types.is_integer(field.type)
        texts = pa.types.is_large_string(found) and pa.types.is_string(field.type)
        if not numbers and not texts:
            raise RecordError(f"{part}: expected {field.name} to be {field.type}, saw {found}")


def _load_small(
    spark: SparkSession,
    table: str,
    runs: Mapping[int, StoredRun],
    unreadable: dict[tuple[int, str], str],
) -> DataFrame:
    run_column = pa.field("run", pa.int32(), nullable=False)
    parts = [pa.schema([run_column, *TABLES[table]]).empty_table()]
    for index, run in runs.items():
        try:
            rows = run.table(table)
        except RecordError as error:
            unreadable[index, table] = str(error)
        else:
            parts.append(
                rows.add_column(0, run_column, [pa.array([index] * len(rows), pa.int32())])
            )
    return spark.createDataFrame(pa.concat_tables(parts)).coalesce(1).cache()


def _load_large(
    spark: SparkSession,
    table: str,
    runs: Mapping[int, StoredRun],
    unreadable: dict[tuple[int, str], str],  # noqa: ARG001 - what Spark cannot read it says later
) -> DataFrame:
    schema = from_arrow_schema(TABLES[table])
    scans = [
        spark.read.schema(schema).parquet(*map(str, run.parts(table))).withColumn("run", lit(i))
        for i, run in runs.items()
    ]
    nothing = spark.createDataFrame(TABLES[table].empty_table()).withColumn("run", lit(-1))
    return reduce(DataFrame.unionByName, scans, nothing)
