"""Acknowledgements are noted one by one, and recorded all at once."""

from __future__ import annotations

import pytest
from confluent_kafka import Message

from highwater.harness.model import TopicPartition
from highwater.harness.record.sends import NO_OFFSET, Sends
from highwater.harness.workloads.arrivals import Arrivals
from highwater.harness.workloads.encoding import Encoder
from highwater.harness.workloads.keys import Keys
from highwater.harness.workloads.shapes import Shape

VALUES = range(995, 1_015)


def _sends() -> Sends:
    sends = Sends("producer", TopicPartition("orders"), "all", VALUES)
    sends.invoke(VALUES, Encoder(64).all(VALUES).checksums)
    return sends


@pytest.mark.parametrize("places", [[19], [3, 4, 0], [*range(19, -1, -1)]])
def test_each_record_has_its_own_offset_and_clock_reading(places: list[int]) -> None:
    sends, contents = _sends(), Encoder(64).all(VALUES).contents
    arrivals = Arrivals(sends, Shape(Keys(0), Encoder(64)))
    for place in places:
        arrivals.at_ns.append(10**18 + place)
        arrivals.messages.append(Message(value=contents[place], offset=100 + place))

    assert arrivals.record() == len(places)
    assert arrivals.record() == 0

    told = sends.tell()
    ended = {
        value - VALUES.start: (offset, at_ns)
        for value, offset, at_ns, is_open in zip(
            told.values.tolist(),
            told.offsets.tolist(),
            told.completed_ns.tolist(),
            told.is_open.tolist(),
            strict=True,
        )
        if not is_open
    }
    assert ended == {place: (100 + place, 10**18 + place) for place in places}
    assert sends.waiting == len(VALUES) - len(places)


def test_a_producer_that_asks_for_no_acknowledgement_is_told_no_offset() -> None:
    sends, contents = _sends(), Encoder(64).all(VALUES).contents
    arrivals = Arrivals(sends, Shape(Keys(0), Encoder(64)))
    arrivals.at_ns.append(7)
    arrivals.messages.append(Message(value=contents[2]))

    arrivals.record()

    told = sends.tell()
    assert told.offsets[~told.is_open].tolist() == [NO_OFFSET]
    assert sends.offsets().tolist() == []
