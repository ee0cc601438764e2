"""The geometry behind timeline and watermark charts."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from highwater.harness.record.reader import open_run
from highwater.reports.axis import LEFT, RIGHT, time_axis
from highwater.reports.contents import RunContents, load
from highwater.reports.moments import MOST_ROWS, event_table
from highwater.reports.samples import Sample, changes, leader_periods, thinned
from highwater.reports.timeline import Timeline, broker_lane, gate_lanes, timeline
from highwater.reports.watermarks import chart

MS = 1_000_000
AXIS = time_axis([0, 10, 20, 30])


@pytest.fixture
def contents(kip101: ModuleType, tmp_path: Path) -> RunContents:
    return load(open_run(kip101.write(tmp_path, kip101.Trial())))


def _drawn(contents: RunContents) -> Timeline:
    return timeline(contents, time_axis(event["at_ns"] for event in contents.events), [])


def _told(*events: dict[str, Any]) -> RunContents:
    return RunContents({}, events, (), {}, ())


def test_the_axis_keeps_the_order_and_gives_short_gaps_more_than_their_share() -> None:
    axis = time_axis([0, 10 * MS, 10_000 * MS])

    assert axis.x(0) == LEFT
    assert axis.x(10_000 * MS) == RIGHT
    share = (axis.x(10 * MS) - LEFT) / (RIGHT - LEFT)
    assert 0.02 < share < 0.05  # a thousandth of the time


def test_the_axis_survives_a_run_without_a_moment() -> None:
    assert time_axis([]).x(0) == LEFT


def test_ticks_are_true_times_and_do_not_touch() -> None:
    ticks = time_axis([0, 5_000 * MS, 5_010 * MS, 11_000 * MS]).ticks()

    gaps = [after.x - before.x for before, after in pairwise(ticks)]
    assert ticks[0].label == "0 s"
    assert min(gaps) >= 50


def test_a_killed_broker_leaves_a_gap_until_it_starts_again(contents: RunContents) -> None:
    lane = next(lane for lane in _drawn(contents).lanes if lane.label == "broker 1")

    assert [bar.kind for bar in lane.bars] == ["starting", "running", "starting", "running"]
    assert lane.bars[2].x > lane.bars[1].x + lane.bars[1].width
    assert [mark.symbol for mark in lane.marks if mark.kind == "gone"] == ["✕ killed"]


def test_a_paused_broker_is_drawn_as_paused_until_it_resumes() -> None:
    told = _told(
        {"at_ns": 10, "kind": "broker", "text": "", "broker": 1, "event": "paused"},
        {"at_ns": 20, "kind": "broker", "text": "", "broker": 1, "event": "resumed"},
    )

    lane = broker_lane(1, told, AXIS, [])

    assert [bar.kind for bar in lane.bars] == ["running", "paused", "running"]


def test_faults_that_overlap_get_rows_of_their_own(contents: RunContents) -> None:
    lane = next(lane for lane in _drawn(contents).lanes if lane.label == "faults")

    assert [bar.row for bar in lane.bars] == [0, 1, 2]


def test_a_held_answer_stands_until_it_is_dropped(contents: RunContents) -> None:
    lane = next(lane for lane in _drawn(contents).lanes if lane.label == "gate 3 ← 1")

    assert [bar.label for bar in lane.bars] == ["FETCH response, dropped"]


def test_links_beyond_the_cap_are_counted() -> None:
    events = [
        {"at_ns": 10, "kind": "gate", "text": "", "event": "armed", "leader": 1, "follower": n}
        for n in range(20)
    ]

    lanes, left_out = gate_lanes(_told(*events), AXIS)

    assert len(lanes) == 8
    assert left_out == "12 more replication links passed the gate."


def test_samples_are_reduced_to_changes(contents: RunContents) -> None:
    seen = [
        (each.leader, each.log_end_offset, each.high_watermark)
        for each in changes(contents, ("t", 0))
        if each.broker == 3
    ]

    assert seen == [(1, 0, 0), (1, 1, 1), (1, 11, 1), (2, 11, 1), (2, 1, 1), (3, 1, 1)]


def test_leaders_follow_one_another_with_their_epochs(contents: RunContents) -> None:
    periods = leader_periods(contents, changes(contents, ("t", 0)))

    assert [(period.leader, period.epoch) for period in periods] == [(1, 0), (2, 1), (3, 2)]


def test_the_line_of_a_dead_replica_breaks(contents: RunContents) -> None:
    drawn = chart(contents, time_axis([contents.end_ns]), ("t", 0))

    assert drawn
    paths = {panel.broker: panel.log_end_path.count("M") for panel in drawn.panels}
    assert paths == {1: 2, 2: 2, 3: 1}
    assert [text.words for text in drawn.panels[2].texts][-1] == "LEO = HW 1"


def test_records_not_known_to_be_committed_are_shaded(contents: RunContents) -> None:
    drawn = chart(contents, time_axis([contents.end_ns]), ("t", 0))

    assert drawn
    assert all(panel.gaps for panel in drawn.panels)


def test_a_long_rise_is_thinned_and_every_fall_is_kept() -> None:
    rise = [Sample(n, n, 1, n, n, 1, 0, "1") for n in range(1000)]
    fall = [Sample(1000, 1000, 1, 3, 3, 1, 0, "1"), Sample(1001, 1001, 1, 4, 4, 1, 0, "1")]

    kept = thinned([*rise, *fall], 100)

    assert len(kept) < 110
    assert 3 in [sample.log_end_offset for sample in kept]


def test_gate_lines_that_repeat_are_merged_and_counted() -> None:
    events = [{"at_ns": n, "kind": "gate", "text": "passed"} for n in range(500)]

    table = event_table(events)

    assert [row.repeats for row in table.rows] == [500]


def test_a_long_run_keeps_what_the_play_did_and_says_what_it_left_out() -> None:
    traffic = [{"at_ns": n, "kind": "read", "text": f"read to {n}"} for n in range(1000)]
    events = [*traffic, {"at_ns": 2000, "kind": "step", "text": "Heal"}]

    table = event_table(events)

    assert len(table.rows) == MOST_ROWS
    assert table.rows[-1].text == "Heal"
    assert table.left_out == "801 rows left out (801 read); all are in events.jsonl."
