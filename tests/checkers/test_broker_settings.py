"""What brokers were set to, all of them or a single one, counts for claims: literal histories."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tests.checkers.conftest import (
    UNKNOWN,
    VIOLATED,
    Row,
    Say,
    consumer,
    decided,
    end,
    look,
    poll,
    producer,
    send,
)

pytestmark = pytest.mark.spark

S = 10**9
LAG = "replica.lag.time.max.ms"
LOOKS = "transaction.abort.timed.out.transaction.cleanup.interval.ms"


def lagging(second: int) -> list[Row]:
    """A follower in sync lacks for so long what its leader has."""
    return [look(0, 1, 9, 5), look(second * S, 2, 5, 5)]


def hanging(second: int) -> list[Row]:
    """A transaction of ten seconds at most that is open for so long."""
    sender = producer(transactional_id="tx", transaction_timeout_ms=10_000)
    looks = [look(at * S, 1, 5, 5, last_stable_offset=2) for at in (0, second)]
    return [sender, send(7, outcome="failed", transaction=1), *looks]


def deciding(second: int) -> list[Row]:
    return [decided(0), decided(second)]


@pytest.mark.parametrize(
    ("claim", "rows_of", "setting", "seconds"),
    [
        ("lagging-in-sync", lagging, {LAG: "300000"}, (121, 480, 481)),
        ("hanging-transaction", hanging, {LOOKS: "60000"}, (31, 80, 81)),
        ("stuck-transaction", deciding, {"request.timeout.ms": "90000"}, (41, 100, 101)),
    ],
)
def test_brokers_that_are_set_to_take_longer_are_given_that_time(
    both_say: Say,
    claim: str,
    rows_of: Any,
    setting: Mapping[str, str],
    seconds: tuple[int, ...],
) -> None:
    late, *_ = seconds

    by_default = both_say(claim, rows_of(late), healed_ns=0)
    assert by_default.answer is VIOLATED

    for told in ({"settings": setting}, {"broker_settings": {"1": setting}}):
        said = [both_say(claim, rows_of(each), healed_ns=0, **told) for each in seconds]
        assert [each.answer for each in said] == [UNKNOWN, UNKNOWN, VIOLATED]


@pytest.mark.parametrize("setting", [{LAG: "1000"}, {LAG: "soon"}, {LAG: "-1"}, {}])
def test_nobody_is_given_less_time_than_by_default(
    both_say: Say, setting: Mapping[str, str]
) -> None:
    said = both_say("lagging-in-sync", lagging(119), settings=setting)
    late = both_say("lagging-in-sync", lagging(121), settings=setting)

    assert (said.answer, late.answer) == (UNKNOWN, VIOLATED)


@pytest.mark.parametrize(
    "setting", [{"log.cleanup.policy": "compact"}, {"log.retention.bytes": "1"}]
)
def test_what_one_broker_may_take_away_may_be_gone(
    both_say: Say, setting: Mapping[str, str]
) -> None:
    sent = [producer(), consumer(), send(1, 0), send(2, 1), send(3, 2)]
    passed = [poll(3, 2), end(3)]

    said = both_say("lost-write", sent, passed, broker_settings={"2": setting})

    assert (both_say("lost-write", sent, passed).answer, said.answer) == (VIOLATED, UNKNOWN)
