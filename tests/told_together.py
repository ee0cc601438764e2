"""Cells that were played several times, in directories of their own, told as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]
NAMED = ("scenario", "kafka", "control", "backend")  # what a cell is told apart by
COUNTED = ("trials", "reproduced", "clean", "inconclusive", "acked")
LISTED = ("seconds", "reasons")
TALLIED = ("anomalies", "rewritten")
ASKED = ("expected", "claims")  # what a scenario of one version asks of a cell


def told_together(
    tables: Sequence[Sequence[Row]], ends: Collection[tuple[object, ...]] = ()
) -> list[Row]:
    """Each cell once, with the trials of all tables; it is as expected where it was each time.

    `ends`: scenario, kafka and control of cells that a table may have or not. Raises ValueError for
    another that one table has and another has not, as of what was left out somewhere nobody would
    see that it was; and for one that was asked different things.
    """
    first, *others = ({tuple(row[key] for key in NAMED): row for row in rows} for rows in tables)
    for other in others:
        if odd := [each for each in first.keys() ^ other.keys() if each[:-1] not in ends]:
            raise ValueError(f"expected the same cells each time, saw some once: {sorted(odd)[:3]}")
        both = {name: _both(row, other[name]) for name, row in first.items() if name in other}
        first = {**first, **other, **both}
    return list(first.values())


def _both(one: Row, other: Row) -> Row:
    for key in ASKED:
        if one.get(key) != other.get(key):
            name = " ".join(str(one[each]) for each in NAMED if one[each] is not None)
            saw = f"{one.get(key)} and {other.get(key)}"
            raise ValueError(f"expected the same {key} of {name} each time, saw {saw}")
    return {
        **one,
        **{key: one[key] + other[key] for key in (*COUNTED, *LISTED)},
        **{key: dict(Counter(one[key]) + Counter(other[key])) for key in TALLIED},
        "not_promised": {**one["not_promised"], **other["not_promised"]},
        "explained": one.get("explained") or other.get("explained", ""),
        "unexpected": sorted({*one["unexpected"], *other["unexpected"]}),
        "as_expected": one["as_expected"] and other["as_expected"],
    }
