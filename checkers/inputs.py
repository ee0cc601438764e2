"""Finds out what there is to judge, and keeps account of what cannot be read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from highwater.checkers.reading import SETTINGS, Piece
from highwater.harness.errors import RecordError
from highwater.harness.record.columns import check_columns
from highwater.harness.record.part_copies import refuse_copies
from highwater.harness.record.place import Place
from highwater.harness.record.reader import RunAt
from highwater.harness.tables import TABLES, fields_in

LARGEST_BROUGHT = (1 << 31) - (1 << 16)  # an array of Java's, with some room for its name


@dataclass(frozen=True)
class Input:
    """The row groups of a run's tables, and why a table cannot be read; an empty one has none."""

    pieces: Mapping[str, Sequence[Piece]]
    unreadable: Mapping[str, str]
    unrecorded: Mapping[str, str] = field(default_factory=dict)  # why there is no such table

    @property
    def rows(self) -> int:
        """Of all tables together."""
        return sum(piece.rows for pieces in self.pieces.values() for piece in pieces)


def look_at(run: RunAt[Any]) -> Input:
    """What a run's files hold, by their footers."""
    settings = json.dumps(dict(run.identity)).encode()
    pieces = {SETTINGS: [Piece(str(run.path / SETTINGS), (), 0, settings)]}
    unreadable: dict[str, str] = {}
    for table in TABLES:
        try:
            found = _pieces(run, table)
        except (RecordError, OSError) as error:
            unreadable[table] = str(error)
        except Exception as error:  # noqa: BLE001 - no file takes a verdict from another run
            unreadable[table] = f"{run.path / table} cannot be read: {error!r}"
        else:
            if found:
                pieces[table] = found
    unrecorded = run.identity.get("unrecorded")
    return Input(pieces, unreadable, unrecorded if isinstance(unrecorded, dict) else {})


def grouped(pieces: Sequence[Piece], rows: int) -> Iterator[list[Piece]]:
    """Consecutive pieces, put together as long as they have no more rows than that."""
    group: list[Piece] = []
    for piece in pieces:
        if group and sum(each.rows for each in group) + piece.rows > rows:
            yield group
            group = []
        group.append(piece)
    if group:
        yield group


def _pieces(run: RunAt[Any], table: str) -> list[Piece]:
    """From the footers, but for parts of equal size, whose bytes are compared.

    Raises RecordError for a part that is damaged, is there twice, lacks a column, or has one of
    another type.
    """
    parts = run.parts(table)
    refuse_copies(parts)
    fields = fields_in(table, run.schema)
    return [
        replace(piece, schema=run.schema) for part in parts for piece in _check_part(part, fields)
    ]


def _check_part(part: Place, schema: pa.Schema) -> list[Piece]:
    try:
        with part.open("rb") as file:
            footer = pq.read_metadata(file)
        found = footer.schema.to_arrow_schema()
    except (OSError, ValueError, pa.ArrowException) as error:
        raise RecordError(f"{part} cannot be read: {error}") from error
    check_columns(part, found, schema)
    groups = range(footer.num_row_groups)
    if not isinstance(part, Path):
        return _to_be_brought(part, groups, footer.num_rows)
    sizes = [(group, footer.row_group(group).num_rows) for group in groups]
    return [Piece(str(part), (group,), rows) for group, rows in sizes if rows]


def _to_be_brought(part: Place, groups: Iterable[int], rows: int) -> list[Piece]:
    size = part.stat().st_size
    if size > LARGEST_BROUGHT:
        raise RecordError(
            f"{part} has {size} bytes, and no task can be brought more than {LARGEST_BROUGHT} at "
            "once; write it as several parts"
        )
    return [Piece(str(part), tuple(groups), rows, content=b"")] if rows else []
