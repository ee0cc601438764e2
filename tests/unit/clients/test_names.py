"""Clients say Kafka's names of topics, and the record has one for each topic of a name."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from tests.unit.clients.conftest import ENDED, READY, Launching
from tests.unit.clients.orders import Orders

from highwater.adapters.confluent.piping import Making
from highwater.adapters.dialogue import Dialogue
from highwater.adapters.spread import Spread
from highwater.harness.clients.load import Load
from highwater.harness.clients.names import Names, incarnations, patterns
from highwater.harness.errors import UsageError
from highwater.harness.model import TopicPartition
from highwater.harness.record.history import History
from highwater.harness.workloads.pattern import Pattern

SECOND = Orders(incarnation=2)


def test_only_who_is_not_the_first_of_a_name_is_told() -> None:
    assert incarnations([Orders(), Orders(incarnation=3, name="bills")]) == {"bills": 3}


def test_who_knew_a_topic_with_a_pattern_is_told_that_the_next_one_has_none() -> None:
    first, second = Orders(), Orders(incarnation=2)
    first.pattern = Pattern("key")

    assert patterns([first]) == {"patterns": {"orders": {"identity": "key", "sample": ""}}}
    assert patterns([second]) == {"patterns": {"orders": None}}
    assert patterns([Orders()]) == {}


def test_what_a_client_says_is_of_the_topic_that_it_was_told() -> None:
    names = Names({"incarnations": incarnations([SECOND])})
    event = {
        "event": "commit",
        "partitions": [["orders", 1], ["bills", 0]],
        "offsets": [["orders", 1, 7, None]],
        "at_ns": 5,
    }

    told = names.recorded(event)

    assert told["partitions"] == [["orders#2", 1], ["bills", 0]]
    assert told["offsets"] == [["orders#2", 1, 7, None]]
    assert (told["event"], told["at_ns"]) == ("commit", 5)
    assert names.where("orders", 1) == TopicPartition("orders", 1, 2)
    assert names.where("bills", 1) == TopicPartition("bills", 1)


def test_who_is_to_read_others_learns_their_incarnations() -> None:
    names = Names({})
    assert names.recorded({"offsets": [["orders", 0]]}) == {"offsets": [["orders", 0]]}

    names.learn(incarnations([SECOND]))

    assert names.recorded({"offsets": [["orders", 0]]}) == {"offsets": [["orders#2", 0]]}


@pytest.mark.parametrize(("told", "incarnation"), [({}, 1), ({"incarnations": {"orders": 2}}, 2)])
def test_an_adapter_sends_to_the_topic_that_it_was_told(told: Any, incarnation: int) -> None:
    order = {"topic": "orders", "into": "orders", "partitions": 1, **told}
    order["settings"] = {"processing_s": 0.0, "records": 10, "partition_by": "turn"}
    batch: Any = type("Batch", (), {"chunks": lambda _self, _records: [(("bills", 4), [1])]})()

    spread = Spread(order, Dialogue(io.StringIO(), io.StringIO()), None, {})  # type: ignore[arg-type]

    assert spread.wheres == [TopicPartition("orders", 0, incarnation)]
    assert next(Making(order).make(batch)) == (TopicPartition("orders", 0, incarnation), [1])


def test_a_load_is_a_client_of_its_topic_while_it_lives(launching: Launching) -> None:
    orders = Orders()

    with Load(lambda _more: launching(READY + ENDED), lambda _name, _event: None, orders):
        assert orders.clients == ["client-1"]
    assert orders.clients == []

    orders.retire()
    late = Load(lambda _more: launching(READY + ENDED), lambda _name, _event: None, orders)
    with pytest.raises(UsageError, match="orders has been deleted"), late:
        pass


def test_nobody_sends_to_a_topic_that_is_closed(tmp_path: Path) -> None:
    history, first = History(tmp_path, 0), TopicPartition("orders")
    sends = history.sends("a", first, "all", range(1, 3))
    assert history.waiting("orders") == 0
    sends.invoke(range(1, 3), [1, 2])
    sends.acknowledged(1, 0)
    assert (history.waiting("orders"), history.waiting("orders#2")) == (1, 0)

    history.close_topic("orders")

    with pytest.raises(UsageError, match="orders was deleted"):
        history.sends("a", first, "all", range(3, 4))
    with pytest.raises(UsageError, match="orders was deleted"):
        history.reader("r") and history.polls("r", first)
    history.sends("a", TopicPartition("orders", 0, 2), "all", range(3, 4))
