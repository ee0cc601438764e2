"""Reads pieces of a record's files, a bounded number of rows at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from highwater.checkers.rows import Rows, from_arrow
from highwater.checkers.segments import with_padded_names
from highwater.harness.errors import RecordError
from highwater.harness.model import SCHEMA_VERSION
from highwater.harness.record.columns import check_rows, conformed
from highwater.harness.tables import MAY_LACK, TABLES, fields_in

AT_ONCE_ROWS = 1 << 19
TEXT = pa.dictionary(pa.int32(), pa.string())


@dataclass(frozen=True, slots=True)
class Piece:
    """Some row groups of a Parquet file; of one that is not on this machine's disk, all of them.

    Such a file comes to its task as `content`, which is empty until then; see `delivery`.
    """

    path: str
    row_groups: tuple[int, ...]
    rows: int
    content: bytes | None = None
    schema: int = SCHEMA_VERSION  # of its record


Pieces = Mapping[str, Sequence[Piece]]  # by table, and run.json as SETTINGS
SETTINGS = "run.json"


def settings_of(pieces: Pieces) -> Mapping[str, Any]:
    """What run.json says, if it is among the pieces."""
    for piece in pieces.get(SETTINGS, ()):
        content = json.loads(piece.content or b"{}")
        return content if isinstance(content, dict) else {}
    return {}


class PieceError(RecordError):
    """A piece that cannot be judged; the first of a table's is told, whoever met another before."""

    def __init__(self, piece: Piece, why: str) -> None:
        super().__init__(why)
        self.at = (piece.path, piece.row_groups)


def read_rows(
    table: str, pieces: Sequence[Piece], columns: Sequence[str] | None = None
) -> Iterator[Rows]:
    """The rows of these pieces; raises PieceError for a piece that is damaged."""
    for whole in read_tables(table, pieces, columns):
        rows = from_arrow(whole)
        yield with_padded_names(rows, "segment") if "segment" in rows.words else rows


def read_tables(
    table: str, pieces: Sequence[Piece], columns: Sequence[str] | None = None
) -> Iterator[pa.Table]:
    """The same as Arrow tables of the types that the ledger names, texts as dictionaries."""
    schema = TABLES[table]
    fields = [_coded(field) for field in schema if columns is None or field.name in columns]
    collected: list[pa.Table] = []
    for piece in pieces:
        for batch in _batches(piece, fields, fields_in(table, piece.schema).names):
            collected.append(batch)
            if sum(map(len, collected)) >= AT_ONCE_ROWS:
                yield pa.concat_tables(collected)
                collected = []
    if collected:
        yield pa.concat_tables(collected)


def read_whole(table: str, pieces: Sequence[Piece]) -> Iterator[pa.Table]:
    """All rows of a small table at once, if it has any; raises RecordError as the others do."""
    read = list(read_tables(table, pieces))
    if read:
        whole = pa.concat_tables(read)
        check_rows(pieces[0].path.rpartition("/")[0], table, whole)
        yield whole


def _batches(piece: Piece, fields: Sequence[pa.Field], told: Sequence[str]) -> Iterator[pa.Table]:
    names = [field.name for field in fields if field.name in told]
    texts = [field.name for field in fields if field.type == TEXT and field.name not in MAY_LACK]
    try:
        source = piece.path if piece.content is None else pa.BufferReader(piece.content)
        with pq.ParquetFile(source, read_dictionary=texts) as part:
            names = [name for name in names if name in part.schema_arrow.names]
            for group in piece.row_groups:
                for batch in part.iter_batches(
                    AT_ONCE_ROWS, [group], columns=names, use_threads=False
                ):
                    yield conformed(piece.path, pa.Table.from_batches([batch]), fields)
    except RecordError as error:
        raise PieceError(piece, str(error)) from error
    except (OSError, KeyError, ValueError, pa.ArrowException) as error:
        raise PieceError(piece, f"{piece.path} cannot be read: {error}") from error


def _coded(field: pa.Field) -> pa.Field:
    return field.with_type(TEXT) if field.type == pa.string() else field
