"""What only readers of uncommitted records were handed, though it was committed: literal histories.

A committed transaction whose marker says that it was aborted, as of one that a late marker has
ended, is in the log, and who reads uncommitted records is handed it.
"""

from __future__ import annotations

from typing import Any

import pytest
from tests.checkers.conftest import (
    HELD,
    UNKNOWN,
    VIOLATED,
    Row,
    Say,
    consumer,
    end,
    poll,
    producer,
    replicas,
    send,
    stored,
)

pytestmark = pytest.mark.spark

CLIENTS = [producer(), producer("tx", transactional_id="tx"), consumer(),
           consumer("loud", isolation="read_uncommitted")]  # fmt: skip
COMMITTED = send(1, 1, (0, 8), client="tx", transaction=1)  # a marker stands at 2


def told(row: Row, at_ns: int, **more: Any) -> Row:
    table, columns = row
    return table, {**columns, "invoked_ns": at_ns, "completed_ns": at_ns + 1, **more}


def log(partition: int = 0) -> list[Row]:
    values = (0, 1, None, 2) if not partition else (11, None)
    return [
        stored(each, at, value, position=at, is_control=value is None, partition=partition)
        for each in (1, 2, 3)
        for at, value in enumerate(values)
    ]


AROUND = [*CLIENTS, send(0, 0), send(2, 3)]
LOUD = [told(poll(value, at, client="loud"), 5) for value, at in ((0, 0), (1, 1), (2, 3))]
QUIET = [told(poll(0, 0), 10), told(poll(2, 3), 20), told(end(4), 30)]


def test_a_committed_record_that_only_others_were_handed_is_unseen(both_say: Say) -> None:
    rows = [*AROUND, COMMITTED, *QUIET, *log(), *replicas(4)]

    said, without = both_say("unseen", rows, LOUD), both_say("unseen", rows)

    assert (without.answer, without.anomalies) == (VIOLATED, 1)
    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 3, 1)
    assert said.witnesses == without.witnesses


@pytest.mark.parametrize(
    "quiet",
    [
        [],  # no other reader is there
        [told(poll(2, 3), 20), told(end(4), 30)],  # it begins beyond
        [told(poll(0, 0), 2), told(poll(2, 3), 6)],  # it had passed before the commit was confirmed
        [told(poll(0, 0), 10), told(poll(None, 1), 15), told(poll(2, 3), 20)],
        [*QUIET, told(poll(1, 1, client="other"), 40)],
    ],
    ids=["alone", "beyond", "before", "unreadable", "another was handed it"],
)
def test_who_is_not_known_to_have_passed_it_later_shows_nothing(
    both_say: Say, quiet: list[Row]
) -> None:
    rows = [*AROUND, COMMITTED, *LOUD, *log(), *replicas(4)]
    latest = [consumer("other"), consumer(begins_at="latest")]
    told_of = [row for row in rows if row != consumer()]

    assert both_say("unseen", told_of, latest, quiet).answer is HELD


def test_without_a_log_the_reader_has_skipped_it(both_say: Say) -> None:
    said = both_say("poll-skip", AROUND, COMMITTED, LOUD, QUIET)

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 6, 1)
    assert (said.witnesses[0]["client"], said.witnesses[0]["handed_to"]) == ("reader", "loud")


@pytest.mark.parametrize(
    "sent",
    [
        send(1, None, (0, 8), client="tx", transaction=1, outcome="failed"),
        send(1, None, (0, None), client="tx", transaction=1, outcome="unknown"),
        send(1, 1, (0, 8), acks="1"),
        send(1, 0, (0, 8), client="tx", transaction=1),
        send(1, None, (0, 8), client="tx", transaction=1),
    ],
    ids=["aborted", "nobody knows", "acks=1", "elsewhere", "nobody told where"],
)
def test_what_may_be_aborted_or_of_another_send_is_no_gap(both_say: Say, sent: Row) -> None:
    said = both_say("poll-skip", AROUND, sent, LOUD, QUIET)

    assert (said.answer, said.considered) == (HELD, 5)


def torn(*more: Row) -> list[Row]:
    """Half of a transaction, in another partition, is handed to readers of committed records."""
    other = send(11, 0, (0, 8), client="tx", transaction=1, partition=1)
    logs = [*log(), *replicas(4), *log(1), *replicas(2, partition=1)]
    return [*AROUND, COMMITTED, other, told(poll(11, 0, partition=1), 9), *logs, *more]


def test_a_transaction_is_torn_whoever_else_was_handed_the_other_half(both_say: Say) -> None:
    said = both_say("torn-transaction", torn(*QUIET, *LOUD))
    alone = both_say("torn-transaction", torn(*LOUD))

    assert both_say("torn-transaction", torn(*QUIET)).answer is VIOLATED
    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 2, 1)
    assert alone.answer is UNKNOWN
    assert alone.reason == "1 undecided, handed to readers of uncommitted records only"
