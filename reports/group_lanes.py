"""Groups beside the rates: how far each lagged behind, and when partitions of it had no owner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

import pyarrow.compute as pc

from highwater.reports.axis import LEFT, RIGHT, TimeAxis
from highwater.reports.contents import RunContents
from highwater.reports.lanes import Bar, Lane
from highwater.reports.wording import counted, seconds, shortened

MOST_GROUPS = 3  # of a topic
LONGEST_NAME = 14  # as many characters as stand left of a lane
SECOND_NS = 10**9

Row = Mapping[str, Any]


def groups_of(contents: RunContents, topic: str) -> list[str]:
    """Those that were to read it, the first ones by name."""
    lagging = {row["group"] for row in _lags(contents, topic)}
    assigned = {
        group for group, of_it in contents.rows("assignments", "group", "topic") if of_it == topic
    }
    return sorted(lagging | assigned)[:MOST_GROUPS]


def lag_by_second(contents: RunContents, topic: str, group: str, axis: TimeAxis) -> dict[int, int]:
    """The largest of each second; one in which nothing changed is as the one before had ended."""
    rows = [
        row for row in _lags(contents, topic)
        if row["group"] == group and row["second"] is not None and row["lag_records"] is not None
    ]  # fmt: skip
    first, end = axis.moments[0] // SECOND_NS, axis.moments[-1] // SECOND_NS + 1
    found: dict[int, int] = {}
    for row, after in zip_longest(rows, rows[1:]):
        second, last = row["second"], row["last_records"]
        if first <= second < end:
            found[second] = row["lag_records"]
        if last is not None and after is not None:
            still = range(max(second + 1, first), min(after["second"], end))
            found.update(dict.fromkeys(still, int(last)))
    return found


def rebalance_lanes(
    contents: RunContents, topic: str, groups: Sequence[str], axis: TimeAxis
) -> list[Lane]:
    """A lane for each of these groups in which partitions had no owner."""
    rows = contents.rebalances.to_pylist()
    lanes = [
        Lane(
            shortened_name(group, topic),
            [bar for row in rows if row["group"] == group for bar in _bars(row, axis)],
        )
        for group in groups
    ]
    return [lane for lane in lanes if lane.bars]


def shortened_name(group: str, topic: str) -> str:
    """Of a long name the end: groups of one play begin alike, with the name of a topic."""
    group = group.removeprefix(f"{topic}-") or group
    return group if len(group) <= LONGEST_NAME else f"…{group[1 - LONGEST_NAME :]}"


def _lags(contents: RunContents, topic: str) -> list[Row]:
    """Of all partitions together."""
    chosen = pc.field("partition").is_null() & (pc.field("topic") == topic)
    found: list[Row] = contents.lags.filter(chosen).to_pylist()
    return found


def _bars(row: Row, axis: TimeAxis) -> list[Bar]:
    x = axis.x(row["from_ns"])
    end = float(RIGHT) if row["until_ns"] is None else axis.x(row["until_ns"])
    if x >= RIGHT or end <= LEFT:
        return []
    width = max(2.0, round(end - x, 1))
    return [Bar(x, width, "rebalance", _lasted(row), _said(row))]


def _lasted(row: Row) -> str:
    if row["rebalance_ms"] is None:
        return "to the end"
    ms = row["rebalance_ms"]
    return f"{ms / 1e3:,.1f} s" if ms >= 1e3 else f"{ms:,.0f} ms"


def _said(row: Row) -> str:
    lasted = _lasted(row)
    told = [
        f"{counted(row['partitions'], 'partition')} without an owner "
        + (lasted if row["rebalance_ms"] is None else f"for {lasted}"),
        *([] if row["members"] is None else [f"then {counted(row['members'], 'member')}"]),
        *([] if row["generation"] is None else [f"generation {row['generation']}"]),
    ]
    whose = f"{shortened(row['client'], 80)} {row['how']}"
    return f"{seconds(row['from_ns'])} s: {whose}: {', '.join(told)}"
