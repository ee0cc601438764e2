"""A load sends to new partitions, of which it is told, when it knows who leads these."""

from __future__ import annotations

import io
import json
import threading

from highwater.adapters.dialogue import Dialogue
from highwater.adapters.spread import Spread
from highwater.harness.errors import DeadlineError
from highwater.harness.model import ByKey, TopicPartition
from highwater.harness.wait import wait_until

ORDER = {"topic": "orders", "partitions": 2, "settings": {"partition_by": "turn"}}
GROWN = '{"do": "spread", "topic": "orders", "incarnation": 3, "partitions": 4}\n'
BY_KEY = {**ORDER, "settings": {"partition_by": "key"}, "incarnations": {"orders": 3}}


class Producer:
    """Learns who leads when it is let; the first time it does not."""

    def __init__(self) -> None:
        self.may_know = threading.Event()
        self.asked: list[int] = []

    def await_metadata(self, wheres: list[TopicPartition]) -> None:
        self.asked.append(len(wheres))
        if len(self.asked) == 1:
            raise DeadlineError("nobody tells")
        self.may_know.wait(30)


def numbers(spread: Spread, count: int) -> list[int]:
    return [where.partition for where in (spread.next() for _ in range(count))]  # type: ignore[union-attr]


def test_keys_choose_among_as_many_partitions_as_somebody_is_known_to_lead() -> None:
    producer = Producer()
    producer.asked.append(0)
    producer.may_know.set()
    dialogue = Dialogue(io.StringIO(GROWN), io.StringIO())
    spread = Spread(BY_KEY, dialogue, producer, {})
    assert spread.next() == ByKey("orders", 2, 3)

    dialogue.listen()
    wait_until(lambda: spread.next() == ByKey("orders", 4, 3), "the new ones")


def test_new_partitions_have_their_turn_when_it_is_known_who_leads_them() -> None:
    said, producer = io.StringIO(), Producer()
    dialogue = Dialogue(io.StringIO(GROWN), said)
    spread = Spread({**ORDER, "incarnations": {"orders": 3}}, dialogue, producer, {})
    assert numbers(spread, 5) == [0, 1, 0, 1, 0]

    dialogue.listen()
    wait_until(dialogue.stopping.is_set, "the end of what is said")
    wait_until(lambda: spread.next() and len(producer.asked) == 2, "it to be asked again")
    assert {*numbers(spread, 6)} == {0, 1}
    producer.may_know.set()
    wait_until(lambda: len(spread) == 4, "the new ones")

    assert {*numbers(spread, 4)} == {0, 1, 2, 3}
    assert producer.asked == [4, 4]
    (complaint,) = said.getvalue().splitlines()
    assert json.loads(complaint)["text"] == "it sends to no more than 2: nobody tells"


def test_a_load_that_turns_to_a_topic_knows_how_its_records_look() -> None:
    producer, patterns = Producer(), {"orders": {"identity": "key", "sample": ""}}
    producer.may_know.set()
    turned = {"do": "spread", "topic": "bills", "incarnation": 2, "partitions": 1}
    told = json.dumps({**turned, "patterns": {"bills": patterns["orders"]}}) + "\n"
    dialogue = Dialogue(io.StringIO(told), io.StringIO())
    spread = Spread(ORDER, dialogue, producer, patterns)

    dialogue.listen()
    wait_until(lambda: spread.next() == TopicPartition("bills", 0, 2), "the other topic")

    assert patterns["bills"] == patterns["orders"]


def test_a_load_turns_to_another_topic_which_may_have_fewer_partitions() -> None:
    producer = Producer()
    producer.asked.append(0)
    turned = '{"do": "spread", "topic": "bills", "incarnation": 2, "partitions": 1}\n'
    said = io.StringIO()
    dialogue = Dialogue(io.StringIO(turned), said)
    spread = Spread(ORDER, dialogue, producer, {})
    assert numbers(spread, 3) == [0, 1, 0]

    dialogue.listen()
    wait_until(dialogue.stopping.is_set, "the end of what is said")
    wait_until(lambda: spread.next() and len(producer.asked) == 2, "it to be asked for")
    assert {where.topic for where in (spread.next(), spread.next())} == {"orders"}
    producer.may_know.set()
    wait_until(lambda: len(spread) == 1, "the other topic")
    before = said.getvalue()

    assert [spread.next(), spread.next()] == [TopicPartition("bills", 0, 2)] * 2
    turned_to = {"event": "turned", "topic": "bills", "incarnation": 2}
    assert (before, json.loads(said.getvalue())) == ("", turned_to)


def test_a_load_does_not_turn_to_a_topic_that_it_is_to_send_to_no_more() -> None:
    producer = Producer()
    producer.asked.append(0)
    there = {"do": "spread", "topic": "bills", "incarnation": 1, "partitions": 1}
    back = {"do": "spread", "topic": "orders", "incarnation": 1, "partitions": 2}
    said = io.StringIO()
    first, second = (Dialogue(io.StringIO(json.dumps(each) + "\n"), said) for each in (there, back))
    spread = Spread(ORDER, first, producer, {})
    first.listen()
    wait_until(lambda: spread.next() and len(producer.asked) == 2, "the other to be asked for")
    second.listen()
    wait_until(second.stopping.is_set, "the end of what is said")
    spread._dialogue = second
    producer.may_know.set()
    wait_until(lambda: not spread._is_looking, "it to be known who leads the other")
    producer.may_know.clear()

    assert {where.topic for where in (spread.next() for _ in range(4))} == {"orders"}
    assert said.getvalue() == ""
