"""What clients promised: one account of each, whatever the order of its rows."""

from __future__ import annotations

import pytest
from tests.checkers.conftest import UNKNOWN, VIOLATED, Say, consumer, end, poll, send

pytestmark = pytest.mark.spark

PASSED = [send(1, 0), send(2, 1), poll(2, 1), end(2)]


@pytest.mark.parametrize("words", [("earliest", "latest"), ("latest", "earliest")])
def test_a_client_that_promised_two_things_makes_its_table_unreadable(
    both_say: Say, words: tuple[str, str]
) -> None:
    said = both_say("lost-write", PASSED, [consumer(begins_at=word) for word in words])

    assert (said.answer, said.considered) == (UNKNOWN, 0)
    assert said.reason.endswith(
        "clients: expected one row for each client, saw several of 'reader' that differ in "
        "begins_at"
    )


def test_a_client_may_say_the_same_twice(both_say: Say) -> None:
    said = both_say("lost-write", PASSED, consumer(), consumer())

    assert (said.answer, said.anomalies) == (VIOLATED, 1)


def test_of_several_clients_that_differ_the_first_by_name_is_told(both_say: Say) -> None:
    names = ("zoe", "ann", "zoe", "ann")
    rows = [consumer(name, client_id=str(at)) for at, name in enumerate(names)]

    assert "several of 'ann' that differ in client_id" in both_say("unseen", PASSED, rows).reason


def test_a_reader_that_was_handed_nothing_in_a_partition_may_have_begun_at_its_end(
    both_say: Say,
) -> None:
    """It began at offset 0 elsewhere: where that was empty yet, one that begins at the end does."""
    elsewhere = [send(1, 0), poll(1, 0), end(1)]
    table, ended = end(1)
    rows = [*elsewhere, send(2, 0, partition=1), (table, {**ended, "partition": 1})]

    said = both_say("lost-write", rows)
    known = both_say("lost-write", rows, consumer(begins_at="earliest"))

    assert (said.answer, said.considered) == (UNKNOWN, 2)
    assert known.answer is VIOLATED
