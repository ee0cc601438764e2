"""Sends that stand in another order than their client was given them: literal histories."""

from __future__ import annotations

import pytest
from tests.checkers.conftest import (
    HELD,
    UNKNOWN,
    VIOLATED,
    Row,
    Say,
    producer,
    replicas,
    send,
    stored,
)

pytestmark = pytest.mark.spark

CLAIM = "reordered"
ORDERLY = producer(keeps_order=True)


def _given(*offsets: int) -> list[Row]:
    """One after the other, all under way at the same moment; acknowledged as they stand."""
    return [send(10 + op, offset, (0, 9 + offset), op=op) for op, offset in enumerate(offsets)]


def test_records_that_stand_as_they_were_given_are_in_order(both_say: Say) -> None:
    said = both_say(CLAIM, ORDERLY, _given(0, 1, 5, 6))

    assert (said.answer, said.considered, said.anomalies) == (HELD, 4, 0)


def test_one_that_was_given_later_and_stands_lower_is_charged(both_say: Say) -> None:
    said = both_say(CLAIM, ORDERLY, _given(3, 4, 0, 5))

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 4, 1)
    (witness,) = said.witnesses
    assert (witness["value"], witness["offset"], witness["op"]) == (12, 0, 2)
    assert (witness["after_offset"], witness["after_value"]) == (3, 10)


def test_one_that_stands_above_all_that_came_later_charges_each_of_these(both_say: Say) -> None:
    said = both_say(CLAIM, ORDERLY, _given(9, 0, 1, 2))

    assert (said.answer, said.anomalies) == (VIOLATED, 3)


def test_what_the_brokers_have_lost_stands_in_no_order(both_say: Say) -> None:
    """Value 10 was acknowledged at 5, and lost; then the log grew again from 3 on."""
    log = [stored(each, at, 7 + at) for each in (1, 2, 3) for at in range(3)]
    log += [stored(each, 3, 11) for each in (1, 2, 3)]
    sent = [send(7 + at, at, (0, 1), op=at) for at in range(3)]
    sent += [send(10, 5, (2, 4), op=3), send(11, 3, (2, 9), op=4)]

    said, lost = (
        both_say(claim, ORDERLY, sent, log, replicas(4)) for claim in (CLAIM, "lost-write")
    )

    assert (said.answer, lost.answer) == (UNKNOWN, VIOLATED)
    assert "1 undecided, acknowledged after one above it, which may have been lost" in said.reason


@pytest.mark.parametrize("first", [(0, None), (0, 5), (9, 8)], ids=["untold", "equal", "backwards"])
def test_without_two_times_that_differ_nobody_can_tell(
    both_say: Say, first: tuple[int, int | None]
) -> None:
    said = both_say(CLAIM, ORDERLY, send(10, 1, first, op=0), send(11, 0, (0, 5), op=1))

    assert (said.answer, said.anomalies) == (UNKNOWN, 0)


def test_of_all_above_it_is_compared_with_the_one_that_was_given_first(both_say: Say) -> None:
    sent = [send(10, 8, (0, 4), op=0), send(11, 7, (0, 9), op=1), send(12, 2, (0, 6), op=2)]

    said = both_say(CLAIM, ORDERLY, sent)

    assert (said.answer, said.anomalies) == (UNKNOWN, 0)


@pytest.mark.parametrize("idempotence", [True, False])
def test_who_does_not_promise_it_is_told(both_say: Say, idempotence: bool) -> None:
    said = both_say(CLAIM, producer(idempotence=idempotence, keeps_order=False), _given(1, 0))

    assert (said.answer, said.anomalies) == (HELD, 0)
    assert "1 in another order than sent, by who does not promise it" in said.reason


@pytest.mark.parametrize("clients", [[producer()], [producer("other", keeps_order=True)]])
def test_of_whom_nobody_told_what_it_promises_nobody_can_tell(
    both_say: Say, clients: list[Row]
) -> None:
    wrong, right = (both_say(CLAIM, clients, _given(*offsets)) for offsets in ((1, 0), (0, 1)))

    assert (wrong.answer, right.answer) == (UNKNOWN, HELD)
    assert "nobody told whether its client's library keeps the order" in wrong.reason


def test_what_its_clients_promise_has_to_be_told(both_say: Say) -> None:
    assert both_say(CLAIM, _given(1, 0)).answer is UNKNOWN


def test_partitions_and_clients_are_judged_by_themselves(both_say: Say) -> None:
    others = [send(20, 0, op=4, partition=1), send(21, 7, op=5, client="other")]
    said = both_say(
        CLAIM, ORDERLY, producer("other", keeps_order=True), _given(8, 9), others,
        send(22, 0, op=0, client="other", partition=1),
    )  # fmt: skip

    assert (said.answer, said.considered) == (HELD, 5)


@pytest.mark.parametrize(
    "low",
    [
        send(12, 0, op=2, outcome="unknown"),
        send(12, 0, op=2, outcome="failed"),
        send(12, 0, op=2, acks="1"),
        send(12, None, op=2),
    ],
    ids=["unknown", "failed", "acks=1", "no offset"],
)
def test_only_what_was_acknowledged_by_all_at_an_offset_has_a_place(
    both_say: Say, low: Row
) -> None:
    said = both_say(CLAIM, ORDERLY, _given(3, 4), low)

    assert (said.answer, said.considered) == (HELD, 2)


def test_two_at_one_offset_are_another_claims_matter(both_say: Say) -> None:
    said = both_say(CLAIM, ORDERLY, _given(3, 3))

    assert (said.answer, said.considered) == (HELD, 2)


def test_one_that_was_given_far_above_is_found_from_far_below(both_say: Say) -> None:
    """Blocks of offsets are judged apart: of those above there is what was surveyed."""
    far = 1 << 24

    said = both_say(CLAIM, ORDERLY, _given(far, far + 1, 0, 1))

    assert (said.answer, said.anomalies) == (VIOLATED, 2)
    assert [each["after_offset"] for each in said.witnesses] == [far, far]
