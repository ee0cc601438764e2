"""Finds out what there is to judge, and keeps account of what cannot be read."""

from __future__ import annotations

import filecmp
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from highwater.checkers.reading import Piece
from highwater.harness.errors import RecordError
from highwater.harness.record.reader import StoredRun
from highwater.harness.tables import TABLES


@dataclass(frozen=True)
class Input:
    """The row groups of a run's tables, and why a table cannot be read; an empty one has none."""

    pieces: Mapping[str, Sequence[Piece]]
    unreadable: Mapping[str, str]

    @property
    def rows(self) -> int:
        """Of all tables together."""
        return sum(piece.rows for pieces in self.pieces.values() for piece in pieces)


def look_at(run: StoredRun) -> Input:
    """What a run's files hold, by their footers."""
    pieces: dict[str, list[Piece]] = {}
    unreadable: dict[str, str] = {}
    for table in TABLES:
        try:
            found = _pieces(run, table)
        except RecordError as error:
            unreadable[table] = str(error)
        else:
            if found:
                pieces[table] = found
    return Input(pieces, unreadable)


def grouped(pieces: Sequence[Piece], rows: int) -> Iterator[list[Piece]]:
    """Consecutive pieces, put together until they have about so many rows."""
    group: list[Piece] = []
    for piece in pieces:
        group.append(piece)
        if sum(each.rows for each in group) >= rows:
            yield group
            group = []
    if group:
        yield group


def _pieces(run: StoredRun, table: str) -> list[Piece]:
    """From the footers, but for parts of equal size, whose bytes are compared.

    Raises RecordError for a part that is damaged, is there twice, lacks a column, or has one of
    another type.
    """
    parts = run.parts(table)
    _refuse_copies(parts)
    return [piece for part in parts for piece in _check_part(part, TABLES[table])]


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


def _check_part(part: Path, schema: pa.Schema) -> list[Piece]:
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
    groups = range(footer.num_row_groups)
    sizes = [(group, footer.row_group(group).num_rows) for group in groups]
    return [Piece(str(part), (group,), rows) for group, rows in sizes if rows]


def _check_type(part: Path, field: pa.Field, found: pa.DataType) -> None:
    if pa.types.is_dictionary(found):
        found = found.value_type
    if found != field.type and not pa.types.is_null(found):
        numbers = pa.types.is_integer(found) and pa.types.is_integer(field.type)
        texts = pa.types.is_large_string(found) and pa.types.is_string(field.type)
        if not numbers and not texts:
            raise RecordError(f"{part}: expected {field.name} to be {field.type}, saw {found}")
