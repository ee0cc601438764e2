"""Replicas that come into the ISR again and again: literal histories."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import pytest
from tests.checkers.conftest import HELD, UNKNOWN, VIOLATED, Row, Say, look

pytestmark = pytest.mark.spark

CLAIM, S = "flapping-isr", 10**9


def seen(second: float, isr: str | None, **more: Any) -> Row:
    return look(int(second * S), 1, 5, 5, isr=isr, **more)


def flaps(joins: int, every_s: float = 6, **more: Any) -> list[Row]:
    """Broker 2 is out, and in, and so on, each for half of that time."""
    isrs = zip(range(2 * joins), cycle(("1", "1,2")), strict=False)
    return [seen(1 + at * every_s / 2, isr, **more) for at, isr in isrs]


def test_one_that_comes_in_five_times_within_a_minute_is_charged(both_say: Say) -> None:
    said = both_say(CLAIM, flaps(5))

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 2, 1)
    assert said.witnesses == [
        {"topic": "orders", "partition": 0, "broker": 2, "since_ns": 4 * S, "until_ns": 28 * S,
         "joins": 5, "leader": 1, "leader_epoch": 0}
    ]  # fmt: skip


def test_who_is_cut_off_again_and_again_has_to_come_in_again_and_again(both_say: Say) -> None:
    """It is seen out at 1, 7, 13, 19 and 25 s, and in three seconds after each."""
    ended = [second * S for second in (2, 8, 14, 20)]

    assert both_say(CLAIM, flaps(5), disturbed_ns=ended).answer is HELD
    assert both_say(CLAIM, flaps(6), disturbed_ns=ended).answer is HELD
    assert both_say(CLAIM, flaps(9), disturbed_ns=ended).answer is VIOLATED


@pytest.mark.parametrize(
    ("changed_s", "answer"), [(0, VIOLATED), (0.1, HELD), (4, HELD), (28, HELD), (28.1, VIOLATED)]
)
def test_a_change_counts_from_when_the_replica_was_last_in_sync(
    changed_s: float, answer: object, both_say: Say
) -> None:
    """It is seen in sync in the beginning, and comes in at 4, 10, 16, 22 and 28 s."""
    rows = [seen(0, "1,2"), *flaps(5)]

    said = both_say(CLAIM, rows, disturbed_ns=[int(changed_s * S)])
    known = both_say(CLAIM, rows, disturbed_ns=["never", True, -(10**30)])

    assert (said.answer, known.answer) == (answer, VIOLATED)


def test_four_times_are_not_enough(both_say: Say) -> None:
    said = both_say(CLAIM, flaps(4))

    assert (said.answer, said.considered) == (HELD, 2)


def test_five_times_in_more_than_a_minute_are_not_often(both_say: Say) -> None:
    assert both_say(CLAIM, flaps(5, every_s=15.2)).answer is HELD
    assert both_say(CLAIM, flaps(5, every_s=15)).answer is VIOLATED


@pytest.mark.parametrize("other", [{"leader_epoch": 1}, {"leader": 3}])
def test_each_term_counts_for_itself(both_say: Say, other: dict[str, Any]) -> None:
    rows = [*flaps(4), seen(26, "1"), seen(27, "1,2", **other), seen(28, "1", **other)]

    assert both_say(CLAIM, rows, seen(29, "1,2", **other)).answer is HELD


def test_looks_of_one_moment_that_differ_say_nothing(both_say: Say) -> None:
    rows = [*flaps(4), seen(26, "1"), seen(28, "1"), seen(28, "1,2"), seen(29, "1,2")]

    assert both_say(CLAIM, rows).answer is HELD


def test_looks_of_one_moment_that_agree_are_one(both_say: Say) -> None:
    rows = [*flaps(5), *flaps(5)]

    said = both_say(CLAIM, rows)

    assert (said.answer, said.anomalies) == (VIOLATED, 1)


def test_a_look_that_knows_no_isr_or_no_leader_says_nothing(both_say: Say) -> None:
    odd = [seen(2 + at, isr, **more) for at, isr, more in ((0, None, {}), (1, "1", {"leader": -1}))]

    assert both_say(CLAIM, flaps(4), odd).answer is HELD
    assert both_say(CLAIM, flaps(5), odd).answer is VIOLATED
    assert both_say(CLAIM, odd).answer is UNKNOWN


def test_others_come_in_by_themselves(both_say: Say) -> None:
    """Two replicas, three times each."""
    isrs = ["1", "1,2", "1", "1,3", "1", "1,2", "1", "1,3", "1", "1,2", "1", "1,3"]

    said = both_say(CLAIM, [seen(at, isr) for at, isr in enumerate(isrs)])

    assert (said.answer, said.considered) == (HELD, 3)
