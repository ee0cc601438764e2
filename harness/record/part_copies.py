"""Parts of a table that are there twice: every row in a copy would count twice."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from highwater.harness.errors import RecordError
from highwater.harness.record.place import Place

COMPARED_BYTES = 1 << 16


def refuse_copies(parts: Sequence[Place]) -> None:
    """Compares those of equal size; raises RecordError, for nobody could say which is too many."""
    sizes: dict[int, list[Place]] = {}
    for part in parts:
        try:
            size = part.stat().st_size
        except OSError as error:
            raise RecordError(f"{part} cannot be read: {error}") from error
        others = sizes.setdefault(size, [])
        for other in others:
            if _are_the_same(part, other) and not _is_open(part):
                raise RecordError(f"{part} has the same content as {other.name}")
        others.append(part)


def _are_the_same(part: Place, other: Place) -> bool:
    with part.open("rb") as one, other.open("rb") as another:
        while (content := one.read(COMPARED_BYTES)) == another.read(COMPARED_BYTES):
            if not content:
                return True
    return False


def _is_open(part: Place) -> bool:
    """Whether it tells of nothing but sends under way, as every second does until they end."""
    try:
        with part.open("rb") as file:
            outcomes = pq.ParquetFile(file).read(columns=["outcome"])["outcome"].to_pylist()
    except (KeyError, OSError, ValueError, pa.ArrowException):
        return False
    return set(outcomes) == {"invoked"}
