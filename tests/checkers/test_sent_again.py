"""Values that an application sends again: two copies of two sends are nobody's duplicate."""

from __future__ import annotations

import pytest
from tests.checkers.conftest import (
    HELD,
    UNKNOWN,
    VIOLATED,
    Row,
    Say,
    consumer,
    poll,
    producer,
    replicas,
    send,
    stored,
)

pytestmark = pytest.mark.spark

CLAIM = "duplicate"
AS_SENT = "1 stand as often as they were sent (allowed)"
NOT_TOLD = send(1, None, (0, 50), outcome="unknown")
AGAIN = send(1, 5, (60, 61))
TX = producer(transactional_id="tx")
ABORTED = send(1, None, (0, 50), outcome="failed", transaction=1)
LOUD = consumer("loud", isolation="read_uncommitted")


def log(*offsets: int) -> list[Row]:
    """Of all replicas: the value 1 at these offsets, and others."""
    return [
        stored(broker, at, 1 if at in offsets else 10 + at, position=at)
        for broker in (1, 2, 3)
        for at in range(6)
    ]


@pytest.mark.parametrize(
    "first",
    [
        NOT_TOLD,
        send(1, None, (0, None), outcome="invoked", client="killed"),
        send(1, 0, (0, 50)),
    ],
    ids=["timed out", "killed before it was told", "acknowledged"],
)
def test_what_was_sent_twice_may_stand_twice(both_say: Say, first: Row) -> None:
    """KafkaProducer: what an application sends again is not known to be the same."""
    read = [poll(1, 0), poll(1, 5)]

    said = both_say(CLAIM, producer(), first, AGAIN, read)
    stands = both_say(CLAIM, producer(), first, AGAIN, log(0, 5), replicas(6))

    assert (said.answer, said.considered) == (HELD, 1)
    assert said.reason == f"1 handed out 2 times (allowed); {AS_SENT}"
    assert (stands.answer, stands.reason) == (HELD, AS_SENT)


def test_it_may_not_stand_more_often_than_it_was_sent(both_say: Say) -> None:
    thrice = both_say(CLAIM, producer(), NOT_TOLD, AGAIN, poll(1, 0), poll(1, 3), poll(1, 5))
    once = both_say(CLAIM, producer(), AGAIN, poll(1, 0), poll(1, 5))
    elsewhere = both_say(CLAIM, producer(), NOT_TOLD, AGAIN, poll(1, 0), poll(1, 3))
    partly = send(1, None, (0, 50), outcome="unknown", partition=1)

    assert (thrice.answer, once.answer, elsewhere.answer) == (VIOLATED, VIOLATED, VIOLATED)
    assert both_say(CLAIM, producer(), partly, AGAIN, poll(1, 0), poll(1, 5)).answer is VIOLATED


def test_what_was_refused_was_not_written_and_explains_no_copy(both_say: Say) -> None:
    refused = send(1, None, (0, 50), outcome="failed")

    said = both_say(CLAIM, producer(), refused, AGAIN, poll(1, 0), poll(1, 5))

    assert said.answer is VIOLATED


def test_one_that_was_acknowledged_where_the_log_has_nothing_of_it_is_astray(
    both_say: Say,
) -> None:
    """Its copy is gone, or was never where the broker said."""
    rows = [producer(), NOT_TOLD, AGAIN, *log(0)]

    said = both_say(CLAIM, rows, replicas(6))
    deleted = both_say(CLAIM, producer(), send(1, 0, (0, 50)), AGAIN, log(5),
                       replicas(6, log_start_offset=1))  # fmt: skip
    compacted = both_say(CLAIM, rows, replicas(6), topic_settings={"cleanup.policy": "compact"})
    unsettled = both_say(CLAIM, rows, replicas(6, settled=False))

    assert (said.answer, said.anomalies) == (VIOLATED, 1)
    assert (deleted.answer, compacted.answer, unsettled.answer) == (HELD, HELD, HELD)


def test_without_a_log_a_reader_that_passed_there_tells(both_say: Say) -> None:
    rows = [producer(), NOT_TOLD, AGAIN, consumer()]
    later = {"invoked_ns": 70, "completed_ns": 71}
    beyond, before = poll(9, 6, **later), poll(9, 6, invoked_ns=58, completed_ns=59)

    passed = both_say(CLAIM, rows, poll(1, 0), beyond)
    assert (passed.answer, passed.witnesses[0]["also_at"]) == (VIOLATED, 5)

    assert both_say(CLAIM, rows, poll(1, 0)).answer is HELD
    assert both_say(CLAIM, rows, poll(1, 0), before).answer is HELD
    assert both_say(CLAIM, rows, poll(1, 0), poll(None, 5), beyond).answer is HELD
    limits = {"retention.ms": "1"}
    assert both_say(CLAIM, rows, poll(1, 0), beyond, topic_settings=limits).answer is HELD


def test_readers_of_uncommitted_records_may_be_handed_a_copy_that_was_aborted(
    both_say: Say,
) -> None:
    sends = [TX, LOUD, ABORTED, send(1, 5, (60, 61), transaction=2)]
    shown = [poll(1, 5), poll(1, 5, client="loud")]

    said = both_say(CLAIM, sends, shown, poll(1, 0, client="loud"))
    more = both_say(CLAIM, sends, shown, poll(1, 0, client="loud"), poll(1, 3, client="loud"))
    committed = both_say(CLAIM, sends, shown, poll(1, 0))

    assert (said.answer, more.answer, committed.answer) == (HELD, VIOLATED, VIOLATED)


def test_nobody_can_tell_of_one_copy_too_many_that_may_be_aborted(both_say: Say) -> None:
    unknown = send(1, None, (0, 50), outcome="unknown", transaction=1)

    said = both_say(CLAIM, TX, unknown, log(0, 5), replicas(6))

    assert said.answer is UNKNOWN


def test_a_producer_that_reads_uncommitted_records_was_told_where_its_own_stand(
    both_say: Say,
) -> None:
    own = producer(transactional_id="tx", isolation="read_uncommitted")

    said = both_say(CLAIM, own, ABORTED, send(1, 5, (60, 61), transaction=2), poll(1, 0))

    assert said.answer is VIOLATED
