"""A member of a group in another language: what it says it was handed and did, in the history."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

from highwater.adapters.dialogue import PROGRESS_INTERVAL_S, Dialogue, Order
from highwater.adapters.reading import Reading
from highwater.harness.foreign.lines import Event
from highwater.harness.foreign.outcomes import named_code
from highwater.harness.foreign.talk import Talk
from highwater.harness.record.history import History
from highwater.harness.workloads.handed import Key, Records
from highwater.harness.workloads.pattern import HEADER, Headers, Marking, Markings


class Receiving:
    """Heard by the thread that reads the adapter's lines, and told of by another one."""

    def __init__(self, order: Order, history: History, dialogue: Dialogue) -> None:
        isolation = order["told"]["isolation.level"]
        self._lock = threading.Lock()
        self._reading = Reading(order, history, dialogue, isolation=isolation)
        self._markings = Markings(history.patterns)

    def hear(self, event: Event) -> None:
        """What has become of partitions, records and commits."""
        with self._lock:
            match event["event"]:
                case "assigned" | "revoked" | "lost" as what:
                    self._deal(what, event)
                case "polled" if event["records"]:
                    key = (event["topic"], event["partition"])
                    records = _records(event, self._markings.get(event["topic"]))
                    self._reading.append(key, records, event["at_ns"])
                case "reached":
                    for topic, number, position in event["offsets"]:
                        self._reading.move((topic, number), position)
                case "processed" | "commit" as said:
                    self._reading.tell_offsets(said, event["offsets"], event["at_ns"])
                case "committed":
                    error = named_code(event)
                    answered = [[*position, error] for position in event["offsets"]]
                    self._reading.tell_offsets("committed", answered, event["at_ns"])
                case "ended" if self._reading.held:  # as of a library that says no more at its end
                    held = sorted(self._reading.held)
                    self._reading.give_up("revoked", held, None, time.monotonic_ns())

    def _deal(self, what: str, event: Event) -> None:
        dealt = _keys(event), event["generation"], event["at_ns"]
        if what == "assigned":
            self._reading.take(*dealt)
        else:
            self._reading.give_up(what, *dealt)

    def tell(self) -> None:
        """How far it has got; who does not know the ends of logs knows no lag."""
        with self._lock:
            self._reading.tell(None)

    def tell_until(self, talk: Talk, dialogue: Dialogue) -> None:
        """Ten times a second, until it is told to stop or the adapter is gone; hand on the rest."""
        while not talk.is_over and not dialogue.stopping.wait(PROGRESS_INTERVAL_S):
            for asked in dialogue.asked():
                talk.say(asked)  # to be busy
            self.tell()


def _keys(event: Event) -> list[Key]:
    return [(topic, number) for topic, number in event["partitions"]]


def _records(event: Event, marking: Marking | None) -> Records:
    found = Records()
    for offset, value, key, *_ in event["records"]:
        found.offsets.append(offset)
        found.contents.append(b"" if value is None else value.encode())
        found.keys.append(None if key is None else key.encode())
    if marking is not None:
        each = zip(found.keys, found.contents, event["records"], strict=True)
        found.marks.extend(
            marking.mark(key, content, _headers(marking, told)) for key, content, told in each
        )
    return found


def _headers(marking: Marking, told: Sequence[Any]) -> Headers:
    """The one that it was told to tell: no other is told."""
    if marking.kind != HEADER or told[-1] is None:
        return {}
    return {marking.name: told[-1].encode()}
