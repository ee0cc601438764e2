"""Transactions of which some records are there and others are not."""

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

CLAIM = "torn-transaction"
Told = dict[str, Any]
UNTOLD: Told = {"outcome": "unknown", "offset": None}
OPEN: Told = {"outcome": "invoked", "offset": None, "completed_ns": None}
ABORTED: Told = {"outcome": "failed", "offset": None}


def sent(value: int, offset: int | None = None, transaction: int | None = 1, **more: Any) -> Row:
    return send(value, offset, transaction=transaction, **more)


def kept(*values: int, markers: int = 1) -> list[Row]:
    """The same log on all replicas, in which markers come last."""
    log_end = len(values) + markers
    control = {"checksum": None, "digest": 0, "is_control": True}
    return [
        *(stored(broker, at, value) for broker in (1, 2, 3) for at, value in enumerate(values)),
        *(
            stored(broker, at, None, **control)
            for broker in (1, 2, 3)
            for at in range(len(values), log_end)
        ),
        *replicas(log_end),
    ]


CLIENTS = [producer(transactional_id="tx"), consumer()]
LATER: Told = {"invoked_ns": 20, "completed_ns": 20}


def test_a_transaction_of_which_all_was_handed_out_is_whole(both_say: Say) -> None:
    said = both_say(CLAIM, CLIENTS, sent(1, 0), sent(2, 1), poll(1, 0), poll(2, 1), kept(1, 2))

    assert (said.answer, said.considered) == (HELD, 2)


@pytest.mark.parametrize("told", [{}, UNTOLD, OPEN])
def test_what_the_log_lacks_is_torn_out(both_say: Say, told: Told) -> None:
    """Whether its producer was told that it is committed, or nothing at all."""
    rows = [sent(1, **({"offset": 0} | told)), sent(2, **({"offset": 1} | told))]

    said = both_say(CLAIM, CLIENTS, rows, poll(1, 0), kept(1))

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 2, 1)
    (witness,) = said.witnesses
    assert (witness["value"], witness["transaction"], witness["where"]) == (2, 1, "gone")


def test_and_so_is_what_readers_passed_where_no_log_is_in_the_record(both_say: Say) -> None:
    said = both_say(CLAIM, CLIENTS, sent(1, 0), sent(2, 1), poll(1, 0), end(3))

    assert (said.answer, said.anomalies) == (VIOLATED, 1)


@pytest.mark.parametrize("told", [{}, UNTOLD, OPEN])
def test_what_the_log_has_and_a_reader_passed_later_is_torn_out(both_say: Say, told: Told) -> None:
    rows = [sent(1, **({"offset": 0} | told)), sent(2, **({"offset": 1} | told))]
    passing = [poll(1, 0), poll(None, 3, action="end", checksum=None, **LATER)]

    said = both_say(CLAIM, CLIENTS, rows, passing, kept(1, 2))

    assert (said.answer, said.anomalies) == (VIOLATED, 1)
    (witness,) = said.witnesses
    assert witness["where"] == "in the leader's log, and a reader passed it"
    assert (witness["offset"], witness["another_handed_ns"]) == (1, 5)


def test_a_reader_that_had_passed_before_proves_nothing(both_say: Say) -> None:
    rows = [sent(1, partition=1, **UNTOLD), sent(2, **UNTOLD)]
    early = poll(None, 2, action="end", checksum=None, invoked_ns=2, completed_ns=3)

    said = both_say(CLAIM, CLIENTS, rows, early, poll(1, 0, partition=1), kept(2))

    assert said.answer is UNKNOWN
    assert "nobody knows whether a reader passed it since" in said.reason


def test_nor_does_a_log_that_nobody_has_read(both_say: Say) -> None:
    said = both_say(CLAIM, CLIENTS, sent(1, **UNTOLD), sent(2, **UNTOLD), poll(1, 0), kept(1, 2))

    assert (said.answer, said.considered) == (UNKNOWN, 2)
    assert "no reader is known to have passed it since" in said.reason


def test_a_transaction_may_be_torn_between_partitions(both_say: Say) -> None:
    there = {"partition": 1}
    log = [(table, {**row, **there}) for table, row in kept()]

    said = both_say(
        CLAIM, CLIENTS, sent(1, 0), sent(2, 0, **there), poll(1, 0), kept(1), log
    )  # fmt: skip

    assert (said.answer, said.anomalies) == (VIOLATED, 1)
    assert said.witnesses[0]["partition"] == 1


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([sent(1, **UNTOLD), sent(2, **UNTOLD)], id="nothing was handed out"),
        pytest.param([sent(1, **ABORTED), sent(2, **ABORTED), poll(1, 0)], id="it was aborted"),
        pytest.param([sent(1, 0), poll(1, 0)], id="it has one record"),
        pytest.param([sent(1, 0), sent(2, 1, transaction=2), poll(1, 0)], id="they are two"),
        pytest.param(
            [sent(1, 0), sent(2, 1, client="other"), poll(1, 0), producer("other")],
            id="they are two of two clients",
        ),
        pytest.param([sent(1, 0, None), sent(2, 1, None), poll(1, 0)], id="it is none"),
        pytest.param(
            [sent(1, 0), sent(2, 1), poll(1, 0, client="dirty"),
             consumer("dirty", isolation="read_uncommitted")],
            id="only readers of uncommitted records were handed any",
        ),
    ],
)  # fmt: skip
def test_it_is_not_asked_for_where(both_say: Say, rows: list[Row]) -> None:
    said = both_say(CLAIM, CLIENTS, rows, kept(1))

    assert (said.answer, said.considered) == (UNKNOWN, 0)


def test_of_a_value_that_was_sent_again_nobody_can_tell(both_say: Say) -> None:
    again = [sent(2, op=10, **UNTOLD), sent(2, op=11, transaction=2, **UNTOLD)]

    said = both_say(
        CLAIM, CLIENTS, sent(1, 0), sent(3, 1), again, poll(1, 0), poll(3, 1), kept(1, 3)
    )

    assert (said.answer, said.considered) == (HELD, 2)


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"settled": False}, "the replicas had not settled"),
        ({"log_start_offset": 2}, "the leader's log starts only after it"),
        ({"log_start_offset": None}, "nobody told where the leader's log starts"),
    ],
)
def test_where_the_log_does_not_tell_nobody_can(both_say: Say, more: Told, why: str) -> None:
    rows = [sent(1, 0), sent(2, 1), poll(1, 0)]

    said = both_say(CLAIM, CLIENTS, rows, *(stored(1, 0, 1),), replicas(2, **more))

    assert said.answer is UNKNOWN
    assert why in said.reason


def test_what_only_readers_of_uncommitted_records_were_handed_may_be_aborted_or_not(
    both_say: Say,
) -> None:
    dirty = [consumer("dirty", isolation="read_uncommitted"), poll(2, 1, client="dirty")]

    said = both_say(CLAIM, CLIENTS, sent(1, 0), sent(2, 1), poll(1, 0), dirty, kept(1, 2))

    assert said.answer is UNKNOWN
    assert "handed to readers of uncommitted records only" in said.reason


def test_a_deleted_record_that_the_log_still_has_is_not_asked_for(both_say: Say) -> None:
    log = [(table, {**row, "log_start_offset": 2} if table == "replica_ends" else row)
           for table, row in kept(1, 2)]  # fmt: skip
    passing = poll(None, 3, action="end", checksum=None, **LATER)

    said = both_say(CLAIM, CLIENTS, sent(1, 0), sent(2, 1), poll(1, 0), passing, log)

    assert said.answer is UNKNOWN


def test_a_number_that_is_used_again_is_another_transaction(both_say: Say) -> None:
    """As by a tool that counts from 1 again when it is restarted."""
    first = [sent(1, 0), sent(2, 1), poll(1, 0), poll(2, 1)]
    times = {"invoked_ns": 100, "completed_ns": 101}

    said = both_say(CLAIM, CLIENTS, first, sent(3, **UNTOLD | times), kept(1, 2))

    assert said.answer is UNKNOWN
    assert "sent when another record of its transaction had been handed out" in said.reason


@pytest.mark.parametrize(
    ("of_sends", "of_client"),
    [({}, {"transactional_id": None}), ({"acks": "0"}, {}), ({"acks": "1"}, {})],
)
def test_what_can_be_in_no_transaction_is_not_asked_for(
    both_say: Say, of_sends: Told, of_client: Told
) -> None:
    client = producer(**{"transactional_id": "tx", **of_client})

    said = both_say(
        CLAIM,
        client,
        consumer(),
        sent(1, 0, **of_sends),
        sent(2, 1, **of_sends),
        poll(1, 0),
        kept(1),
    )

    assert (said.answer, said.considered) == (UNKNOWN, 0)


def test_by_a_clock_that_ran_backwards_nobody_can_tell(both_say: Say) -> None:
    rows = [sent(1, 0), sent(2, None, outcome="unknown", invoked_ns=9, completed_ns=3)]

    said = both_say(CLAIM, CLIENTS, rows, poll(1, 0), kept(1))

    assert said.answer is UNKNOWN


@pytest.mark.parametrize("offset", [None, -1])
@pytest.mark.parametrize("claim", [CLAIM, "unseen"])
def test_what_a_reader_was_handed_nobody_knows_where_may_be_any_of_them(
    both_say: Say, claim: str, offset: int | None
) -> None:
    blank = poll(None, offset, checksum=None, **LATER)
    passing = poll(None, 3, action="end", checksum=None, **LATER)

    said = both_say(claim, CLIENTS, sent(1, 0), sent(2, 1), poll(1, 0), blank, passing, kept(1, 2))

    assert said.answer is UNKNOWN


def test_nor_is_it_lost_where_no_log_is_in_the_record(both_say: Say) -> None:
    blank = poll(None, None, checksum=None, **LATER)

    said = both_say("lost-write", CLIENTS, sent(1, 0), sent(2, 1), poll(1, 0), blank, end(3))

    assert said.answer is UNKNOWN


def test_what_is_told_every_second_of_an_open_send_is_one_send(both_say: Say) -> None:
    table, row = sent(2, **OPEN)
    often = [(table, {**row, "op": 99, "completed_ns": None})] * 3

    said = both_say(CLAIM, CLIENTS, sent(1, 0), often, poll(1, 0), kept(1))

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 2, 1)
