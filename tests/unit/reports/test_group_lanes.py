"""Lags and rebalances of groups on the page: on the axis of the rates, and as tables."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from tests.unit.reports.test_rates import END_S, SECOND, contents, row, x

from highwater.harness.client_tables import ASSIGNMENTS
from highwater.harness.measurements import LAGS, REBALANCES
from highwater.reports.axis import RIGHT
from highwater.reports.contents import RunContents
from highwater.reports.page import template
from highwater.reports.rates import PANEL_HEIGHT, achieved

Row = dict[str, Any]


def lag(second: int | None = None, most: int | None = 0, **told: Any) -> Row:
    known = {"group": "billing", "topic": "orders", "second": second, "lag_records": most}
    return {**known, "last_records": most, "above_half_ms": 250.0, **told}


def rebalance(from_s: float, until_s: float | None, **told: Any) -> Row:
    known = {"group": "billing", "client": "b-1", "how": "killed", "partitions": 2}
    ended = {} if until_s is None else {
        "until_ns": int(until_s * SECOND), "rebalance_ms": (until_s - from_s) * 1e3,
    }  # fmt: skip
    return {**known, **ended, "from_ns": int(from_s * SECOND), **told}


def with_groups(
    lags: Sequence[Row] = (), rebalances: Sequence[Row] = (), assigned: Sequence[Row] = ()
) -> RunContents:
    found = contents(row(acked=1), row(0, acked=1))
    tables = {**found.tables, "assignments": pa.Table.from_pylist(list(assigned), ASSIGNMENTS)}
    return replace(
        found,
        tables=tables,
        lags=pa.Table.from_pylist(list(lags), LAGS),
        rebalances=pa.Table.from_pylist(list(rebalances), REBALANCES),
    )


def held(group: str, topic: str = "orders") -> Row:
    return {"group": group, "client": "b-1", "topic": topic, "partition": 0, "what": "assigned",
            "at_ns": 0}  # fmt: skip


def table(name: str, rows: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    module: Any = template("charts.html.j2").module
    html = getattr(module, name)(rows)
    lines = [line for line in html.splitlines() if line.startswith('<tr><th scope="row"')]
    return [re.findall(r"<t[hd][^>]*>([^<]*)<", line) for line in lines]


def test_a_lag_stands_as_it_was_until_it_changes() -> None:
    lags = [lag(), lag(1, 100, last_records=50), lag(4, 50, last_records=0), lag(5, 0)]
    others = [lag(2, 900, partition=3), lag(2, 900, topic="bills")]

    (chart,) = achieved(with_groups([*lags, *others])).charts

    panel = chart.panels[2]
    top, half, bottom = (float(panel.y + PANEL_HEIGHT * share) for share in (0, 0.5, 1))
    assert (panel.title, panel.most) == (("lag, records", "billing"), "100")
    assert panel.lines[0].path == (
        f"M{x(1)} {top}H{x(2)}V{half}H{x(3)}V{half}H{x(4)}V{half}H{x(5)}V{bottom}H{x(6)}"
    )


def test_a_lag_that_was_not_asked_for_a_while_is_not_drawn_there() -> None:
    (chart,) = achieved(with_groups([lag(1, 8, last_records=None), lag(4, 4)])).charts

    assert chart.panels[2].lines[0].path.count("M") == 2


def test_rebalances_stand_where_they_happened_in_the_lane_of_their_group() -> None:
    mine = {"group": "orders-billing"}
    rows = [
        rebalance(2, 4, members=1, generation=7, **mine),
        rebalance(8, None, **mine),
        rebalance(99, None, **mine),
    ]

    (chart,) = achieved(
        with_groups([], rows, [held("orders-billing"), held("other", "bills")])
    ).charts

    (lane,) = chart.lanes
    first, last = lane.bars
    assert (lane.label, first.x, round(first.x + first.width, 1)) == ("billing", x(2), x(4))
    assert (last.x, round(last.x + last.width, 1)) == (x(8), RIGHT)
    assert (first.label, last.label) == ("2.0 s", "to the end")
    said = "b-1 killed: 2 partitions without an owner for 2.0 s, then 1 member, generation 7"
    assert first.said == f"2.000 s: {said}"
    assert lane.y > chart.panels[-1].y + PANEL_HEIGHT
    assert chart.height > lane.y + lane.height


def test_of_a_topic_no_other_ones_groups_are_drawn_and_of_many_the_first() -> None:
    lags = [lag(1, 5, group=f"a-group-of-a-long-name-{at}") for at in range(5)]

    (many,) = achieved(with_groups([*lags, lag(1, 5, group="a", topic="bills")])).charts
    (none,) = achieved(with_groups()).charts

    assert [panel.title[1] for panel in many.panels[2:]] == [
        f"…a-long-name-{at}" for at in range(3)
    ]
    assert (len(none.panels), list(none.lanes)) == (2, [])


def test_the_table_of_lags_tells_nothing_from_nobody_knows() -> None:
    rows = [lag(None, 12_345, last_records=7), lag(None, 0), lag(None, None), lag(3, 99)]

    told = table("lags", achieved(with_groups(rows)).lags)

    assert told == [
        ["billing", "12,345", "0.25", "7"], ["billing", "0", "—", "0"], ["billing", "not known"],
    ]  # fmt: skip


def test_the_table_of_rebalances_has_what_was_told() -> None:
    rows = [
        rebalance(1.5, 2.25, members=3, generation=12, group="<b>"),
        rebalance(END_S - 1, None),
    ]

    assert table("rebalances", achieved(with_groups([], rows)).rebalances) == [
        ["&lt;b&gt;", "b-1 killed", "1.500", "2.250", "2", "3", "12", "750"],
        ["billing", "b-1 killed", "9.000", "—", "2", "—", "—", "to the end"],
    ]


@pytest.mark.parametrize(("rebalances", "left_out"), [(0, 0), (50, 0), (61, 11)])
def test_of_very_many_rebalances_the_first_are_told(rebalances: int, left_out: int) -> None:
    told = achieved(with_groups([], [rebalance(1, 2)] * rebalances))

    assert (len(told.rebalances), told.rebalances_left_out) == (rebalances - left_out, left_out)
