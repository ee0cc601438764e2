"""Rows of a record, and how they belong together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

Row = Mapping[str, Any]
Place = tuple[str, int]  # topic and partition


def place(row: Row) -> Place:
    return row["topic"], row["partition"]


def ran_backwards(row: Row) -> bool:
    """Whether it ended before it began: what came before what is then anybody's guess."""
    return row["completed_ns"] is not None and row["completed_ns"] < row["invoked_ns"]


def lies(row: Row) -> tuple[object, ...]:
    """Where a record lies in its log: segments are named after their first offsets."""
    epoch = -2 if row["leader_epoch"] is None else row["leader_epoch"]
    return segment_of(row), row["position"], row["offset"], epoch


def segment_of(row: Row) -> str:
    stem, dot, rest = row["segment"].partition(".")
    return f"{int(stem):020d}{dot}{rest}" if stem.isdecimal() else str(row["segment"])


def batches(log: Iterable[Row]) -> list[list[Row]]:
    """Neighbours of one position and one leader epoch."""
    found: list[list[Row]] = []
    for row in sorted(log, key=lies):
        last = found[-1][-1] if found else None
        if last is not None and _batch(last) == _batch(row):
            found[-1].append(row)
        else:
            found.append([row])
    return found


def _batch(row: Row) -> tuple[object, ...]:
    return segment_of(row), row["position"], row["leader_epoch"]


def identity_of(row: Row) -> tuple[Place, int]:
    return place(row), row["value"]


def values_of(rows: Iterable[Row]) -> set[tuple[Place, int]]:
    """The values of these, where they have one."""
    return {identity_of(row) for row in rows if row["value"] is not None}


def as_told_last(sends: Iterable[Row]) -> list[Row]:
    """Without rows of open sends that ended later, or were told before."""
    rows = list(sends)
    told = {_operation(row) for row in rows if row["outcome"] != "invoked"}
    found = []
    for row in rows:
        if row["outcome"] != "invoked":
            found.append(row)
        elif _operation(row) not in told:
            told.add(_operation(row))
            found.append(row)
    return found


def _operation(row: Row) -> tuple[Any, ...]:
    return row["op"], row["client"], place(row), row["value"], row["invoked_ns"]


def grouped(rows: Iterable[Row], key: Callable[[Row], Hashable]) -> dict[Any, list[Row]]:
    """Rows by what `key` says of them."""
    groups: dict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups


def offset_of(row: Row) -> int:
    """-1, which is none, where nobody told it."""
    return -1 if row["offset"] is None else int(row["offset"])
