"""Last stable offsets that stand still, and those that move: literal histories."""

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
    look,
    producer,
    send,
)

pytestmark = pytest.mark.spark

CLAIM, S = "hanging-transaction", 10**9
TELL: dict[str, Any] = {"transactional_id": "tx", "transaction_timeout_ms": 10_000}
SENDER = producer(**TELL)
SENT = send(7, outcome="failed", transaction=1)


def stable(at_s: float, offset: int | None, watermark: int = 5, **more: Any) -> Row:
    """A look at the leader."""
    _, row = look(int(at_s * S), 1, watermark, watermark, last_stable_offset=offset)
    return "replica_states", {**row, **more}


def stays(*at_s: float, offset: int = 2, **more: Any) -> list[Row]:
    return [stable(each, offset, **more) for each in at_s]


def test_one_that_stays_for_longer_than_the_timeout_allows_is_charged(both_say: Say) -> None:
    said = both_say(CLAIM, SENDER, SENT, stays(1, 20, 31.1), healed_ns=0)

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 1, 1)
    assert said.witnesses == [
        {"topic": "orders", "partition": 0, "last_stable_offset": 2, "leader": 1,
         "leader_epoch": 0, "since_ns": S, "until_ns": 31_100_000_000, "longest_timeout_ms": 10_000}
    ]  # fmt: skip


def test_it_is_charged_though_it_moved_in_the_end(both_say: Say) -> None:
    said = both_say(CLAIM, SENDER, SENT, stays(1, 32), stays(33, offset=5), healed_ns=0)

    assert said.answer is VIOLATED


def test_one_that_gets_to_the_high_watermark_in_time_moves(both_say: Say) -> None:
    said = both_say(CLAIM, SENDER, SENT, stays(1, 30), stays(31, 90, offset=5), healed_ns=0)

    assert (said.answer, said.considered, said.reason) == (HELD, 1, "")


def test_transactions_one_after_the_other_move_it(both_say: Say) -> None:
    rows = [stable(at, at // 20, 5) for at in range(1, 90)]

    said = both_say(CLAIM, SENDER, SENT, rows, stable(90, 5), healed_ns=0)

    assert said.answer is HELD


def test_one_that_is_back_for_a_moment_had_moved(both_say: Say) -> None:
    rows = [*stays(1, 20), *stays(21, offset=5), *stays(22, 45), *stays(46, offset=5)]

    said = both_say(CLAIM, SENDER, SENT, rows, healed_ns=0)

    assert said.answer is HELD


@pytest.mark.parametrize("other", [{"leader_epoch": 1}, {"broker": 2, "leader": 2}])
def test_another_leader_or_epoch_begins_anew(both_say: Say, other: dict[str, Any]) -> None:
    rows = [*stays(1, 20), *stays(21, 40, **other), *stays(41, offset=5, **other)]

    said = both_say(CLAIM, SENDER, SENT, rows, healed_ns=0)

    assert said.answer is HELD


def test_what_stood_while_faults_were_in_effect_is_not_charged(both_say: Say) -> None:
    rows = [SENDER, SENT, *stays(1, 60), *stays(61, offset=5)]

    assert both_say(CLAIM, rows, healed_ns=31 * S).answer is HELD
    assert both_say(CLAIM, rows, healed_ns=29 * S).answer is VIOLATED


def test_the_longest_timeout_of_all_senders_counts(both_say: Say) -> None:
    other = producer("slow", **{**TELL, "transaction_timeout_ms": 60_000})
    rows = [SENDER, SENT, send(8, client="slow"), other, *stays(1, 70)]

    said = both_say(CLAIM, rows, stays(71, offset=5), healed_ns=0)
    later = both_say(CLAIM, rows, stays(82), healed_ns=0)

    assert (said.answer, later.answer) == (HELD, VIOLATED)


def test_who_sends_no_transactions_has_no_timeout(both_say: Say) -> None:
    rows = [SENDER, SENT, send(8, client="plain"), producer("plain"), *stays(1, 32)]

    assert both_say(CLAIM, rows, healed_ns=0).answer is VIOLATED


@pytest.mark.parametrize(
    ("more", "healed_ns", "why"),
    [
        ([], "soon", "nobody told from when on no fault was in effect"),
        ([send(8, client="strange")], 0, "nobody told the transaction timeout"),
        ([send(8, client="strange", outcome="invoked")], 0, "nobody told the transaction timeout"),
    ],
)
def test_what_nobody_told_leaves_it_open(
    both_say: Say, more: list[Row], healed_ns: object, why: str
) -> None:
    said = both_say(CLAIM, SENDER, SENT, more, stays(1, 60), healed_ns=healed_ns)

    assert said.answer is UNKNOWN
    assert why in said.reason


def test_nobody_who_sent_in_a_transaction_leaves_it_open(both_say: Say) -> None:
    said = both_say(CLAIM, producer(), send(7, 0), stays(1, 60), healed_ns=0)

    assert said.answer is UNKNOWN
    assert "in a transaction" in said.reason


def test_one_that_is_below_at_the_last_look_may_be_of_an_open_transaction(both_say: Say) -> None:
    said = both_say(CLAIM, SENDER, SENT, stays(1, 20), healed_ns=0)

    assert said.answer is UNKNOWN
    assert "may be open" in said.reason


def test_looks_that_tell_none_are_no_evidence(both_say: Say) -> None:
    follower = look(S, 2, 5, 5, last_stable_offset=2)

    said = both_say(CLAIM, consumer(), SENDER, SENT, stable(1, None), follower, healed_ns=0)

    assert (said.answer, said.considered) == (UNKNOWN, 0)


def test_who_was_refused_a_record_for_its_own_sake_has_sent_there(both_say: Say) -> None:
    """The whole transaction fails by one record, and others of it may stand in the log."""
    refused = send(8, outcome="failed", transaction=1, error="MESSAGE_TOO_LARGE", client="slow")
    slow = producer("slow", **{**TELL, "transaction_timeout_ms": 60_000})

    alone = both_say(CLAIM, slow, refused, stays(1, 20, 81.1), healed_ns=0)
    beside = both_say(CLAIM, SENDER, SENT, slow, refused, stays(1, 20, 31.1), healed_ns=0)

    assert (alone.answer, beside.answer) == (VIOLATED, UNKNOWN)


def test_positions_are_committed_by_whoever_uses_transactions(both_say: Say) -> None:
    """Nobody sends records to the log of positions, nor anywhere else here."""
    there = stays(1, 20, 31.1, topic="__consumer_offsets")
    slower = producer("slower", **{**TELL, "transaction_timeout_ms": 11_000})
    plain, untold = producer("plain"), send(7, client="untold")

    said = both_say(CLAIM, SENDER, there, healed_ns=0)
    slow, plainly = (both_say(CLAIM, SENDER, one, there, healed_ns=0) for one in (slower, plain))
    unknown = both_say(CLAIM, SENDER, untold, there, healed_ns=0)
    nobody = both_say(CLAIM, plain, there, healed_ns=0)

    assert (said.answer, plainly.answer) == (VIOLATED, VIOLATED)
    assert (slow.answer, unknown.answer, nobody.answer) == (UNKNOWN, UNKNOWN, UNKNOWN)
    assert (
        unknown.reason == "1 undecided, nobody told the transaction timeout of all that sent there"
    )
