"""Replicas that stay out of the ISR though nothing keeps them out: literal histories."""

from __future__ import annotations

from typing import Any

import pytest
from tests.checkers.conftest import HELD, UNKNOWN, VIOLATED, Row, Say, alive, look

pytestmark = pytest.mark.spark

CLAIM, S = "left-behind", 10**9
OUT: dict[str, Any] = {"isr": "1,2", "replicas": "1,2,3"}


def leader(second: int, end: int = 5, **more: Any) -> Row:
    return look(second * S, 1, end, end, **{**OUT, **more})


def follower(second: int, end: int | None, **more: Any) -> Row:
    return look(second * S, 3, end, end, **{**OUT, **more})


def left(first: int, last: int, end: int = 5, **more: Any) -> list[Row]:
    """Looks every five seconds at the leader and at a broker that is well."""
    seconds = range(first, last + 1, 5)
    return [each for at in seconds for each in (leader(at, end, **more), alive(at, 3))]


def test_one_that_is_left_out_for_longer_than_half_a_minute_is_charged(both_say: Say) -> None:
    said = both_say(CLAIM, left(1, 41), healed_ns=0)

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 1, 1)
    assert said.witnesses == [
        {"topic": "orders", "partition": 0, "broker": 3, "leader": 1, "leader_epoch": 0,
         "log_end_offset": 5, "since_ns": S, "until_ns": 41 * S}
    ]  # fmt: skip


def test_it_is_charged_though_it_came_in_later(both_say: Say) -> None:
    said = both_say(CLAIM, left(1, 36), leader(37, isr="1,2,3"), healed_ns=0)

    assert said.answer is VIOLATED
    assert said.witnesses[0]["until_ns"] == 36 * S


def test_one_that_comes_in_within_half_a_minute_is_not(both_say: Say) -> None:
    said = both_say(CLAIM, left(1, 31), leader(32, isr="1,2,3"), healed_ns=0)

    assert (said.answer, said.considered, said.reason) == (HELD, 1, "")


def test_one_from_which_the_replica_is_taken_is_not_left_out_any_more(both_say: Say) -> None:
    said = both_say(CLAIM, left(1, 31), leader(32, replicas="1,2"), healed_ns=0)

    assert said.answer is HELD


@pytest.mark.parametrize(
    "other",
    [
        [leader(18, 6)],  # something is written
        [follower(16, 3), follower(18, 4)],  # it catches up
        [leader(18, leader_epoch=1)],
        [leader(18, leader=-1)],
        [leader(18, isr="1,2,3")],
        [leader(18, replicas="1,2")],
        [alive(18, 3, answers=False)],
        [alive(18, 3, registered=False)],
        [alive(18, 3, running=False)],
        [leader(16, isr="1,2,3")],  # at one moment with others
    ],
)
def test_whatever_may_keep_it_out_begins_the_time_anew(both_say: Say, other: list[Row]) -> None:
    said = both_say(CLAIM, left(1, 36), other, leader(37, isr="1,2,3"), healed_ns=0)

    assert (said.answer, said.considered) == (HELD, 1)


def test_what_was_told_before_and_again_afterwards_is_of_one_time(both_say: Say) -> None:
    """Its own log end was told last before what is compared here began."""
    rows = [follower(2, 3), leader(3, 4), *left(6, 41), follower(8, 3)]

    said = both_say(CLAIM, rows, healed_ns=0)

    assert said.answer is VIOLATED
    assert said.witnesses[0]["since_ns"] == 6 * S


def test_looks_that_are_far_apart_say_nothing_of_the_time_between(both_say: Say) -> None:
    end = leader(60, isr="1,2,3")
    silent = [row for row in left(1, 56) if row[0] != "liveness" or row[1]["at_ns"] // S % 15 == 1]

    assert both_say(CLAIM, left(1, 21), left(32, 52), end, healed_ns=0).answer is HELD
    assert both_say(CLAIM, silent, end, healed_ns=0).answer is HELD


def test_a_leader_that_tells_no_log_end_is_no_evidence(both_say: Say) -> None:
    rows = [follower(at, None) for at in range(1, 50, 5)] + [alive(at, 3) for at in range(1, 50, 5)]

    said = both_say(CLAIM, rows, look(2 * S, 1, None, None, **OUT), healed_ns=0)

    assert (said.answer, said.considered) == (HELD, 1)


def test_what_stood_while_faults_were_in_effect_is_not_charged(both_say: Say) -> None:
    rows = [*left(1, 61), leader(62, isr="1,2,3")]

    assert both_say(CLAIM, rows, healed_ns=31 * S).answer is HELD
    assert both_say(CLAIM, rows, healed_ns=30 * S).answer is VIOLATED


def test_nobody_can_tell_where_nobody_told_when_all_was_healed(both_say: Say) -> None:
    said = both_say(CLAIM, left(1, 41), healed_ns="soon")

    assert said.answer is UNKNOWN
    assert "no fault was in effect" in said.reason


def test_one_that_is_left_out_in_the_end_may_be_about_to_come_in(both_say: Say) -> None:
    said = both_say(CLAIM, left(1, 21), healed_ns=0)

    assert said.answer is UNKNOWN
    assert "may be about to" in said.reason


def test_only_replicas_of_brokers_that_were_watched_are_asked(both_say: Say) -> None:
    rows = [leader(at, isr="1") for at in range(1, 60, 5)]

    said = both_say(CLAIM, rows, [alive(at, 4) for at in range(1, 60, 5)], healed_ns=0)

    assert (said.answer, said.considered) == (UNKNOWN, 0)


def test_looks_that_do_not_tell_the_replicas_are_no_evidence(both_say: Say) -> None:
    said = both_say(CLAIM, left(1, 60, replicas=None), healed_ns=0)

    assert (said.answer, said.considered) == (UNKNOWN, 0)
