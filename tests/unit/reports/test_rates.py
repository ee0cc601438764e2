"""Rates and latencies on the page: equal seconds, silence at 0, faults behind them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from highwater.harness.measurements import MEASURES, RECOVERIES
from highwater.harness.tables import FINAL_READER, TABLES
from highwater.reports.axis import LEFT, RIGHT
from highwater.reports.contents import RunContents
from highwater.reports.page import template
from highwater.reports.rates import PANEL_HEIGHT, TOP, achieved

SECOND = 10**9
END_S = 10
KILL = {"kind": "fault", "fault": "Kill(1)", "text": "kill 1", "id": 1}


def row(second: int | None = None, **told: Any) -> dict[str, Any]:
    """Of a load, and of all partitions together."""
    counts = dict.fromkeys(("acked", "failed", "unknown", "handed"), 0)
    whole = {"from_ns": 0, "until_ns": END_S * SECOND} if second is None else {}
    return {"client": "load", "topic": "orders", "second": second, **counts, **whole, **told}


def contents(*rows: dict[str, Any], last_reader: str = "reader") -> RunContents:
    tables = {name: schema.empty_table() for name, schema in TABLES.items()}
    clients = [{"client": last_reader, "role": "consumer", "client_id": FINAL_READER}]
    looks = [
        {"at_ns": at * SECOND, "broker": 1, "topic": "orders", "partition": 0, "leader": leader}
        for at, leader in ((1, 1), (6, 2), (7, 2))
    ]
    tables["clients"] = pa.Table.from_pylist(clients, schema=TABLES["clients"])
    tables["replica_states"] = pa.Table.from_pylist(looks, schema=TABLES["replica_states"])
    events = [
        {**KILL, "at_ns": 5 * SECOND, "phase": "opened"},
        {**KILL, "at_ns": END_S * SECOND, "phase": "closed"},
    ]
    measures = pa.Table.from_pylist(list(rows), schema=MEASURES)
    return RunContents({}, events, [], tables, [], measures)


def x(second: float) -> float:
    return round(LEFT + (RIGHT - LEFT) * second / END_S, 1)


def test_seconds_are_equally_wide_and_one_in_which_nothing_ended_is_at_0() -> None:
    busy = [row(0, acked=50), row(1, acked=100), row(3, acked=100)]

    (chart,) = achieved(contents(row(acked=250), *busy)).charts

    acked = chart.panels[0].lines[0]
    half, bottom = TOP + PANEL_HEIGHT / 2, TOP + PANEL_HEIGHT
    told = f"M{x(0)} {half}H{x(1)}V{float(TOP)}H{x(2)}V{float(bottom)}H{x(3)}V{float(TOP)}H{x(4)}"
    assert acked.path.startswith(told)
    assert chart.panels[0].most == "100"


def test_a_second_in_which_nothing_was_acknowledged_has_no_latency() -> None:
    late = [row(0, acked=1, ack_p99_ms=5.0), row(2, acked=1, ack_p99_ms=2.5)]

    (chart,) = achieved(contents(row(acked=2), *late)).charts

    top = chart.panels[1].y
    assert chart.panels[1].lines[0].path == (
        f"M{x(0)} {float(top)}H{x(1)}M{x(2)} {top + PANEL_HEIGHT / 2}H{x(3)}"
    )
    assert chart.panels[1].most == "5"


def test_faults_and_new_leaders_stand_where_they_happened() -> None:
    (chart,) = achieved(contents(row(acked=1), row(0, acked=1))).charts

    ((start, width),) = [(bar.x, bar.width) for bar in chart.faults]
    assert (start, round(start + width, 1)) == (x(5), x(END_S))
    (lane,) = chart.leaders
    assert lane.label == "leader of 0"
    assert [(bar.x, bar.label, bar.said) for bar in lane.bars] == [
        (x(1), "broker 1", "1.000 s: orders-0 is led by broker 1"),
        (x(6), "broker 2", "6.000 s: orders-0 is led by broker 2"),
    ]
    assert lane.bars[0].x + lane.bars[0].width == pytest.approx(x(6), abs=0.2)


@pytest.mark.parametrize(("leaders", "told"), [((1, 1), []), ((1, -1), ["broker 1", "nobody"])])
def test_a_lane_says_who_led_where_that_changed(leaders: tuple[int, int], told: list[str]) -> None:
    asked = contents(row(acked=1), row(0, acked=1))
    looks = asked.tables["replica_states"].to_pylist()[:2]
    looks = [{**look, "leader": leader} for look, leader in zip(looks, leaders, strict=True)]
    table = pa.Table.from_pylist(looks, schema=TABLES["replica_states"])

    (chart,) = achieved(replace(asked, tables={**asked.tables, "replica_states": table})).charts

    assert [bar.label for lane in chart.leaders for bar in lane.bars] == told


def test_who_reads_everything_at_last_is_in_the_table_and_not_in_the_chart() -> None:
    reader = [row(at, client="reader", handed=9) for at in (None, 9)]

    told = achieved(contents(row(acked=1), row(0, acked=1, handed=2), *reader))

    assert [each["client"] for each in told.rows] == ["load", "reader"]
    assert told.charts[0].panels[0].most == "2"


def test_a_short_play_has_a_table_alone() -> None:
    told = achieved(contents(row(acked=1, until_ns=4 * SECOND), row(0, acked=1)))

    assert (len(told.rows), list(told.charts), told.topics_left_out) == (1, [], 0)


@pytest.mark.parametrize("zero_s", [3 * 86_400, -20, (1 << 62) // SECOND])
def test_wherever_the_clock_begins_a_chart_is_as_wide_as_the_play_was_long(zero_s: int) -> None:
    times = {"from_ns": zero_s * SECOND, "until_ns": (zero_s + END_S) * SECOND}
    moment = row(acked=9, **{**times, "until_ns": times["from_ns"] + 11})

    (chart,) = achieved(contents(row(acked=9, **times), row(zero_s + 3, acked=9))).charts

    top, bottom = float(TOP), float(TOP + PANEL_HEIGHT)
    assert (
        chart.panels[0]
        .lines[0]
        .path.startswith(
            f"M{x(0)} {bottom}H{x(1)}V{bottom}H{x(2)}V{bottom}H{x(3)}V{top}H{x(4)}V{bottom}"
        )
    )
    assert list(achieved(contents(moment)).charts) == []


def test_what_lasted_for_hours_is_not_drawn_second_by_second() -> None:
    told = achieved(contents(row(acked=9, until_ns=3_601 * SECOND), row(0, acked=9)))

    assert (list(told.charts), told.is_long) == ([], True)


def test_what_is_no_number_is_not_drawn() -> None:
    odd = [row(0, acked=1, ack_p99_ms=float("nan")), row(1, acked=1, ack_p99_ms=float("inf"))]

    (chart,) = achieved(contents(row(acked=1), *odd)).charts

    assert chart.panels[1].lines[0].path == ""


@pytest.mark.parametrize(("topics", "left_out"), [(4, 0), (6, 2)])
def test_more_topics_than_have_room_are_counted(topics: int, left_out: int) -> None:
    rows = [row(acked=1, topic=f"t{number}") for number in range(topics)]

    told = achieved(contents(*rows))

    assert (len(told.charts), told.topics_left_out) == (4, left_out)


def recovery(topic: str = "orders", partition: int | None = None, **told: Any) -> dict[str, Any]:
    fault = {"fault_id": "1", "fault": "Kill(1)", "from_ns": 5 * SECOND, "sent_on": True}
    return {**fault, "topic": topic, "partition": partition, **told}


def with_recoveries(*rows: dict[str, Any]) -> RunContents:
    found = contents(row(acked=1))
    return replace(found, recoveries=pa.Table.from_pylist(list(rows), schema=RECOVERIES))


@pytest.mark.parametrize(("faults", "left_out"), [(0, 0), (50, 0), (61, 11)])
def test_of_faults_the_worst_of_each_topic_is_told_and_of_very_many_the_first(
    faults: int, left_out: int
) -> None:
    rows = [recovery(partition=each) for _ in range(faults) for each in (None, 0, 1)]

    told = achieved(with_recoveries(*rows))

    assert (len(told.recoveries), told.recoveries_left_out) == (faults - left_out, left_out)
    assert {each["partition"] for each in told.recoveries} <= {None}


def cells(*rows: dict[str, Any]) -> list[list[str]]:
    module: Any = template("charts.html.j2").module
    html = module.recoveries(achieved(with_recoveries(*rows)).recoveries)
    lines = [line for line in html.splitlines() if line.startswith("<tr><th")]
    return [re.findall(r"<t[hd][^>]*>([^<]*)<", line) for line in lines]


def test_the_table_of_faults_tells_never_from_nobody_knows() -> None:
    known = recovery(
        until_ns=7 * SECOND, first_ack_ms=1500.4, silent_ms=9.0, leaderless_ms=0.0,
        isr_shrank=True, full_isr_ms=2e4,
    )  # fmt: skip

    assert cells(
        known,
        recovery(silent_ms=80.0, isr_shrank=True),
        recovery(sent_on=False, isr_shrank=False),
        recovery(sent_on=False),
    ) == [
        ["Kill(1)", "5.000", "7.000", "1,500", "9.0", "0.0", "20,000"],
        ["Kill(1)", "5.000", "—", "never", "80", "—", "not seen"],
        ["Kill(1)", "5.000", "—", "—", "—", "—", "never shrank"],
        ["Kill(1)", "5.000", "—", "—", "—", "—", "—"],
    ]


def test_of_several_topics_the_table_of_faults_has_their_names() -> None:
    assert [line[1] for line in cells(recovery(), recovery(topic="<bills>"))] == [
        "orders", "&lt;bills&gt;",
    ]  # fmt: skip
