"""Records that an adapter is told to send, and what became of each, in the history."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from highwater.adapters.flushing import Came
from highwater.adapters.foreign.transaction import Transaction
from highwater.harness.foreign import outcomes
from highwater.harness.foreign.lines import Event
from highwater.harness.foreign.talk import Talk
from highwater.harness.model import ByKey, TopicPartition
from highwater.harness.record.history import History
from highwater.harness.record.sends import NO_OFFSET, Numbers, Sends
from highwater.harness.workloads.keys import Keys
from highwater.harness.workloads.payload import Values
from highwater.harness.workloads.shapes import Headed, Shapes
from highwater.harness.workloads.tally import Tally


class Sending:
    """What is sent is in the history, and on the disk, before the adapter hears of it."""

    def __init__(self, order: dict[str, Any], history: History, *, sends_once: bool) -> None:
        self.tally = Tally()
        self.flushed: Came | None = None  # what its flush came to, as soon as it has said so
        self.transaction: Transaction | None = None
        if order["transactions"] is not None:
            self.transaction = Transaction(self.tally, sends_once=sends_once)
        self._client, self._acks = order["client"], order["settings"]["acks"]
        self._history = history
        self._sends_once = sends_once
        self._values = Values(order["first_value"])
        settings = order["settings"]
        keyed = settings["keys"], settings["key_choice"]
        self.patterns = history.patterns
        self._shapes = Shapes(settings["size_bytes"], keyed, self.patterns)
        self._open: dict[int, Sends] = {}  # by the values of records

    def send(
        self, talk: Talk, where: TopicPartition | ByKey, count: int, due_ns: Numbers | None
    ) -> None:
        """Tell it to send so many; waits while the adapter does not listen."""
        values, shape = self._values.take(count), self._shapes.of(where.topic)
        sends = self._history.sends(self._client, where, self._acks, values)
        if due_ns is not None:
            sends.intend(due_ns)
        shape.keys.tell(sends, where)
        contents, checksums = shape.encoder.all(values)
        if self.transaction is not None:
            self.transaction.add(sends)
        else:
            self._open.update(dict.fromkeys(values, sends))
        sends.invoke(values, checksums)
        texts = [content.decode() for content in contents]
        for partition, some in _stretches(shape.keys, values, where):
            line: dict[str, Any] = {"topic": where.topic, "partition": partition}
            line["values"] = texts[some.start - values.start : some.stop - values.start]
            if shape.keys.are_there:
                line["keys"] = [(shape.keys.of(value) or b"").decode() for value in some]
            if isinstance(shape.keys, Headed):
                line |= shape.keys.told(some)
            talk.produce(some, line)

    def hear(self, event: Event) -> None:
        """What became of some of them."""
        if self.transaction is not None:
            self.transaction.hear(event)
            return
        match event["event"]:
            case "ok":
                for value, offset, _ in event["records"]:
                    place = NO_OFFSET if offset is None else offset
                    self._open.pop(value).acknowledged(value, place)
                self.tally.acked += len(event["records"])
            case "flushed":
                error = event.get("error")
                failed = f"its flush ended in {error}: {event.get('text', '')}" if error else ""
                self.flushed = Came(time.monotonic_ns(), failed)
            case "error":
                outcome = outcomes.outcome_of(event, sends_once=self._sends_once)
                said = outcomes.in_words(event)
                for value, _ in event["records"]:
                    self._open.pop(value).ended(value, outcome, said)
                    self.tally.count(outcome)


def _stretches(
    keys: Keys, values: range, where: TopicPartition | ByKey
) -> Iterator[tuple[int, range]]:
    """Values that follow one another and go to one partition: a line for each."""
    if isinstance(where, TopicPartition):
        yield where.partition, values
        return
    start = values.start
    for partition, some in groupby(keys.partition_of_each(values, where)):
        stop = start + len(list(some))
        yield partition, range(start, stop)
        start = stop
