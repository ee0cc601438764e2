"""Reads pieces of a record's files, a bounded number of rows at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from highwater.checkers.rows import Rows, from_arrow, with_padded_names
from highwater.harness.errors import RecordError
from highwater.harness.tables import TABLES

AT_ONCE_ROWS = 1 << 19


@dataclass(frozen=True, slots=True)
class Piece:
    """Some row groups of a Parquet file; of one that is not on this machine's disk, all of them.

    Such a file comes to its task as `content`, which is empty until then; see `delivery`.
    """

    path: str
    row_groups: tuple[int, ...]
    rows: int
    content: bytes | None = None


Pieces = Mapping[str, Sequence[Piece]]  # by table, and run.json as SETTINGS
SETTINGS = "run.json"


def settings_of(pieces: Pieces) -> Mapping[str, Any]:
    """What run.json says, if it is among the pieces."""
    for piece in pieces.get(SETTINGS, ()):
        content = json.loads(piece.content or b"{}")
        return content if isinstance(content, dict) else {}
    return {}


def read_rows(
    table: str, pieces: Sequence[Piece], columns: Sequence[str] | None = None
) -> Iterator[Rows]:
    """The rows of these pieces; raises RecordError for a piece that is damaged."""
    for whole in read_tables(table, pieces, columns):
        rows = from_arrow(whole)
        yield with_padded_names(rows, "segment") if "segment" in rows.words else rows


def read_tables(
    table: str, pieces: Sequence[Piece], columns: Sequence[str] | None = None
) -> Iterator[pa.Table]:
    """The same as Arrow tables of the types that the ledger names, texts as dictionaries."""
    schema = TABLES[table]
    fields = [field for field in schema if columns is None or field.name in columns]
    collected: list[pa.Table] = []
    for piece in pieces:
        for batch in _batches(piece, [field.name for field in fields]):
            collected.append(_cast(batch, fields))
            if sum(map(len, collected)) >= AT_ONCE_ROWS:
                yield pa.concat_tables(collected)
                collected = []
    if collected:
        yield pa.concat_tables(collected)


def _batches(piece: Piece, columns: Sequence[str]) -> Iterator[pa.Table]:
    texts = [name for name in columns if name in _TEXTS]
    try:
        source = piece.path if piece.content is None else pa.BufferReader(piece.content)
        with pq.ParquetFile(source, read_dictionary=texts) as part:
            for batch in part.iter_batches(
                AT_ONCE_ROWS, piece.row_groups, columns=columns, use_threads=False
            ):
                yield pa.Table.from_batches([batch]).select(columns)
    except (OSError, KeyError, ValueError, pa.ArrowException) as error:
        raise RecordError(f"{piece.path} cannot be read: {error}") from error


def _cast(batch: pa.Table, fields: Sequence[pa.Field]) -> pa.Table:
    columns = [
        column.cast(pa.dictionary(pa.int32(), pa.string())) if field.name in _TEXTS
        else column.cast(field.type)
        for field, column in zip(fields, batch.columns, strict=True)
    ]  # fmt: skip
    return pa.table(columns, names=[field.name for field in fields])


_TEXTS = {field.name for schema in TABLES.values() for field in schema if field.type == pa.string()}
