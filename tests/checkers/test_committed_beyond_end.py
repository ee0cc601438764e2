"""Groups that commit beyond all that a log has ever held: the claim accepts, refuses, declines."""

from __future__ import annotations

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
    look,
    poll,
    processed,
    producer,
    replica,
    replicas,
    send,
    stored,
)

from highwater.harness.model import Answer

pytestmark = pytest.mark.spark

CLAIM = "committed-beyond-end"
SENT = [producer(), *(send(value, value) for value in range(3))]


def test_positions_up_to_the_end_of_the_log_are_in_order(both_say: Say) -> None:
    commits = [commit(0), commit(3, (2, 3)), commit(2, group="audit")]

    said = both_say(CLAIM, SENT, commits, replicas(3))

    assert (said.answer, said.considered, said.anomalies) == (HELD, 2, 0)


def test_a_position_beyond_the_end_of_the_log_passes_over_what_comes_next(both_say: Say) -> None:
    wrong = [commit(8, (4, 5), client="billing-2"), commit(8, (2, 3)), commit(5, (6, 7))]

    said = both_say(CLAIM, SENT, commit(3), wrong, commit(3, group="audit"), replicas(3))

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 2, 1)
    (witness,) = said.witnesses
    assert witness == {"topic": "orders", "partition": 0, "group": "billing", "offset": 8,
                       "client": "billing-1", "invoked_ns": 2, "log_end_offset": 3}  # fmt: skip


def test_a_partition_that_nobody_sent_to_ends_where_it_begins(both_say: Say) -> None:
    empty = [replica(broker, 0, partition=1) for broker in (1, 2, 3)]
    rows = [*SENT, *replicas(3), *empty]

    begun = both_say(CLAIM, rows, commit(0, partition=1))
    beyond = both_say(CLAIM, rows, commit(1, partition=1))

    assert (begun.answer, beyond.answer) == (HELD, VIOLATED)


@pytest.mark.parametrize("outcome", ["failed", "unknown", "invoked"])
def test_what_was_not_confirmed_is_not_asked(both_say: Say, outcome: str) -> None:
    said = both_say(CLAIM, SENT, commit(3), commit(8, outcome=outcome), replicas(3))
    alone = both_say(CLAIM, SENT, commit(8, outcome=outcome), replicas(3))

    assert (said.answer, said.considered) == (HELD, 1)
    assert (alone.answer, alone.considered) == (UNKNOWN, 0)


@pytest.mark.parametrize("times", [(0, None), (5, 3)])
def test_when_it_was_confirmed_does_not_matter(both_say: Say, times: tuple[int, int]) -> None:
    said = both_say(CLAIM, SENT, commit(8, times), replicas(3))

    assert (said.answer, said.anomalies) == (VIOLATED, 1)


@pytest.mark.parametrize(
    "told",
    [[send(7, 7)], [send(7, 7, acks="1")], [send(7, 7, outcome="unknown")],
     [send(7, 7, outcome="failed")], [poll(7, 7)], [poll(None, 7)], [poll(7, 7, client="other"),
     consumer("other", isolation="read_uncommitted")], [stored(2, 7, 7)], [end(8)],
     [poll(None, 8, action="stall")]],
    ids=["acknowledged", "by the leader", "unknown", "aborted", "handed out", "no value",
         "uncommitted", "on a follower", "an end", "a stand"],
)  # fmt: skip
def test_what_was_there_once_and_is_lost_excuses_who_committed_it(
    both_say: Say, told: list[Row]
) -> None:
    said = both_say(CLAIM, SENT, told, commit(8), replicas(3))
    beyond = both_say(CLAIM, SENT, told, commit(30), replicas(3))

    assert (said.answer, said.considered) == (HELD, 1)
    assert beyond.answer is VIOLATED


def test_a_follower_with_a_longer_log_excuses_too(both_say: Say) -> None:
    ends = [replica(1, 3), replica(2, 3), replica(3, 8)]

    assert both_say(CLAIM, SENT, commit(8), ends).answer is HELD
    assert both_say(CLAIM, SENT, commit(9), ends).answer is VIOLATED


@pytest.mark.parametrize(
    "ends",
    [[replica(1, 3), replica(2, 3, settled=False)], [replica(2, 3)], replicas(3, is_leader=True),
     [replica(1, 3, log_end_offset=None)], [replica(1, 3, topic="events")]],
    ids=["unsettled", "no leader", "three leaders", "no end", "another topic"],
)  # fmt: skip
def test_without_a_settled_end_nobody_can_tell_of_what_lies_beyond(
    both_say: Say, ends: list[Row]
) -> None:
    said = both_say(CLAIM, SENT, commit(8), ends)
    below = both_say(CLAIM, SENT, commit(3), ends)

    assert (said.answer, below.answer) == (UNKNOWN, HELD)
    assert "the replicas had not settled" in said.reason


def test_without_replica_ends_nothing_is_asked(both_say: Say) -> None:
    said = both_say(CLAIM, SENT, end(3), commit(8), look(9, 1, 3, 3))

    assert (said.answer, said.reason) == (UNKNOWN, "the record has no replica_ends")


def test_of_a_topic_to_which_nobody_is_known_to_have_sent_nobody_can_tell(both_say: Say) -> None:
    elsewhere = send(1, 1, topic="events")

    said = both_say(CLAIM, elsewhere, poll(1, 2), commit(8), replicas(3))
    within = both_say(CLAIM, commit(3), replicas(3))

    assert (said.answer, within.answer) == (UNKNOWN, HELD)
    assert "nobody is known to have sent" in said.reason


def test_the_second_topic_of_a_name_has_an_end_of_its_own(both_say: Say) -> None:
    second = [replica(broker, 1, topic="orders#2") for broker in (1, 2, 3)]
    rows = [*SENT, send(9, 0, topic="orders#2"), *replicas(3), *second]

    first = both_say(CLAIM, rows, commit(3), commit(1, topic="orders#2"))
    late = both_say(CLAIM, rows, commit(3), commit(3, topic="orders#2"))

    assert (first.answer, first.considered) == (HELD, 2)
    assert [one["topic"] for one in late.witnesses] == ["orders#2"]


@pytest.mark.parametrize(
    "more",
    [send(9, None, outcome="unknown"), send(9, None, (0, None), outcome="invoked"),
     send(9, None, acks="0"), send(9, -1)],
    ids=["unknown", "open", "without acks", "no offset"],
)  # fmt: skip
def test_what_may_have_been_written_and_cut_off_excuses_what_is_near(
    both_say: Say, more: Row
) -> None:
    near = both_say(CLAIM, SENT, more, commit(5), replicas(3))
    far = both_say(CLAIM, SENT, more, commit(6), replicas(3))

    assert (near.answer, far.answer) == (UNKNOWN, VIOLATED)
    assert "may have stood there, and be gone" in near.reason


def test_an_open_send_that_ended_later_excuses_nothing(both_say: Say) -> None:
    table, sent = send(9, 3, (5, 6))
    told = [(table, {**sent, "op": 77, "outcome": "invoked", "offset": None, "completed_ns": None}),
            (table, {**sent, "op": 77})]  # fmt: skip

    said = both_say(CLAIM, SENT, told, commit(5), replicas(4))

    assert said.answer is VIOLATED


def test_a_send_of_a_plain_producer_that_was_refused_wrote_nothing(both_say: Say) -> None:
    refused = send(9, None, outcome="failed")

    assert both_say(CLAIM, SENT, refused, commit(4), replicas(3)).answer is VIOLATED
    strange = send(9, None, outcome="failed", client="other")
    assert both_say(CLAIM, SENT, strange, commit(7), replicas(3)).answer is UNKNOWN
    assert both_say(CLAIM, SENT, strange, commit(8), replicas(3)).answer is VIOLATED


def test_each_client_that_may_use_transactions_may_have_left_a_marker(both_say: Say) -> None:
    sent = [send(value, value, transaction=1) for value in range(3)]
    said = [
        both_say(CLAIM, sent, more, commit(position), replicas(3)).answer
        for more in ([], [producer(transactional_id="tx")])
        for position in (6, 7)
    ]

    assert said == [UNKNOWN, VIOLATED, UNKNOWN, VIOLATED]


def test_what_was_aborted_stands_where_a_log_has_it(both_say: Say) -> None:
    """A load aborts thousands of records, of which its own record has no offsets."""
    aborted = [send(value, None, outcome="failed", transaction=1) for value in range(50)]
    logs = [stored(2, offset, offset) for offset in range(50)]
    committed = send(99, 50, transaction=2)
    rows = [producer(transactional_id="tx"), *aborted, committed, *replicas(52)]

    def said(position: int, *more: Row) -> Answer:
        return both_say(CLAIM, rows, list(more), commit(position)).answer

    assert [said(position, *logs) for position in (52, 55, 56)] == [HELD, UNKNOWN, VIOLATED]
    assert [said(position, *logs[1:]) for position in (56, 57)] == [UNKNOWN, VIOLATED]
    assert said(154) is UNKNOWN
    assert said(56, *logs[1:], stored(2, 0, 0, problem="CRC")) is UNKNOWN
    assert said(56, *logs, send(7, None, outcome="failed")) is UNKNOWN  # one of the two


def test_what_nobody_knows_the_outcome_of_may_have_stood_elsewhere_too(both_say: Say) -> None:
    rows = [*SENT, send(9, None, outcome="unknown"), stored(2, 3, 9), *replicas(4)]

    assert both_say(CLAIM, rows, commit(6)).answer is UNKNOWN


def test_a_producer_without_idempotence_may_have_written_everything_twice(both_say: Say) -> None:
    rows = [*SENT[1:], producer(idempotence=False), *replicas(3)]

    assert both_say(CLAIM, rows, commit(9)).answer is UNKNOWN
    assert both_say(CLAIM, rows, commit(10)).answer is VIOLATED


def test_what_was_cut_off_and_written_again_had_stood_further_on(both_say: Say) -> None:
    """One record is lost, so that six others stand one offset lower than before."""
    again = [send(value, value - 1) for value in range(4, 10)]
    rows = [*SENT, send(3, 3), *again, *replicas(9)]

    said = {position: both_say(CLAIM, rows, commit(position)) for position in (9, 10, 11)}

    assert [each.answer for each in said.values()] == [HELD, UNKNOWN, VIOLATED]
    assert "been cut off, and written again" in said[10].reason


@pytest.mark.parametrize(
    ("transactions", "longest"), [([1, 1, 2, 2], 6), ([None] * 4, 8), ([1, 5, 5, 9], 7)]
)
def test_of_transactions_a_log_may_have_had_the_markers_too(
    both_say: Say, transactions: list[int | None], longest: int
) -> None:
    """And two of whoever sent in them, whose coordinator may have moved."""
    sends = [send(at, at, transaction=number) for at, number in enumerate(transactions)]
    rows = [producer(transactional_id="tx"), *sends, *replicas(4)]

    said = [both_say(CLAIM, rows, commit(longest + more)).answer for more in (2, 3)]

    assert said == [UNKNOWN, VIOLATED]


def test_damage_and_what_members_say_that_they_processed_decide_nothing(both_say: Say) -> None:
    damaged = stored(2, 7, None, problem="CRC")

    said = [
        both_say(CLAIM, SENT, more, commit(position), replicas(3)).answer
        for more in (damaged, processed(0, 8), processed(0, 8, group="audit"), processed(8, 8))
        for position in (8, 9)
    ]

    assert said == [UNKNOWN, VIOLATED] * 2 + [VIOLATED] * 4
