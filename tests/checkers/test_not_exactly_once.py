"""One output of each record below a pipeline's position: literal histories."""

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
    poll,
    processed,
    producer,
    replica,
    send,
    stored,
)

pytestmark = pytest.mark.spark

CLAIM, HAND, BILLS = "not-exactly-once", "billing-1#producer", {"topic": "bills"}
PIPELINE = {"groups": {"billing": {"auto.offset.reset": "earliest"}}}


def orders(count: int) -> list[Row]:
    """So many, with the values from 10 on, sent and handed to a reader."""
    return [
        *(send(10 + at, at, client="shop") for at in range(count)),
        *(poll(10 + at, at) for at in range(count)),
    ]


def bill(number: int, of: int | None, **more: Any) -> Row:
    """The value 20 and the number, at that offset."""
    row = {"client": HAND, "made_of": of, "at": (2, 3), **BILLS, **more}
    return send(row.pop("value", 20 + number), row.pop("offset", number), **row)


def shown(*numbers: int, **more: Any) -> list[Row]:
    return [poll(20 + number, number, client="clerk", **{**BILLS, **more}) for number in numbers]


def pipeline(position: int, **more: Any) -> list[Row]:
    """It has committed this position, and had processed what lies below."""
    hand = producer(HAND, group_id="billing", **more)
    return [hand, processed(0, position), commit(position)]


def test_one_output_of_each_record_is_in_order(both_say: Say) -> None:
    rows = [*orders(2), *pipeline(2), bill(0, 10), bill(1, 11), *shown(0, 1)]

    said = both_say(CLAIM, rows, **PIPELINE)

    assert (said.answer, said.considered, said.reason) == (HELD, 2, "")


def test_a_second_output_is_one_too_many_wherever_the_position_is(both_say: Say) -> None:
    bills = [bill(0, 10), bill(1, 11), bill(2, 11)]

    said = both_say(CLAIM, orders(2), pipeline(1), bills, shown(0, 1, 2), **PIPELINE)

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 2, 1)
    assert said.witnesses == [
        {"topic": "orders", "partition": 0, "offset": 1, "value": 11, "group": "billing",
         "outputs": 2, "output": 21, "other_output": 22}
    ]  # fmt: skip


def test_an_output_in_each_of_two_topics_is_none_too_many(both_say: Say) -> None:
    """Two of them in one of these topics are."""
    mail = [bill(5, 10, topic="mail"), *shown(5, topic="mail")]
    again = [bill(6, 10, topic="mail"), *shown(6, topic="mail")]

    once = both_say(CLAIM, orders(1), pipeline(1), bill(0, 10), shown(0), mail, **PIPELINE)
    twice = both_say(CLAIM, orders(1), pipeline(1), bill(0, 10), shown(0), mail, again, **PIPELINE)

    assert (once.answer, once.considered) == (HELD, 1)
    assert (twice.answer, twice.considered, twice.anomalies) == (VIOLATED, 1, 1)
    (witness,) = twice.witnesses
    assert [witness[name] for name in ("outputs", "output", "other_output")] == [2, 25, 26]


@pytest.mark.parametrize(
    "commits",
    [
        [commit(1, outcome="unknown")],
        [commit(1, outcome="failed")],
        [commit(1, partition=1)],
    ],
)
def test_a_second_output_is_one_too_many_where_the_group_has_no_position(
    commits: list[Row], both_say: Say
) -> None:
    hand = producer(HAND, group_id="billing")
    twice = [bill(0, 10), bill(1, 10), *shown(0, 1)]

    said = both_say(CLAIM, orders(1), hand, processed(0, 1), commits, twice, **PIPELINE)

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 1, 1)


def test_a_record_below_the_position_of_which_nothing_was_made_lacks_its_output(
    both_say: Say,
) -> None:
    said = both_say(CLAIM, orders(3), pipeline(2), bill(0, 10), shown(0), **PIPELINE)

    assert (said.answer, said.considered, said.anomalies) == (VIOLATED, 2, 1)
    (witness,) = said.witnesses
    assert (witness["value"], witness["outputs"], witness["output"]) == (11, 0, None)


@pytest.mark.parametrize(
    ("attempt", "answer"),
    [
        ({"outcome": "failed"}, VIOLATED),
        ({"outcome": "ok"}, UNKNOWN),
        ({"outcome": "unknown", "offset": None}, UNKNOWN),
        ({"outcome": "invoked", "at": (2, None), "offset": None}, UNKNOWN),
    ],
    ids=["aborted", "not read yet", "nobody knows", "open"],
)
def test_an_output_that_nobody_was_handed_has_a_fate(
    attempt: dict[str, Any], answer: object, both_say: Say
) -> None:
    rows = [*orders(1), *pipeline(1), bill(0, 10, **attempt)]

    said = both_say(CLAIM, rows, **PIPELINE)
    again = both_say(CLAIM, rows, bill(1, 10), shown(1), **PIPELINE)

    assert said.answer is answer
    assert again.answer is (HELD if answer is VIOLATED else UNKNOWN)


def test_an_output_that_a_reader_passed_in_the_log_was_aborted(both_say: Say) -> None:
    """Also one of a member that was killed, and never heard how its transaction ended."""
    left = bill(0, 10, outcome="invoked", at=(2, None), offset=None)
    log = [
        stored(1, 0, 20, **BILLS),
        stored(1, 1, None, is_control=True, **BILLS),
        stored(1, 2, 21, **BILLS),
        replica(1, 3, **BILLS),
    ]
    read = [consumer("clerk"), poll(21, 2, client="clerk", **BILLS)]
    rows = [*orders(1), *pipeline(1, transactional_id="billing-1"), left, *log, *read]

    said = both_say(CLAIM, rows, **PIPELINE)
    again = both_say(CLAIM, rows, bill(2, 10, value=21), topics={}, **PIPELINE)

    assert (said.answer, said.anomalies) == (VIOLATED, 1)
    assert (again.answer, again.considered) == (HELD, 1)


def test_what_is_told_every_second_of_an_open_send_is_one_send(both_say: Say) -> None:
    left = {**bill(0, 10, outcome="invoked", at=(2, None), offset=None)[1], "op": 99}
    log = [stored(1, 0, 21, **BILLS), replica(1, 1, **BILLS)]
    rows = [("history", left), ("history", left), bill(0, 10, value=21), poll(21, 0, **BILLS), *log]

    said = both_say(CLAIM, orders(1), pipeline(1), rows, **PIPELINE)

    assert (said.answer, said.considered) == (HELD, 1)


def test_what_readers_of_uncommitted_records_were_handed_is_no_output(both_say: Say) -> None:
    curious = consumer("clerk", isolation="read_uncommitted")
    rows = [*orders(1), *pipeline(1), bill(0, 10), *shown(0), curious]

    said = both_say(CLAIM, rows, **PIPELINE)

    assert said.answer is UNKNOWN
    assert "handed to readers of uncommitted records only" in said.reason


@pytest.mark.parametrize("more", ["another send", "another place", "no idempotence"])
def test_of_a_record_that_may_stand_twice_nobody_can_tell(more: str, both_say: Say) -> None:
    rows = [*orders(1), *pipeline(1), bill(0, 10), bill(1, 10), *shown(0, 1)]
    rows += {
        "another send": [send(10, None, outcome="unknown", client="shop")],
        "another place": [poll(10, 5)],
        "no idempotence": [producer("shop", idempotence=False)],
    }[more]

    said = both_say(CLAIM, rows, **PIPELINE)

    assert (said.answer, said.considered) == (UNKNOWN, 1)
    assert "may stand in its log more than once" in said.reason


def test_two_outputs_of_what_nobody_was_handed_prove_nothing(both_say: Say) -> None:
    rows = [*pipeline(1), bill(0, 10), bill(1, 10), *shown(0, 1)]

    said = both_say(CLAIM, rows, **PIPELINE)

    assert (said.answer, said.considered) == (UNKNOWN, 1)


def test_where_nobody_told_of_what_an_output_is_made_it_may_be_that_one(both_say: Say) -> None:
    said = both_say(CLAIM, orders(1), pipeline(1), bill(0, None), shown(0), **PIPELINE)

    assert (said.answer, said.considered) == (UNKNOWN, 1)
    assert "nobody told of what some output is made" in said.reason


def test_a_position_that_may_have_been_set_back_passes_nothing_for_sure(both_say: Say) -> None:
    lower = commit(0, (5, None), outcome="unknown")

    said = both_say(CLAIM, orders(1), pipeline(1), lower, **PIPELINE)
    refused = both_say(
        CLAIM, orders(1), pipeline(1), commit(0, (5, 6), outcome="failed"), **PIPELINE
    )

    assert (said.answer, refused.answer) == (UNKNOWN, VIOLATED)


def test_what_lies_before_a_group_began_is_not_its_own(both_say: Say) -> None:
    late = [producer(HAND, group_id="billing"), processed(1, 2), commit(2)]
    rows = [*orders(2), *late, bill(0, 11), *shown(0)]

    said = both_say(CLAIM, rows)
    latest = both_say(CLAIM, rows, groups={"billing": {"auto.offset.reset": "latest"}})

    assert (said.answer, said.considered) == (UNKNOWN, 2)
    assert (latest.answer, latest.considered) == (HELD, 1)


def test_groups_that_send_nothing_are_no_pipelines(both_say: Say) -> None:
    said = both_say(CLAIM, orders(1), processed(0, 1), commit(1), consumer(group_id="billing"))
    silent = both_say(CLAIM, orders(1), processed(0, 1), commit(1))

    assert (said.answer, said.considered) == (UNKNOWN, 0)
    assert (silent.answer, silent.reason) == (UNKNOWN, "the record has no clients")


def test_two_pipelines_make_one_output_each(both_say: Say) -> None:
    audit: dict[str, Any] = {"group": "audit", "client": "audit-1"}
    other = [
        producer("audit-1#producer", group_id="audit"),
        processed(0, 1, **audit),
        commit(1, **audit),
    ]
    sent = [bill(0, 10), bill(1, 10, client="audit-1#producer")]
    groups = {"groups": {name: {"auto.offset.reset": "earliest"} for name in ("billing", "audit")}}

    said = both_say(CLAIM, orders(1), pipeline(1), other, sent, shown(0, 1), **groups)

    assert (said.answer, said.considered) == (HELD, 2)


@pytest.mark.parametrize("place", ["several values", "another log", "deleted", "aborted"])
def test_a_record_that_need_not_have_been_there_needs_no_output(place: str, both_say: Say) -> None:
    rows = {
        "several values": [poll(77, 0, client="other")],
        "another log": [stored(1, 0, 77), replica(1, 1)],
        "deleted": [stored(1, 0, 10), replica(1, 1, log_start_offset=1)],
        "aborted": [send(10, 0, outcome="failed", client="shop")],
    }[place]
    source = orders(1) if place != "aborted" else [poll(10, 0)]

    said = both_say(CLAIM, source, pipeline(1), rows, **PIPELINE)

    assert (said.answer, said.anomalies) == (UNKNOWN, 0)
