"""Acknowledgements as they come: noted one by one with a clock reading, recorded all at once."""

from __future__ import annotations

from array import array

import numpy as np
from confluent_kafka import Message

from highwater.harness.record.sends import NO_OFFSET, Sends
from highwater.harness.workloads.shapes import Shape


class Arrivals:
    """Those of the records of one call to send, since they were last recorded.

    Whoever notes one appends its clock reading to `at_ns` and it to `messages`.
    """

    def __init__(self, sends: Sends, shape: Shape) -> None:
        self._sends, self.shape = sends, shape
        self.messages: list[Message] = []
        self.at_ns = array("q")

    def record(self) -> int:
        """Put them into the history; how many they were."""
        messages, at_ns = self.messages[:], np.array(self.at_ns)
        self.messages.clear()
        del self.at_ns[:]
        told = [message.offset() for message in messages]
        offsets = [NO_OFFSET if offset is None else offset for offset in told]
        values = self.shape.values_of(messages)
        self._sends.acknowledged_all(values, np.array(offsets), at_ns)
        return len(messages)
