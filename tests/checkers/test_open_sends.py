"""Sends that wait, and those that nobody knows the end of."""

from __future__ import annotations

import pytest
from tests.checkers.conftest import HELD, UNKNOWN, VIOLATED, Row, Say, poll, producer, send

pytestmark = pytest.mark.spark

SECOND = 10**9


def nameless(offset: int | None, at: tuple[int, int | None], **more: object) -> Row:
    """A send without a value."""
    table, row = send(1, offset, at, **more)
    return table, {**row, "value": None, "checksum": None}


def stall(position: int, at: tuple[int, int]) -> Row:
    times = {"invoked_ns": at[0], "completed_ns": at[1]}
    return poll(None, position, action="stall", checksum=None, **times)


# which row supersedes another


def test_a_send_of_another_operation_does_not_end_one_that_began_with_it(both_say: Say) -> None:
    """Of one client, without values, and at one tick of its clock."""
    ended = nameless(0, (2, 3))
    open_yet = nameless(None, (2, None), outcome="invoked")

    said = both_say("stuck-reader", ended, open_yet, send(7, 1, (4, 5)), stall(1, (20, 40)))

    assert (said.answer, said.reason) == (
        UNKNOWN,
        "1 undecided, a transaction may have been open",
    )


def test_an_attempt_at_the_moment_of_another_one_is_open_by_itself(both_say: Say) -> None:
    tx = producer("tx", transactional_id="tx")
    first = send(1, 0, (2, 3), client="tx")
    again = send(1, None, (2, None), client="tx", outcome="invoked")
    seen = [send(7, 1, (4, 5), client="tx"), poll(1, 0, invoked_ns=8, completed_ns=9)]

    said = both_say("stuck-reader", tx, first, again, seen, stall(1, (20, 40)))

    assert said.answer is UNKNOWN


def test_a_send_waits_on_that_began_with_another_one(both_say: Say) -> None:
    sends = [send(5, 0, (0, 1)), nameless(1, (2, 3))]
    open_yet = nameless(None, (2, None), outcome="invoked")
    late = poll(5, 0, invoked_ns=60 * SECOND, completed_ns=60 * SECOND)
    lived = producer(ended_ns=60 * SECOND)

    said = both_say("stalled-sends", lived, sends, open_yet, late)

    assert (said.answer, said.anomalies) == (VIOLATED, 1)


def test_a_row_of_the_same_operation_ends_it(both_say: Say) -> None:
    sends = [send(5, 0, (0, 1)), send(6, None, (2, None), outcome="invoked", op=9)]
    late = poll(5, 0, invoked_ns=60 * SECOND, completed_ns=60 * SECOND)

    said = both_say("stalled-sends", sends, send(6, 1, (2, 3), op=9), late)

    assert (said.answer, said.considered) == (HELD, 1)


# stalled-sends


def test_commits_of_transactions_are_acknowledgements_too(both_say: Say) -> None:
    """One answer is lost while a transaction is committed each second: nothing stands still."""
    tx = producer("tx", transactional_id="tx")
    committed = [
        send(100 + at, 2 * at, (at * SECOND, at * SECOND + SECOND // 2), client="tx")
        for at in range(45)
    ]
    lost = send(2, None, (2 * SECOND, 40 * SECOND), outcome="unknown")

    said = both_say("stalled-sends", tx, committed, lost)
    alone = both_say("stalled-sends", tx, committed[:1], lost)

    assert (said.answer, said.considered) == (HELD, 1)
    assert said.reason == "the longest time without an acknowledgement: 0.9 s"
    assert alone.answer is VIOLATED


def test_sends_in_transactions_alone_are_not_asked(both_say: Say) -> None:
    tx = producer("tx", transactional_id="tx")

    said = both_say("stalled-sends", tx, send(1, 0, (0, 40 * SECOND), client="tx"))

    assert (said.answer, said.considered) == (UNKNOWN, 0)


def test_a_send_with_a_transaction_ends_with_it_whatever_is_told_of_its_client(
    both_say: Say,
) -> None:
    """Of a record without `clients`; the other send waits while the transactions are committed."""
    within = [send(one, one, (0, one * 40 * SECOND), transaction=one) for one in (1, 2)]
    waits = send(7, 7, (0, 41 * SECOND), client="other")
    open_yet = send(8, None, (0, None), outcome="invoked", transaction=3)

    said = both_say("stalled-sends", within, open_yet)
    beside = both_say("stalled-sends", within[:1], waits)
    alone = both_say("stalled-sends", waits)

    assert (said.answer, said.considered) == (UNKNOWN, 0)
    assert (beside.answer, beside.anomalies) == (VIOLATED, 1)
    assert beside.witnesses[0]["until_ns"] == 40 * SECOND
    assert alone.witnesses[0]["until_ns"] == 41 * SECOND


def test_who_collects_records_before_it_sends_them_may_wait_for_that_as_well(
    both_say: Say,
) -> None:
    """Four records of 45 s each, which leave together with the next one's."""
    sends = [send(one, one, (one * 45 * SECOND, (one + 1) * 45 * SECOND)) for one in range(4)]

    told = both_say("stalled-sends", producer(linger_ms=45_000), sends)
    other = both_say("stalled-sends", producer("other", linger_ms=45_000), sends)
    brief = both_say("stalled-sends", producer(linger_ms=14_000), sends)
    least = both_say("stalled-sends", producer(linger_ms=15_001), sends)

    assert (told.answer, told.anomalies) == (HELD, 0)
    assert (other.answer, other.anomalies) == (brief.answer, brief.anomalies) == (VIOLATED, 4)
    assert least.answer is HELD


def test_nothing_is_asked_of_sends_that_wait_for_no_acknowledgement(both_say: Say) -> None:
    said = both_say("stalled-sends", [send(value, acks="0") for value in (1, 2)])

    assert (said.answer, said.considered) == (UNKNOWN, 0)
    assert said.reason == (
        "nothing to judge: the record has no partitions with sends that wait for acknowledgements"
    )


def test_nothing_is_asked_of_a_send_of_which_nobody_told_when_it_ended(both_say: Say) -> None:
    said = both_say("stalled-sends", send(1, 0, (0, None)))

    assert (said.answer, said.considered) == (UNKNOWN, 0)


def _open(client: str, since_ns: int, value: int = 11) -> Row:
    return send(value, None, (since_ns, None), client=client, outcome="invoked")


def end_at(at_ns: int) -> Row:
    return poll(None, 1, action="end", checksum=None, invoked_ns=at_ns, completed_ns=at_ns)


LONG = [send(10, 0, (0, 1)), _open("producer", SECOND), end_at(120 * SECOND)]


def test_a_send_waits_no_longer_than_its_client_lived(both_say: Say) -> None:
    """Killed after ten seconds: nobody waits for the hundred that follow."""
    killed = both_say("stalled-sends", LONG, producer(ended_ns=11 * SECOND))
    later = both_say("stalled-sends", LONG, producer(ended_ns=120 * SECOND))

    assert (killed.answer, killed.considered) == (HELD, 1)
    assert killed.reason == "the longest time without an acknowledgement: 10.0 s"
    assert (later.answer, later.anomalies) == (VIOLATED, 1)
    assert later.witnesses == [
        {"topic": "orders", "partition": 0, "since_ns": SECOND, "until_ns": 120 * SECOND}
    ]


def test_a_client_that_was_killed_at_last_had_waited_until_then(both_say: Say) -> None:
    """Whatever else happened in the record had happened by then."""
    said = both_say("stalled-sends", LONG[:2], producer(ended_ns=40 * SECOND))

    assert (said.answer, said.anomalies) == (VIOLATED, 1)


def test_each_incarnation_of_a_load_waits_by_itself(both_say: Say) -> None:
    """Killed and started again twice: none of them waited for 30 s, though all together did."""
    names = ("load", "load.2", "load.3")
    starts = [SECOND, 26 * SECOND, 51 * SECOND]
    sent = [_open(name, at, 11 + at) for name, at in zip(names, starts, strict=True)]
    ends = [
        producer(name, ended_ns=at + 20 * SECOND) for name, at in zip(names, starts, strict=True)
    ]
    lived_on = [*ends[:2], producer("load.3", ended_ns=120 * SECOND)]

    said = both_say("stalled-sends", LONG[0], LONG[2], sent, ends)
    last = both_say("stalled-sends", LONG[0], LONG[2], sent, lived_on)

    assert (said.answer, said.considered) == (HELD, 1)
    assert said.reason == "the longest time without an acknowledgement: 20.0 s"
    assert (last.answer, last.anomalies) == (VIOLATED, 1)
    assert last.witnesses[0]["since_ns"] == 51 * SECOND


def test_who_takes_over_at_once_waits_on(both_say: Say) -> None:
    """One that is killed and started again within a second has not ceased to wait."""
    sent = [_open("load", SECOND), _open("load.2", 20 * SECOND + SECOND // 2, 12)]
    ends = [producer("load", ended_ns=20 * SECOND), producer("load.2", ended_ns=40 * SECOND)]

    said = both_say("stalled-sends", LONG[0], LONG[2], sent, ends)

    assert (said.answer, said.anomalies) == (VIOLATED, 1)
    assert said.witnesses[0]["until_ns"] == 40 * SECOND


def test_of_a_client_whose_end_nobody_told_nobody_knows_how_long_it_waited(
    both_say: Say,
) -> None:
    """Another tool's record, or an older one: it may have been killed after its last send."""
    untold = both_say("stalled-sends", LONG, producer())
    unnamed = both_say("stalled-sends", LONG)

    for said in (untold, unnamed):
        assert (said.answer, said.considered, said.anomalies) == (UNKNOWN, 1, 0)
        assert "1 undecided, its sender may have ended before" in said.reason


def test_who_is_heard_of_later_has_lived_until_then(both_say: Say) -> None:
    """In whatever partition it had an answer, or sent."""
    answered = send(12, 0, (50 * SECOND, 51 * SECOND), partition=1)
    sent = send(13, None, (50 * SECOND, None), partition=1, outcome="invoked")
    refused = send(14, None, (50 * SECOND, 51 * SECOND), partition=1, outcome="failed")

    for later in (answered, sent, refused):
        said = both_say("stalled-sends", LONG, later)
        assert (said.answer, said.anomalies) == (VIOLATED, 1)
        assert 50 * SECOND <= said.witnesses[0]["until_ns"] <= 52 * SECOND


def test_two_accounts_of_a_client_may_differ_in_its_end_alone(both_say: Say) -> None:
    """Of which one is told when it begins, and the other one when it has ended."""
    begun, ended = producer(), producer(ended_ns=11 * SECOND)

    for rows in ([begun, ended], [ended, begun], [ended, begun, ended]):
        assert both_say("stalled-sends", LONG, rows).answer is HELD

    twice = both_say("stalled-sends", LONG, ended, producer(ended_ns=12 * SECOND))
    assert twice.answer is UNKNOWN
    assert "several of 'producer' that differ in ended_ns" in twice.reason


def test_who_is_refused_a_record_for_its_own_sake_lives(both_say: Say) -> None:
    """Its other one waits meanwhile, and nobody told when it ended."""
    waits = send(6, None, (SECOND, None), outcome="invoked")
    too_large: dict[str, object] = {"outcome": "failed", "error": "MESSAGE_TOO_LARGE"}
    refused = send(7, None, (60 * SECOND, 60 * SECOND + 1), **too_large)

    said = both_say("stalled-sends", send(5, 0, (0, 1)), waits, refused)
    unheard = both_say(
        "stalled-sends", send(5, 0, (0, 1)), waits, poll(5, 0, completed_ns=61 * SECOND)
    )

    assert (said.answer, said.anomalies, unheard.answer) == (VIOLATED, 1, UNKNOWN)
