"""A record has the key that it was sent with, wherever it comes back."""

from __future__ import annotations

import pytest
from tests.checkers.conftest import HELD, UNKNOWN, VIOLATED, Say, end, poll, send, stored

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


def test_of_a_value_that_was_sent_with_two_keys_another_one_decides_nothing(both_say: Say) -> None:
    twice = [send(10, 0, key=7), send(10, 1, key=9)]

    assert both_say(CORRUPT, *twice, poll(10, 0, key=9)).answer is HELD
    verdict = both_say(CORRUPT, *twice, poll(10, 0, key=8))

    assert (verdict.answer, verdict.anomalies) == (UNKNOWN, 0)
    assert verdict.reason == "1 undecided, sent with several keys"


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
