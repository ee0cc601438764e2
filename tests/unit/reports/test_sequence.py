"""The fetch conversation: what the gate told of, and what happened to brokers meanwhile."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

from highwater.harness.record.reader import find_runs
from highwater.harness.tables import TABLES
from highwater.reports.contents import RunContents, load
from highwater.reports.cuts import cuts
from highwater.reports.sequence import MOST_ROWS, Sequences, sequence

PLACE = ("t", 0)


def _gate(at_ms: int, event: str, stage: str = "response", **more: Any) -> dict[str, Any]:
    partition = {"topic": "t", "partition": 0, "fetch_offset": 1} | more.pop("says", {})
    frame = {"connection": 7, "correlation_id": at_ms // 100, "leader": 1, "follower": 3, "api": 1}
    told = {"at_ns": at_ms * 1_000_000, "kind": "gate", "event": event, "stage": stage}
    return told | frame | {"partitions": [partition]} | more


def _drawn(*events: dict[str, Any]) -> Sequences | None:
    tables = {name: each.empty_table() for name, each in TABLES.items()}
    return sequence(RunContents({}, list(events), [], tables, []), PLACE, [])


def _words(*events: dict[str, Any]) -> list[str]:
    drawn = _drawn(*events)
    assert drawn is not None
    return [row.words for row in drawn.rows]


def test_a_request_says_its_offset_and_an_answer_its_high_watermark() -> None:
    words = _words(
        _gate(100, "delayed", "request", wait_s=0.025),
        _gate(200, "armed", says={"high_watermark": 1, "first_offset": 1, "last_offset": 10}),
        _gate(300, "seen", "request", api=23, says={"leader_epoch": 4}),
        _gate(400, "seen", api=23, says={"leader_epoch": 4, "end_offset": 6, "error": 0}),
        _gate(500, "seen", says={"high_watermark": 1, "record_bytes": 0, "error": 74}),
    )

    assert words == [
        "broker 3 to broker 1: FETCH from offset 1, 25 ms later",
        "broker 1 to broker 3: answer: HW 1, records 1 to 10",
        "broker 3 to broker 1: where does epoch 4 end?",
        "broker 1 to broker 3: answer: leader epoch 4, end offset 6",
        "broker 1 to broker 3: answer: HW 1, no records, error 74",
    ]


def test_what_is_held_does_not_arrive_and_what_is_dropped_never_does() -> None:
    drawn = _drawn(_gate(100, "standing"), _gate(150, "dropped"), _gate(200, "seen"))

    assert drawn is not None
    places = dict(drawn.lifelines)
    ends = [(row.kind, row.end_x == places[3]) for row in drawn.rows]
    assert ends == [("held", False), ("dropped", False), ("sent", True)]
    assert drawn.rows[0].label == "answer: empty: held at the gate"
    assert drawn.rows[1].label == "answer: empty: never delivered"


def test_a_frame_that_is_seen_and_then_let_through_is_one_message() -> None:
    assert len(_words(_gate(100, "standing"), _gate(110, "seen"), _gate(120, "passed"))) == 2


def test_frames_of_others_are_left_out() -> None:
    assert _drawn() is None
    assert _drawn(_gate(100, "seen", follower=None)) is None
    assert _drawn(_gate(100, "seen", api=0)) is None
    assert _drawn(_gate(100, "seen", says={"topic": "other"})) is None
    assert _drawn(_gate(100, "seen") | {"partitions": "none"}) is None


def test_of_a_long_conversation_what_stands_around_the_loss_is_drawn(
    kip101: ModuleType, tmp_path: Path
) -> None:
    kip101.write(tmp_path, kip101.Trial())
    (run,) = find_runs(tmp_path)
    contents = load(run)
    early = [_gate(100 * number, "seen") for number in range(1, 40)]
    long = RunContents({}, [*early, *contents.events], [], contents.tables, [])

    drawn = sequence(long, PLACE, cuts(long, PLACE))

    assert drawn is not None
    assert len(drawn.rows) == MOST_ROWS
    assert drawn.left_out > 20
    words = [row.words for row in drawn.rows]
    assert "broker 3: log cut to offset 1" in words
    assert words.index("broker 1: ✕ killed") < words.index("broker 3: log cut to offset 1")
