"""Readers of uncommitted records, as most libraries have by default: what binds them."""

from __future__ import annotations

from typing import Any

import pytest
from tests.checkers.conftest import (
    HELD,
    UNKNOWN,
    VIOLATED,
    Row,
    Say,
    commit,
    consumer,
    end,
    poll,
    processed,
    producer,
    send,
)

pytestmark = pytest.mark.spark

LOUD = {"isolation": "read_uncommitted"}
QUIET = {"isolation": "read_committed"}
SENT = [producer(), *(send(each, each) for each in range(3))]
GROUP: dict[str, Any] = {"groups": {"billing": {"auto.offset.reset": "earliest"}}}


def handed(client: str, *offsets: int, **more: Any) -> list[Row]:
    return [poll(each, each, client=client, **more) for each in offsets]


# poll-skip


@pytest.mark.parametrize("other", [LOUD, QUIET], ids=["of its like", "of committed ones"])
def test_a_reader_of_uncommitted_records_is_handed_whatever_anybody_is(
    both_say: Say, other: dict[str, str]
) -> None:
    rows = [*SENT, consumer("b", **LOUD), consumer("a", **other), *handed("a", 0, 1, 2)]

    skips = both_say("poll-skip", rows, handed("b", 0, 2))
    reads = both_say("poll-skip", rows, handed("b", 0, 1, 2))

    assert (skips.answer, skips.considered, skips.anomalies) == (VIOLATED, 6, 1)
    assert (skips.witnesses[0]["client"], skips.witnesses[0]["offset"]) == ("b", 1)
    assert (reads.answer, reads.considered) == (HELD, 6)


def test_it_is_handed_what_is_aborted_as_well(both_say: Say) -> None:
    """Nobody can tell of what it was not: a send that failed may have written it, or not."""
    clients = [producer("tx", transactional_id="tx"), *(consumer(each, **LOUD) for each in "ab")]
    aborted = send(7, None, client="tx", transaction=1, outcome="failed")
    rows = [*SENT[:2], SENT[3], *clients, aborted, *handed("a", 0, 2), poll(7, 1, client="a")]

    said = both_say("poll-skip", rows, handed("b", 0, 2))

    assert (said.answer, said.considered) == (UNKNOWN, 6)


@pytest.mark.parametrize("outcome", ["ok", "unknown"])
def test_what_failed_elsewhere_excuses_no_such_reader(both_say: Say, outcome: str) -> None:
    """Whatever is known of where a record stands, or of how its transaction ended."""
    clients = [producer("tx", transactional_id="tx"), *(consumer(each, **LOUD) for each in "ab")]
    untold = send(1, None, client="tx", transaction=1, outcome=outcome)
    failed = send(9, None, client="tx", transaction=2, outcome="failed")
    rows = [SENT[0], SENT[1], SENT[3], *clients, untold, failed, *handed("a", 0, 1, 2)]

    said = both_say("poll-skip", rows, handed("b", 0, 2))

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 6, 1)


# unprocessed


def undone(**more: Any) -> list[Row]:
    member = consumer("billing-1", group_id="billing", **more)
    return [member, *handed("billing-1", 0, 1, 2), processed(0, 1), commit(3)]


def test_a_group_of_such_readers_processes_what_had_been_acknowledged(both_say: Say) -> None:
    said = both_say("unprocessed", SENT, undone(**LOUD), **GROUP)

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 3, 2)
    assert said.witnesses == both_say("unprocessed", SENT, undone(**QUIET), **GROUP).witnesses


@pytest.mark.parametrize(
    "sent",
    [
        send(1, None, outcome="unknown"),
        send(1, None, outcome="failed", transaction=1),
        send(1, 1, acks="1"),
        send(1, 5),
    ],
)
def test_what_may_be_aborted_need_not_be_processed(both_say: Say, sent: Row) -> None:
    rows = [*SENT[:2], sent, SENT[3], consumer("billing-1", group_id="billing", **LOUD)]
    done = [processed(0, 1), processed(2, 3), commit(3)]

    said = both_say("unprocessed", rows, handed("billing-1", 0, 1, 2), done, **GROUP)

    assert (said.answer, said.considered) == (HELD, 2)


# not-exactly-once

HAND = "billing-1#producer"


def pipeline(*outputs: int, **more: Any) -> list[Row]:
    """Each of them is made of the record 0, and readers of committed records are handed it."""
    told = {"client_id": "billing-1", "group_id": "billing"}
    clients = [producer(HAND, transactional_id="tx", **told), consumer("billing-1", **told, **more)]
    bills = {"topic": "bills", "made_of": 0, "client": HAND, "transaction": 1}
    sent = [send(each, at, (2, 3), **bills) for at, each in enumerate(outputs)]
    seen = [poll(each, at, topic="bills", client="clerk") for at, each in enumerate(outputs)]
    return [*clients, *handed("billing-1", 0), *sent, *seen, processed(0, 1), commit(1)]


@pytest.mark.parametrize("reads", [LOUD, QUIET])
def test_what_a_pipeline_was_handed_so_has_one_output(both_say: Say, reads: dict[str, str]) -> None:
    answers = [
        both_say("not-exactly-once", SENT[:2], pipeline(*outputs, **reads), **GROUP).answer
        for outputs in ((20,), (20, 21), ())
    ]

    assert answers == [HELD, VIOLATED, VIOLATED]


# stale-read


def at(row: Row, at_ns: int, client: str) -> Row:
    table, columns = row
    return table, {**columns, "client": client, "invoked_ns": at_ns, "completed_ns": at_ns + 1}


@pytest.mark.parametrize(("ended_ns", "answer"), [(20, UNKNOWN), (60, VIOLATED)])
def test_others_wait_where_such_a_reader_was_handed_what_is_of_an_open_transaction(
    both_say: Say, ended_ns: int, answer: object
) -> None:
    """Its producer was told of another copy alone, after 50 ns."""
    sent = [producer("tx", transactional_id="tx"), send(1, 1, (0, 50), client="tx", transaction=1)]
    clients = [consumer("loud", **LOUD), consumer("early"), consumer("late")]
    shown = [at(poll(1, offset), 10, "loud") for offset in (0, 1)]
    committed = at(poll(1, 1), 55, "early")

    said = both_say("stale-read", sent, clients, shown, committed, at(end(0), ended_ns, "late"))

    assert said.answer is answer
