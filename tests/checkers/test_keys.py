"""A record has the key that it was sent with, wherever it comes back."""

from __future__ import annotations

from typing import Any

import pytest
from tests.checkers.conftest import HELD, UNKNOWN, VIOLATED, Row, Say, end, poll, send, stored

from highwater.harness.model import Answer
from highwater.harness.tables import NO_KEY

pytestmark = pytest.mark.spark

CORRUPT = "corrupt-value"


def test_a_key_that_comes_back_is_as_it_was_sent(both_say: Say) -> None:
    kept = [stored(broker, 0, 10, key=7) for broker in (1, 2)]

    verdict = both_say(CORRUPT, send(10, 0, key=7), poll(10, 0, key=7), *kept)

    assert (verdict.answer, verdict.considered) == (HELD, 3)


def test_another_key_is_found_with_a_reader_and_on_a_disk(both_say: Say) -> None:
    seen, kept = poll(10, 0, key=8), stored(2, 0, 10, key=9)

    verdict = both_say(CORRUPT, send(10, 0, key=7), seen, kept, stored(1, 0, 10, key=7))

    assert (verdict.answer, verdict.anomalies) == (VIOLATED, 2)
    told = [(w["found_by"], w["problem"], w["key"], w["sent_key"]) for w in verdict.witnesses]
    assert sorted(told) == [("broker 2", "key differs", 9, 7), ("reader", "key differs", 8, 7)]


@pytest.mark.parametrize("checksum", [None, 99])
def test_what_was_told_of_a_send_before_its_end_is_superseded(
    both_say: Say, checksum: int | None
) -> None:
    rows = [
        send(5, None, (0, None), outcome="invoked", checksum=checksum, op=1),
        send(5, 0, (0, 1), checksum=1, op=1),
        poll(5, 0, checksum=99),
    ]

    assert both_say("corrupt-value", rows).answer is VIOLATED


@pytest.mark.parametrize(("sent", "seen"), [(7, NO_KEY), (NO_KEY, 7)])
def test_a_key_that_is_lost_or_comes_from_nowhere_is_another_one(
    both_say: Say, sent: int, seen: int
) -> None:
    assert both_say(CORRUPT, send(10, 0, key=sent), poll(10, 0, key=seen)).answer is VIOLATED


@pytest.mark.parametrize(("sent", "seen"), [(7, None), (None, 7), (None, None)])
def test_a_key_of_which_nobody_told_accuses_nobody(
    both_say: Say, sent: int | None, seen: int | None
) -> None:
    assert both_say(CORRUPT, send(10, 0, key=sent), poll(10, 0, key=seen)).answer is HELD


def test_a_value_that_was_sent_with_several_keys_has_one_of_them(both_say: Say) -> None:
    several = [send(10, at, key=key) for at, key in enumerate((7, 9, 11))]

    for key in (7, 9, 11):
        assert both_say(CORRUPT, *several, poll(10, 0, key=key)).answer is HELD
    assert both_say(CORRUPT, *several, poll(10, 0, key=8)).answer is VIOLATED


def test_a_payload_of_one_send_does_not_go_with_the_key_of_another(both_say: Say) -> None:
    sends = [send(10, 0, key=7, checksum=1), send(10, 1, key=9, checksum=2)]

    for key, checksum, answer in ((7, 1, HELD), (9, 2, HELD), (9, 1, VIOLATED), (7, 2, VIOLATED)):
        assert both_say(CORRUPT, *sends, poll(10, 0, key=key, checksum=checksum)).answer is answer


@pytest.mark.parametrize(
    ("untold", "seen", "answer"),
    [
        ({"key": None}, {"key": 8}, HELD),  # as the other send may have been, but for its payload
        ({"key": None}, {"key": 8, "checksum": 71}, VIOLATED),
        ({"checksum": None}, {"checksum": 71}, UNKNOWN),
        ({"key": None, "checksum": None}, {"key": 8}, UNKNOWN),
        ({"key": None, "checksum": None}, {"key": 7}, HELD),
        ({"outcome": "unknown", "checksum": None}, {"checksum": 71}, UNKNOWN),
    ],
)
def test_where_one_of_its_sends_is_untold_nobody_knows_what_may_not_come_back(
    both_say: Say, untold: dict[str, Any], seen: dict[str, int], answer: Answer
) -> None:
    sends = [send(10, 1, **untold), send(10, 0, key=7)]

    assert both_say(CORRUPT, *sends, poll(10, 0, **seen)).answer is answer


def test_what_was_sent_elsewhere_is_asked_where_it_was_not_sent_here(both_say: Say) -> None:
    here, there = send(10, 0, key=None, checksum=None), send(10, 0, key=7, partition=1)

    assert both_say(CORRUPT, here, there, poll(10, 0, key=8)).answer is UNKNOWN
    assert both_say(CORRUPT, there, poll(10, 0, key=8)).answer is VIOLATED


@pytest.mark.parametrize(
    "rows",
    [
        [send(10, 0, checksum=None), poll(10, 0, checksum=None)],
        [send(10, 0, key=7), poll(10, 0, checksum=None)],
        [send(10, 0, key=7), poll(11, 1, key=8)],
    ],
)
def test_what_can_be_compared_with_nothing_says_nothing(both_say: Say, rows: list[Row]) -> None:
    said = both_say(CORRUPT, *rows)

    assert (said.answer, said.considered) == (UNKNOWN, 0)


def test_a_checksum_that_differs_tells_it_whatever_is_unsure_of_keys(both_say: Say) -> None:
    twice = [send(10, 0, key=7), send(10, 1, key=9)]

    verdict = both_say(CORRUPT, *twice, poll(10, 0, key=8, checksum=1))

    assert (verdict.answer, verdict.anomalies) == (VIOLATED, 1)
    assert verdict.witnesses[0]["problem"] == "checksum differs"


def test_a_key_is_compared_with_the_send_to_its_own_partition(both_say: Say) -> None:
    here, there = send(10, 0, key=7), send(10, 0, key=8, partition=1)

    assert both_say(CORRUPT, here, there, poll(10, 0, key=7)).answer is HELD
    assert both_say(CORRUPT, here, there, poll(10, 0, key=8)).answer is VIOLATED
    assert both_say(CORRUPT, there, poll(10, 0, key=8)).answer is HELD


def test_a_wrong_key_is_no_lost_record(both_say: Say) -> None:
    rows = [send(10, 0, key=7), poll(10, 0, key=8), end(1)]

    assert both_say("lost-write", *rows).answer is HELD
