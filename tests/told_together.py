"""Cells that were played several times, in directories of their own, told as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]
NAMED = ("scenario", "kafka", "control", "backend")  # what a cell is told apart by
COUNTED = ("trials", "reproduced", "clean", "inconclusive", "acked")
LISTED = ("seconds", "reasons")
TALLIED = ("anomalies", "not_promised", "rewritten")


def told_together(tables: Sequence[Sequence[Row]]) -> list[Row]:
    """Each cell once, with the trials of all tables; it is as expected where it was each time.

    Raises ValueError for a cell that one table has and another has not: of what was left out
    somewhere nobody would see that it was.
    """
    first, *others = ({tuple(row[key] for key in NAMED): row for row in rows} for rows in tables)
    for other in others:
        if odd := first.keys() ^ other.keys():
            raise ValueError(f"expected the same cells each time, saw some once: {sorted(odd)[:3]}")
        first = {name: _both(row, other[name]) for name, row in first.items()}
    return list(first.values())


def _both(one: Row, other: Row) -> Row:
    return {
        **one,
        **{key: one[key] + other[key] for key in (*COUNTED, *LISTED)},
        **{key: dict(Counter(one[key]) + Counter(other[key])) for key in TALLIED},
        "unexpected": sorted({*one["unexpected"], *other["unexpected"]}),
        "as_expected": one["as_expected"] and other["as_expected"],
    }
