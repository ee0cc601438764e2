"""What clients and groups achieved, second by second: rates, latencies, lags and rebalances on a
linear axis, beside faults.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import pyarrow.compute as pc

from highwater.harness.tables import FINAL_READER
from highwater.reports.axis import LEFT, RIGHT, Tick, TimeAxis
from highwater.reports.contents import RunContents
from highwater.reports.group_lanes import (
    groups_of,
    lag_by_second,
    rebalance_lanes,
    shortened_name,
)
from highwater.reports.lanes import CHARACTER, LANE_GAP, Bar, Lane, stacked
from highwater.reports.samples import Period, changes, leader_periods
from highwater.reports.timeline import fault_lane
from highwater.reports.wording import seconds

SHORTEST_S = 5  # a play that took less has no rates worth drawing
LONGEST_S = 3_600
MOST_TOPICS = 4
MOST_PARTITIONS = 12  # of which it is told who led
MOST_ROWS = 50  # of a table
PANEL_HEIGHT, PANEL_GAP, TOP = 84, 26, 26
SECOND_NS = 10**9

Row = Mapping[str, Any]
BySecond = Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Line:
    """Steps from second to second; a second in which nothing ended is at 0, or not there."""

    kind: str  # its CSS class
    words: str
    path: str


@dataclass(frozen=True, slots=True)
class RatePanel:
    title: tuple[str, str]  # two lines
    y: float
    most: str  # the number at its upper edge
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class Rates:
    """Of one topic: all clients together, for of latencies the slowest counts."""

    topic: str
    panels: Sequence[RatePanel]
    faults: Sequence[Bar]
    leaders: Sequence[Lane]  # of partitions that were moved
    lanes: Sequence[Lane]  # of groups of which partitions had no owner
    ticks: Sequence[Tick]
    height: float


@dataclass(frozen=True, slots=True)
class Achieved:
    """What the page says of all clients: a row for each, and charts of longer plays."""

    rows: Sequence[Row]
    recoveries: Sequence[Row]  # of each fault and topic the worst
    recoveries_left_out: int
    rebalances: Sequence[Row]
    rebalances_left_out: int
    lags: Sequence[Row]  # of each group and topic
    charts: Sequence[Rates]
    topics_left_out: int
    is_long: bool  # too long to be drawn second by second


def achieved(contents: RunContents) -> Achieved:
    rows = [row for row in contents.measures.to_pylist() if row["partition"] is None]
    whole = [row for row in rows if row["second"] is None]
    topics = list(dict.fromkeys(row["topic"] for row in whole))
    from_ns = min((row["from_ns"] or 0 for row in whole), default=0) // SECOND_NS * SECOND_NS
    until_ns = max((row["until_ns"] or 0 for row in whole), default=0)
    lasted_s = (until_ns - from_ns) / SECOND_NS
    drawn = topics[:MOST_TOPICS] if SHORTEST_S <= lasted_s <= LONGEST_S else []
    axis = TimeAxis([from_ns, max(until_ns, from_ns + 1)], [float(LEFT), float(RIGHT)])
    last = {client for client, name in contents.rows("clients", "client", "client_id")
            if name == FINAL_READER}  # fmt: skip
    living = [row for row in rows if row["client"] not in last]
    charts = [
        _chart(contents, topic, [row for row in living if row["topic"] == topic], axis)
        for topic in drawn
    ]
    left_out = len(topics) - len(drawn) if drawn else 0
    recovered = [row for row in contents.recoveries.to_pylist() if row["partition"] is None]
    rebalances = contents.rebalances.to_pylist()
    of_all = pc.field("partition").is_null() & pc.field("second").is_null()
    return Achieved(
        whole,
        recovered[:MOST_ROWS],
        max(0, len(recovered) - MOST_ROWS),
        rebalances[:MOST_ROWS],
        max(0, len(rebalances) - MOST_ROWS),
        contents.lags.filter(of_all).to_pylist(),
        charts,
        left_out,
        is_long=lasted_s > LONGEST_S,
    )


def _chart(contents: RunContents, topic: str, rows: Sequence[Row], axis: TimeAxis) -> Rates:
    timed = [row for row in rows if row["second"] is not None]
    span = range(axis.moments[0] // SECOND_NS, axis.moments[-1] // SECOND_NS + 1)
    counts = [
        ("leo", "acknowledged", _together(timed, "acked", sum)),
        ("hw", "handed out", _together(timed, "handed", sum)),
    ]
    latencies = [
        ("leo", "p99", _together(timed, "ack_p99_ms", max)),
        ("hw", "longest", _together(timed, "ack_max_ms", max)),
    ]
    panels = [
        _panel(("records", "a second"), 0, counts, axis, span),
        _panel(("acknowledged", "in ms"), 1, latencies, axis, ()),
    ]
    groups = groups_of(contents, topic)
    for group in groups:
        lags = lag_by_second(contents, topic, group, axis)
        if lags:
            title, lines = ("lag, records", shortened_name(group, topic)), [("leo", "lag", lags)]
            panels.append(_panel(title, len(panels), lines, axis, ()))
    bottom: float = TOP + len(panels) * (PANEL_HEIGHT + PANEL_GAP)
    leaders = stacked(_leader_lanes(contents, topic, axis), bottom - 8)
    below = max([bottom - 8, *(lane.y + lane.height + LANE_GAP for lane in leaders)])
    lanes = stacked(rebalance_lanes(contents, topic, groups, axis), below)
    height = max([bottom, *(lane.y + lane.height + 16 for lane in (*leaders, *lanes))])
    faults = [bar for bar in fault_lane(contents, axis).bars if bar.x < RIGHT
              and bar.x + bar.width > LEFT]  # fmt: skip
    return Rates(topic, panels, faults, leaders, lanes, axis.ticks(), height)


def _together(
    rows: Iterable[Row], name: str, reckon: Callable[[list[float]], float]
) -> dict[int, float]:
    found: dict[int, list[float]] = defaultdict(list)
    for row in rows:
        if row[name] is not None and isfinite(row[name]):
            found[row["second"]].append(row[name])
    return {second: reckon(told) for second, told in found.items()}


def _panel(
    title: tuple[str, str],
    number: int,
    lines: Sequence[tuple[str, str, BySecond]],
    axis: TimeAxis,
    silent: Iterable[int],
) -> RatePanel:
    """In `silent` seconds a line is at 0 where it has no number of its own."""
    top = TOP + number * (PANEL_HEIGHT + PANEL_GAP)
    most = max((each for _, _, told in lines for each in told.values()), default=0) or 1
    zeros = dict.fromkeys(silent, 0.0)
    drawn = [
        Line(kind, words, _path({**zeros, **told} if told else {}, top, most, axis))
        for kind, words, told in lines
    ]
    return RatePanel(
        title, top, f"{most:,.0f}" if most >= 10 or most == int(most) else f"{most:.1f}", drawn
    )


def _path(told: BySecond, top: float, most: float, axis: TimeAxis) -> str:
    pieces: list[str] = []
    last: int | None = None
    for second, each in sorted(told.items()):
        y = round(top + PANEL_HEIGHT * (1 - each / most), 1)
        x, end = axis.x(second * SECOND_NS), axis.x((second + 1) * SECOND_NS)
        pieces.append(f"V{y}H{end}" if last == second - 1 else f"M{x} {y}H{end}")
        last = second
    return "".join(pieces)


def _leader_lanes(contents: RunContents, topic: str, axis: TimeAxis) -> list[Lane]:
    """A lane for each partition of which the leader changed: who led it, and when nobody did."""
    places = [place for place in contents.partitions("replica_states") if place[0] == topic]
    periods = (
        (place, leader_periods(contents, changes(contents, place)))
        for place in places[:MOST_PARTITIONS]
    )
    return [
        Lane(f"leader of {place[1]}", [_led(place, each, axis) for each in led])
        for place, led in periods
        if len(led) > 1
    ]


def _led(place: tuple[str, int], period: Period, axis: TimeAxis) -> Bar:
    start, end = axis.x(period.start_ns), min(axis.x(period.end_ns), float(RIGHT))
    who = f"broker {period.leader}" if period.leader >= 0 else "nobody"
    kind = f"leads{period.leader % 2}" if period.leader >= 0 else "leads-nobody"
    said = f"{seconds(period.start_ns)} s: {place[0]}-{place[1]} is led by {who}"
    width = round(max(end - start, 0.5), 1)
    label = next((each for each in (who, who[-1:]) if len(each) * CHARACTER + 8 <= width), "")
    return Bar(start, width, kind, label, said)
