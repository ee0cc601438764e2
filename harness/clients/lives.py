"""When clients began and ended, as the record has it: rows of its table `clients`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from highwater.harness.clients.process import Event
from highwater.harness.scene import Scene

ENDS = ("killed", "ended")


class Lives:
    """Puts a row of each client on the record when it begins, and again with its end.

    A process may be several clients of the record: what a member sends, and each of its readings.
    All of them end with it, and none of them begins again: who is started again has another name.
    `transacts` is told the transactional ids of those that have one.
    """

    def __init__(self, scene: Scene, transacts: Callable[[str], None]) -> None:
        self._scene = scene
        self._transacts = transacts
        self._rows: dict[str, list[Mapping[str, Any]]] = defaultdict(list)  # by process

    def hear(self, process: str, event: Event) -> None:
        """That it is a client, was killed, or has ended in order; nothing follows of anything else.

        Who was killed has ended when that was done: what it had said may be heard much later.
        """
        if event["event"] == "client":
            self._rows[process].append(event["row"])
            self._scene.record.history.clients.append(event["row"])
            if transactional_id := event["row"].get("transactional_id"):
                self._transacts(transactional_id)
        elif event["event"] in ENDS:
            record = self._scene.record
            at_ns = event["at_ns"] - record.origin_ns if "at_ns" in event else record.now_ns()
            for row in self._rows.pop(process, ()):
                record.history.clients.append({**row, "ended_ns": at_ns})
