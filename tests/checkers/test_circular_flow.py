"""Transactions that depend on one another: literal histories."""

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
    poll,
    producer,
    send,
)

pytestmark = pytest.mark.spark

CLAIM = "circular-information-flow"
G0 = "in a circle (G0) (allowed)"
G1C = "in a circle that writes close (G1c) (allowed)"


def member(name: str) -> list[Row]:
    """Of a pipeline: it reads, and has a producer."""
    tell = {"client_id": name, "transactional_id": name}
    return [consumer(name, client_id=name), producer(f"{name}#producer", **tell)]


def wrote(name: str, transaction: int, *values: int, **more: Any) -> list[Row]:
    """Each value at the offset of its last digit, in the partition of the one before."""
    told = {"client": f"{name}#producer", "transaction": transaction, **more}
    return [send(each, each % 10, partition=each // 10, **told) for each in values]


def read(name: str, transaction: int | None, *values: int, **more: Any) -> list[Row]:
    told = {"client": name, "transaction": transaction, **more}
    return [poll(each, each % 10, partition=each // 10, **told) for each in values]


ABC = [*member("a"), *member("b"), *member("c")]


def test_a_chain_of_pipelines_is_no_circle(both_say: Say) -> None:
    rows = [*wrote("a", 1, 10), *read("b", 1, 10), *wrote("b", 1, 20), *read("c", 1, 20)]

    said = both_say(CLAIM, ABC, rows)

    assert (said.answer, said.considered, said.reason) == (HELD, 2, "")


def test_two_that_were_handed_records_of_each_other_are_one(both_say: Say) -> None:
    rows = [*wrote("a", 1, 10), *read("b", 5, 10), *wrote("b", 5, 20), *read("a", 1, 20)]

    said = both_say(CLAIM, ABC, rows)

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 2, 1)
    assert said.witnesses == [
        {"client": "a#producer", "transaction": 1, "transactions": 2,
         "circle": "a#producer 1, b#producer 5"}
    ]  # fmt: skip


def test_it_may_lead_over_several(both_say: Say) -> None:
    rows = [*wrote("a", 1, 10), *read("b", 1, 10), *wrote("b", 1, 20), *read("c", 1, 20)]
    closing = [*wrote("c", 1, 30), *read("a", 1, 30)]

    said = both_say(CLAIM, ABC, rows, closing)

    assert (said.answer, said.anomalies) == (VIOLATED, 1)
    assert said.witnesses[0]["transactions"] == 3


def test_the_next_transaction_of_the_same_client_may_depend_on_it(both_say: Say) -> None:
    rows = [*wrote("a", 1, 10), *read("b", 1, 10), *wrote("b", 1, 20), *read("a", 2, 20)]

    said = both_say(CLAIM, ABC, rows, wrote("a", 2, 11))

    assert said.answer is HELD


@pytest.mark.parametrize(
    "more",
    [
        wrote("b", 5, 20, outcome="failed"),
        wrote("b", 5, 20, acks="1"),
        [*wrote("b", 5, 20), *wrote("c", 1, 20)],
        [(table, {**row, "transaction": None}) for table, row in wrote("b", 5, 20)],
    ],
    ids=["aborted", "acks=1", "sent twice", "in no transaction"],
)
def test_only_what_is_surely_of_a_transaction_counts(both_say: Say, more: list[Row]) -> None:
    rows = [*wrote("a", 1, 10), *read("b", 5, 10), *more, *read("a", 1, 20)]

    assert both_say(CLAIM, ABC, rows).answer is HELD


def test_who_asks_for_uncommitted_records_may_be_handed_them(both_say: Say) -> None:
    told = consumer("a", client_id="a", isolation="read_uncommitted")
    rows = [*wrote("a", 1, 10), *read("b", 5, 10), *wrote("b", 5, 20), *read("a", 1, 20)]

    said = both_say(CLAIM, told, producer("a#producer", client_id="a"), member("b"), rows)

    assert said.answer is not VIOLATED


def test_ones_own_record_is_another_claims(both_say: Say) -> None:
    said = both_say(CLAIM, ABC, wrote("a", 1, 10), read("a", 1, 10))

    assert (said.answer, said.considered) == (UNKNOWN, 0)


def test_a_producer_that_reads_under_its_own_name_reads_in_its_transactions(both_say: Say) -> None:
    two = [producer(name, transactional_id=name) for name in ("x", "y")]
    rows = list[Row]()
    for at, name in enumerate(("x", "y")):
        own: dict[str, Any] = {"client": name, "transaction": 1}
        rows.append(send(7 + at, 0, partition=at, **own))
        rows.append(poll(8 - at, 0, partition=1 - at, **own))

    assert both_say(CLAIM, two, rows).answer is VIOLATED


@pytest.mark.parametrize(
    "more", [[], [producer("other", client_id="b"), producer("b#producer", client_id="b")]]
)
def test_nobody_can_tell_of_who_reads_for_nobody_that_is_known(
    both_say: Say, more: list[Row]
) -> None:
    said = both_say(CLAIM, member("a"), wrote("a", 1, 10), read("b", 1, 10), more)

    assert (said.answer, said.considered) == (UNKNOWN, 1)
    assert "whose transaction" in said.reason


def test_circles_of_writes_are_told_and_not_charged(both_say: Say) -> None:
    """On one partition one wrote first, on the other one the other."""
    rows = [*wrote("a", 1, 10, 21), *wrote("b", 1, 11, 20), *wrote("c", 1, 30)]

    said = both_say(CLAIM, ABC, rows, read("c", 1, 10))

    assert (said.answer, said.anomalies) == (HELD, 0)
    assert said.reason == f"2 transactions wrote {G0}"


def test_so_is_one_that_wrote_between_two_records_of_another(both_say: Say) -> None:
    rows = [*wrote("a", 1, 10, 12), *wrote("b", 1, 11)]

    said = both_say(CLAIM, ABC, rows, read("c", 1, 10))

    assert said.reason == f"2 transactions wrote {G0}"


def test_one_after_the_other_is_no_circle_of_writes(both_say: Say) -> None:
    rows = [*wrote("a", 1, 10, 11, 20), *wrote("b", 1, 12, 21), *wrote("a", 2, 13, 22)]

    assert both_say(CLAIM, ABC, rows, read("c", 1, 10)).reason == ""


def test_a_circle_that_only_the_order_of_writes_closes_is_told(both_say: Say) -> None:
    """The first one was handed a record of the second, and had written before it elsewhere."""
    rows = [*wrote("a", 1, 10), *wrote("b", 1, 11, 20), *read("a", 1, 20)]

    said = both_say(CLAIM, ABC, rows)

    assert (said.answer, said.considered) == (HELD, 1)
    assert said.reason == f"2 transactions wrote and were handed records {G1C}"
