"""What the ledger asks of a table's columns, so that nothing else is ever judged or drawn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

import pyarrow as pa
import pyarrow.compute as pc

from highwater.harness.errors import RecordError
from highwater.harness.forms import FORMS
from highwater.harness.tables import IDENTITIES, LARGEST, MAY_LACK, RECKONED, UNUSABLE


def check_columns(part: object, found: pa.Schema, wanted: pa.Schema) -> None:
    """By the types alone; raises RecordError for a column that is missing, there twice, or other.

    Whole numbers of another width and texts in a dictionary will do, and so does a column that has
    nothing but nulls.
    """
    missing = [name for name in wanted.names if name not in {*found.names, *MAY_LACK}]
    if missing:
        raise RecordError(f"{part} has no column {', '.join(missing)}")
    for field in wanted:
        if field.name not in found.names:
            continue
        places = found.get_all_field_indices(field.name)
        if len(places) > 1:
            raise RecordError(f"{part} has {len(places)} columns {field.name}")
        _check_type(part, field, found.field(places[0]).type)


def conformed(part: object, read: pa.Table, fields: Sequence[pa.Field]) -> pa.Table:
    """These columns of what was read of a part, of the fields' types.

    Raises RecordError for what the ledger does not allow, and names the part and the column.
    """
    columns = [
        _conformed(part, field, read[field.name])
        if field.name in read.column_names
        else pa.chunked_array([pa.nulls(len(read), field.type)])
        for field in fields
    ]
    return pa.Table.from_arrays(columns, names=[field.name for field in fields])


def check_rows(path: object, name: str, table: pa.Table) -> None:
    """By all of a table: a client has one row. Raises RecordError where two of it differ.

    Equal rows may repeat, for nothing hangs on which of them is read; and one may tell when the
    client ended of which another one, written when it began, could not.
    """
    if name != "clients":
        return
    rows = sorted(table.to_pylist(), key=lambda row: str(row["client"]))
    for client, same in groupby(rows, key=lambda row: str(row["client"])):
        mine = list(same)
        told = {name: {row[name] for row in mine} for name in table.column_names}
        told["ended_ns"].discard(None)
        differing = [name for name, values in told.items() if len(values) > 1]
        if differing:
            raise RecordError(
                f"{path}: expected one row for each client, saw several of {client!r} that differ "
                f"in {', '.join(differing)}"
            )


def _check_type(part: object, field: pa.Field, found: pa.DataType) -> None:
    if pa.types.is_dictionary(found):
        found = found.value_type
    if found != field.type and not pa.types.is_null(found):
        numbers = pa.types.is_integer(found) and pa.types.is_integer(field.type)
        texts = pa.types.is_large_string(found) or pa.types.is_string_view(found)
        if not numbers and not (texts and pa.types.is_string(field.type)):
            raise RecordError(f"{part}: expected {field.name} to be {field.type}, saw {found}")


def _conformed(part: object, field: pa.Field, column: pa.ChunkedArray) -> pa.ChunkedArray:
    try:
        column = column.cast(field.type)
        for chunk in column.chunks:
            _words_of(chunk).validate(full=pa.types.is_string(_words_of(chunk).type))
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise RecordError(f"{part}: {field.name}: {error}") from error
    if column.null_count and not field.nullable:
        nulls = "1 null" if column.null_count == 1 else f"{column.null_count} nulls"
        raise RecordError(f"{part}: {nulls} in {field.name}, which may not be null")
    if field.name in FORMS:
        _check_words(part, field.name, column)
    if field.name in RECKONED:
        _check_size(part, field.name, column)
    if field.name in IDENTITIES:
        _check_identities(part, field.name, column)
    return column


def _check_words(part: object, name: str, column: pa.ChunkedArray) -> None:
    form = FORMS[name]
    words = {word for chunk in column.chunks for word in _words_of(chunk).unique().to_pylist()}
    foreign = {word for word in words if word is not None and not re.fullmatch(form.pattern, word)}
    if not foreign:
        return
    texts = column.cast(pa.string())
    is_foreign = pc.is_in(texts, value_set=pa.array(sorted(foreign), pa.string()))
    count = pc.sum(is_foreign).as_py()
    if count:  # a dictionary may have words that stand in no row
        first = texts[pc.index(is_foreign, value=True).as_py()].as_py()
        rows = "1 row" if count == 1 else f"{count} rows"
        raise RecordError(
            f"{part}: expected {name} to be {form.description}, saw {first!r} in {rows}"
        )


def _check_size(part: object, name: str, column: pa.ChunkedArray) -> None:
    ends = pc.min_max(column).as_py()
    for number in ends.values():
        if number is not None and abs(number) > LARGEST:
            raise RecordError(f"{part}: expected {name} within {LARGEST} of zero, saw {number}")


def _check_identities(part: object, name: str, column: pa.ChunkedArray) -> None:
    least = pc.min(column).as_py()
    if least is not None and least < UNUSABLE.stop:
        unusable = pc.is_in(column, value_set=pa.array(UNUSABLE, column.type))
        if pc.any(unusable).as_py():
            told = f"{UNUSABLE.start} to {UNUSABLE.stop - 1}, which cannot be judged"
            raise RecordError(f"{part}: a number in {name} is one of {told}")


def _words_of(chunk: pa.Array) -> pa.Array:
    return chunk.dictionary if isinstance(chunk, pa.DictionaryArray) else chunk
