"""What is measured of faults: silence, time without a leader, and until the ISR was full again."""

from __future__ import annotations

from typing import Any

import pytest
from tests.checkers.conftest import Row, look, poll
from tests.checkers.timelines import (
    MS,
    PAUSE,
    STEADY,
    Judged,
    acked,
    closed,
    looks,
    only,
    opened,
)

from highwater.harness.measurements import RECOVERIES

pytestmark = pytest.mark.spark


def test_a_row_has_its_fault_and_when_that_was_injected_and_healed(judged: Judged) -> None:
    said = judged(STEADY, opened(50), closed(150), opened(160, PAUSE))

    named = [
        (row["fault_id"], row["fault"], row["from_ns"], row["until_ns"], row["partition"])
        for row in said.recoveries.to_pylist()
    ]
    assert named == [
        ("1", "Kill(1)", 50 * MS, 150 * MS, None),
        ("1", "Kill(1)", 50 * MS, 150 * MS, 0),
        ("2", "Pause(2)", 160 * MS, None, None),
        ("2", "Pause(2)", 160 * MS, None, 0),
    ]
    assert said.recoveries.schema.equals(RECOVERIES)
    assert said.unreadable == {}


def test_the_time_of_a_fault_ends_when_the_next_one_begins(judged: Judged) -> None:
    sent = [acked(1, 0, 95), acked(2, 900, 905), acked(3, 1_000, 2_500), acked(4, 3_500, 3_505)]
    seen = looks((0, 1, "1,2,3"), (1_000, -1, "2,3"), (2_500, 2, "1,2,3"), (4_000, 2, "1,2,3"))

    said = judged([*sent, *seen], opened(100), {**opened(3_000, PAUSE), "began_ns": 950 * MS})

    first, second = only(said), only(said, fault="2")
    assert (first["silent_ms"], first["leaderless_ms"], first["isr_shrank"]) == (0, 0, False)
    assert (second["silent_ms"], second["leaderless_ms"]) == (1_500, 1_500)
    assert second["isr_shrank"] is True
    assert (second["from_ns"], second["first_ack_ms"]) == (3_000 * MS, 505)
    assert second["full_isr_ms"] == 0


@pytest.mark.parametrize(
    ("rows", "at_ms", "first_ack_ms", "silent_ms"),
    [
        # From the last acknowledgement on, for a send waited all the time.
        ([acked(1, 0, 5), acked(2, 4, 900)], 100, 800, 895),
        # Nobody sent for a while: only what waited was silent.
        ([acked(1, 0, 5), acked(2, 600, 900)], 100, 800, 300),
        # What was due waited, whether it could be sent or not.
        ([acked(1, 0, 5), acked(2, 600, 900, intended_ns=200 * MS)], 100, 800, 700),
        # One that was on its way comes first; the silence is after it.
        ([acked(1, 0, 105), acked(2, 110, 900)], 100, 5, 790),
        # The silence was over when the fault came.
        ([acked(1, 0, 500), acked(2, 590, 595), acked(3, 600, 604)], 550, 45, 0),
        # Nothing was acknowledged any more, as long as sends waited.
        ([acked(1, 0, 5), acked(2, 50, 990, outcome="failed")], 100, None, 940),
        ([acked(2, 50, 990, outcome="unknown")], 100, None, 940),
        # Nobody waited between a send that failed and the next one, for more than a second.
        (
            [acked(1, 0, 5), acked(2, 10, 20, outcome="failed"), acked(3, 6e4, 6e4 + 90)],
            8,
            60082,
            90,
        ),
        ([acked(1, 0, 5), acked(2, 10, 20, outcome="failed"), acked(3, 900, 990)], 8, 982, 980),
        # Shorter than what is seen.
        ([acked(1, 98, 105), acked(2, 103, 112)], 100, 5, 0),
    ],
)
def test_silence_is_the_longest_time_in_which_sends_waited_in_vain(
    judged: Judged, rows: list[Row], at_ms: int, first_ack_ms: float | None, silent_ms: float
) -> None:
    row = only(judged(rows, opened(at_ms)))

    assert (row["sent_on"], row["first_ack_ms"], row["silent_ms"]) == (
        True, first_ack_ms, silent_ms,
    )  # fmt: skip


def test_after_a_fault_under_which_nobody_sent_on_nothing_is_known(judged: Judged) -> None:
    row = only(judged(STEADY, opened(205)))

    assert (row["sent_on"], row["first_ack_ms"], row["silent_ms"]) == (False, None, None)


def test_of_its_own_hundredth_of_a_second_an_acknowledgement_is_told_late_and_never_early(
    judged: Judged,
) -> None:
    rows = [acked(1, 0, 101), acked(2, 0, 104), acked(3, 0, 109)]

    assert only(judged(rows, opened(103)))["first_ack_ms"] == 6


def test_what_begins_before_the_next_fault_is_followed_to_its_end(judged: Judged) -> None:
    rows = [acked(1, 0, 95), acked(2, 90, 2_000), acked(3, 2_000, 2_005), acked(4, 2_003, 9_000)]

    said = judged(rows, opened(100), opened(1_000, PAUSE), closed(1_500), opened(8_000))

    assert only(said, fault="2")["silent_ms"] == 6_995
    first, *_, last = [row for row in said.recoveries.to_pylist() if row["partition"] == 0]
    assert (first["silent_ms"], first["first_ack_ms"]) == (1_905, 1_900)
    assert (last["silent_ms"], last["first_ack_ms"]) == (6_995, 1_000)


def test_several_clients_are_one_and_who_reads_or_asks_for_nothing_is_none(
    judged: Judged,
) -> None:
    rows = [
        acked(1, 0, 5),
        acked(2, 0, 400, client="other"),
        acked(3, 10, 900),
        acked(4, 10, 300, acks="0"),
        poll(1, 1, invoked_ns=200 * MS, completed_ns=210 * MS),
        poll(9, 9, partition=7),
    ]

    said = judged(rows, opened(100))

    assert [row["partition"] for row in said.recoveries.to_pylist()] == [None, 0]
    assert (only(said)["first_ack_ms"], only(said)["silent_ms"]) == (300, 500)


@pytest.mark.parametrize(
    ("seen", "leaderless_ms"),
    [
        ([(0, 1, "1"), (200, 2, "2")], 0),
        ([(0, 1, "1"), (150, -1, "1"), (250, -1, "1"), (450, 2, "2"), (500, 2, "2")], 300),
        ([(0, -1, "1"), (450, 2, "2")], 350),  # from the injection on
        ([(0, 1, "1"), (150, -1, "1"), (250, None, None), (450, 2, "2")], 300),
        ([(0, 1, "1"), (150, -1, "1"), (250, 1, "1"), (300, -1, "1"), (450, 1, "1")], 250),
        ([(0, 1, "1"), (150, -1, "1"), (450, -1, "1")], 300),  # to the last look
        ([(0, 1, "1"), (90, -1, "1"), (100, 1, "1")], 0),
        ([(0, 1, "1"), (99, -1, "1")], None),  # nobody looked after it
        ([(150, None, None)], None),  # nobody could tell
        ([], None),
    ],
)
def test_there_was_no_leader_from_a_look_that_saw_none_to_one_that_saw_one(
    judged: Judged, seen: list[Any], leaderless_ms: float | None
) -> None:
    row = only(judged([*STEADY, *looks(*seen)], opened(100)))

    assert row["leaderless_ms"] == leaderless_ms


@pytest.mark.parametrize(
    ("seen", "shrank", "full_ms"),
    [
        ([(0, 1, "1,2,3"), (200, 1, "3,1,2")], False, None),
        ([(0, 1, "1,2,3"), (200, 1, "2,3"), (700, 2, "1,2,3")], True, 600),
        ([(0, 1, "2,3"), (700, 2, "1,2,3")], True, 600),  # had shrunk before
        ([(0, 1, "1,2,3"), (200, 1, "2"), (300, 1, "2,3"), (800, 2, "1,2,3")], True, 700),
        (
            [(0, 1, "1,2,3"), (200, 1, "1"), (300, 1, "1,2,3"), (400, 1, ""), (600, 1, "1,2,3")],
            True,
            500,
        ),
        ([(0, 1, "1,2,3"), (200, 1, "2,3"), (700, 2, None)], True, None),
        ([(0, 1, "2,3"), (90, 2, "1,2,3"), (200, 2, "1,2,3")], False, None),
        ([(0, 1, "2,3")], None, None),
        ([], None, None),
    ],
)
def test_the_isr_is_full_again_when_it_has_every_replica_and_did_shrink(
    judged: Judged, seen: list[Any], shrank: bool | None, full_ms: float | None
) -> None:
    row = only(judged([*STEADY, *looks(*seen)], opened(100)))

    assert (row["isr_shrank"], row["full_isr_ms"]) == (shrank, full_ms)


def test_up_to_the_next_fault_a_leader_is_missing_and_beyond_it_the_isr(judged: Judged) -> None:
    seen = [(0, 1, "1,2,3"), (200, -1, "2,3"), (900, 2, "1,2,3"), (950, 2, "1,2,3")]

    said = judged([*STEADY, *looks(*seen)], opened(100), opened(600, PAUSE), opened(920))

    first, second, third = [
        (row["leaderless_ms"], row["isr_shrank"], row["full_isr_ms"])
        for row in said.recoveries.to_pylist()
        if row["partition"] == 0
    ]
    assert first == (400, True, 800)
    assert second == (300, True, 300)
    assert third == (0, False, None)


def test_a_topic_is_as_badly_off_as_its_worst_partition(judged: Judged) -> None:
    rows = [
        *STEADY,
        acked(4, 200, 700, partition=1),
        acked(5, 0, 5, partition=2),
        acked(6, 0, 5, topic="other"),
        *looks((0, 1, "1,2,3"), (150, -1, "1,2,3"), (200, 1, "1,2,3")),
        *looks((0, 1, "1,2,3"), (200, 1, "2,3"), (900, 1, "1,2,3"), partition=1),
    ]

    said = judged(rows, opened(50))

    worst = {
        "sent_on": True,
        "first_ack_ms": 650,
        "silent_ms": 500,
        "leaderless_ms": 50,
        "isr_shrank": True,
        "full_isr_ms": 850,
    }
    topics = {row["topic"]: row for row in said.recoveries.to_pylist() if row["partition"] is None}
    assert {name: topics["orders"][name] for name in worst} == worst
    assert topics["other"]["sent_on"] is False
    assert topics["other"]["isr_shrank"] is None


def test_what_never_came_in_one_partition_never_came_in_its_topic(judged: Judged) -> None:
    rows = [
        *STEADY,
        acked(4, 0, 700, partition=1, outcome="failed"),
        *looks((0, 1, "1,2,3"), (200, 1, "2,3"), (900, 1, "1,2,3")),
        *looks((0, 1, "1,2,3"), (200, 1, "2,3"), partition=1),
    ]

    row = only(judged(rows, opened(50)), partition=None)

    assert (row["first_ack_ms"], row["silent_ms"]) == (None, 700)
    assert (row["isr_shrank"], row["full_isr_ms"]) == (True, None)


def test_a_topic_that_was_created_again_has_the_replicas_of_its_own_time(judged: Judged) -> None:
    def of(topic_id: str, at_ms: int, broker: int, isr: str) -> Row:
        return look(at_ms * MS, broker, 0, 0, isr=isr, topic_id=topic_id)

    first = [of("a", at, broker, "1,2") for at in (0, 100) for broker in (1, 2)]
    again = [of("b", at, broker, "3,4") for at in (200, 300) for broker in (3, 4)]

    assert only(judged([*STEADY, *first, *again], opened(50)))["isr_shrank"] is False


def test_an_isr_lacks_whom_the_partition_is_assigned_to_and_nobody_else(judged: Judged) -> None:
    def of(at_ms: int, broker: int, replicas: str, isr: str) -> Row:
        return look(at_ms * MS, broker, 0, 0, isr=isr, replicas=replicas)

    before = [of(at_ms, broker, "1,2", "1,2") for at_ms in (0, 40) for broker in (1, 2)]
    moving = [of(100, broker, "1,2,3", "1,2") for broker in (1, 2, 3)]
    after = [of(at_ms, broker, "2,3", "2,3") for at_ms in (150, 300) for broker in (2, 3)]

    row = only(judged([*STEADY, *before, *moving, *after], opened(50)))

    assert (row["isr_shrank"], row["full_isr_ms"]) == (True, 100)
