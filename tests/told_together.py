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

    A table has the cells of another one, or none that another one has: what was written later is
    played alone. Raises ValueError for one that has some of them: of what was left out somewhere
    nobody would see that it was.
    """
    told: list[dict[tuple[Any, ...], Row]] = []
    for rows in tables:
        mine = {tuple(row[key] for key in NAMED): row for row in rows}
        same = next((each for each in told if each.keys() & mine.keys()), {})
        if not mine or (same and mine.keys() != same.keys()):
            odd = sorted(mine.keys() ^ same.keys(), key=str)
            raise ValueError(f"expected the same cells each time, saw some once: {odd[:3]}")
        if same:
            same.update({name: _both(row, mine[name]) for name, row in same.items()})
        else:
            told.append(mine)
    return [row for each in told for row in each.values()]


def _both(one: Row, other: Row) -> Row:
    return {
        **one,
        **{key: one[key] + other[key] for key in (*COUNTED, *LISTED)},
        **{key: dict(Counter(one[key]) + Counter(other[key])) for key in TALLIED},
        "unexpected": sorted({*one["unexpected"], *other["unexpected"]}),
        "as_expected": one["as_expected"] and other["as_expected"],
    }
