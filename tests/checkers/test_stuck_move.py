"""Moves that wait for nobody and are not done, and those that are: literal histories."""

from __future__ import annotations

from typing import Any

import pytest
from tests.checkers.conftest import HELD, UNKNOWN, VIOLATED, Row, Say, moving, producer

pytestmark = pytest.mark.spark

CLAIM, S = "stuck-move", 10**9
DONE = {"adding": "", "removing": "", "replicas": "2,3"}


def told(*at_s: float, **more: Any) -> list[Row]:
    return [moving(each, **more) for each in at_s]


def done(second: float) -> Row:
    return moving(second, **DONE)


def test_a_move_that_has_all_whom_it_adds_and_is_not_done_is_charged(both_say: Say) -> None:
    said = both_say(CLAIM, moving(0, isr="1"), told(1, 9, 18, 27, 31.1))

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 1, 1)
    assert said.witnesses == [
        {"topic": "orders", "partition": 0, "adding": "3", "removing": "1", "isr": "1,3",
         "since_ns": S, "until_ns": 31_100_000_000}
    ]  # fmt: skip


def test_it_is_charged_though_it_was_done_in_the_end(both_say: Say) -> None:
    said = both_say(CLAIM, told(1, 9, 18, 27, 32), done(33))

    assert said.answer is VIOLATED


def test_one_that_is_done_in_time_is_as_it_should_be(both_say: Say) -> None:
    said = both_say(CLAIM, told(1, 9, 18, 27, 30.9), done(31))

    assert (said.answer, said.considered, said.reason) == (HELD, 1, "")


def test_one_that_was_done_before_anybody_looked_is_as_it_should_be(both_say: Say) -> None:
    assert both_say(CLAIM, done(1), done(2)).answer is HELD


@pytest.mark.parametrize(
    "more",
    [
        {"isr": "1"},
        {"leader": -1},
        {"replicas": "2,3"},  # the brokers know that it is done
        {"removing": "", "replicas": "1,2,3"},
        {"removing": "1,2"},
        {"adding": ""},
    ],
)
def test_one_that_may_wait_for_somebody_may_take_as_long_as_it_likes(
    both_say: Say, more: dict[str, str]
) -> None:
    assert both_say(CLAIM, told(*range(0, 90, 9), **more)).answer is HELD


def test_one_broker_that_says_something_else_is_enough_to_begin_anew(both_say: Say) -> None:
    rows = [*told(1, 9, 18, 27, 36, 45), moving(18, broker=2, isr="1"), done(46)]

    assert both_say(CLAIM, rows).answer is HELD


def test_what_several_brokers_say_is_of_one_move(both_say: Say) -> None:
    rows = [*told(1, 18), *told(9, 27, 32, broker=2), done(33)]

    said = both_say(CLAIM, rows)

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 1, 1)


def test_in_which_order_brokers_are_named_says_nothing(both_say: Say) -> None:
    rows = [*told(1, 18, adding="3,4", isr="1,3,4", replicas="1,2,3,4"),
            *told(9, 27, 32, adding="4,3", isr="4,3,1", replicas="3,4,1,2"), done(33)]  # fmt: skip

    assert both_say(CLAIM, rows).answer is VIOLATED


def test_another_move_begins_anew(both_say: Say) -> None:
    other = {"adding": "4", "replicas": "1,2,4", "isr": "1,4"}
    rows = [*told(1, 10, 19), *told(20, 29, 38, **other), done(39)]

    assert both_say(CLAIM, rows).answer is HELD


def test_looks_that_are_far_apart_say_nothing_of_the_time_between(both_say: Say) -> None:
    rows = [*told(1, 10, 21, 30, 39), done(40)]

    assert both_say(CLAIM, rows).answer is HELD
    assert both_say(CLAIM, [*rows, *told(20)]).answer is VIOLATED


def test_each_partition_is_one_of_its_own(both_say: Say) -> None:
    rows = [*told(1, 10, 19, 28), done(29), *told(2, 11, 20, 29, 33, partition=1)]

    said = both_say(CLAIM, rows)

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 2, 1)


def test_one_that_waits_for_nobody_at_the_last_look_may_be_done_yet(both_say: Say) -> None:
    said = both_say(CLAIM, told(1, 10))

    assert said.answer is UNKNOWN
    assert "may be done yet" in said.reason


def test_a_record_without_such_looks_tells_nothing(both_say: Say) -> None:
    said = both_say(CLAIM, producer())

    assert (said.answer, said.reason) == (UNKNOWN, "the record has no reassignments")
