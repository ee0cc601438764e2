"""What an adapter hears and says: one JSON object a line, see docs/adapters.md."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TextIO

import numpy as np
import pyarrow as pa

from highwater.harness.record.history import History

FLUSH_INTERVAL_S = 1.0
PROGRESS_INTERVAL_S = 0.1

Order = Mapping[str, Any]


class Dialogue:
    """With the harness, which ends it by a line `{"do": "stop"}` or by going away."""

    def __init__(self, heard: TextIO, said: TextIO) -> None:
        self._heard = heard
        self._said = said
        self._lock = threading.Lock()
        self._asked, self._flushes = SimpleQueue[Order](), SimpleQueue[Order]()
        self.stopping = threading.Event()
        self.yielding = threading.Event()  # another process has its transactional.id

    def first(self) -> Order | None:
        """The first line: what client this is; None where there is none."""
        line = self._heard.readline()
        return json.loads(line) if line else None

    def listen(self) -> None:
        """Hear in the background when to stop."""
        threading.Thread(target=self._listen, name="dialogue", daemon=True).start()

    def asked(self) -> Iterator[Order]:
        """What it was told to do since the last call, but for to stop and to flush."""
        yield from _taken(self._asked)

    def flushes(self) -> Iterator[int]:
        """The numbers of the flushes that it was told since the last call."""
        return (asked["number"] for asked in _taken(self._flushes))

    def next(self, timeout_s: float) -> Order | None:
        """What it is told to do next; None where that is nothing for so long."""
        try:
            return self._asked.get(timeout=timeout_s)
        except Empty:
            return None

    def say(self, event: str, **what: Any) -> None:
        with self._lock:
            self._said.write(json.dumps({"event": event, **what}) + "\n")
            self._said.flush()

    def _listen(self) -> None:
        for line in self._heard:
            asked: Order = json.loads(line)
            if asked["do"] == "stop":
                break
            if asked["do"] == "yield":
                self.yielding.set()
            elif asked["do"] == "flush" and "number" in asked:  # of a load; others have steps
                self._flushes.put(asked)
            else:
                self._asked.put(asked)
        self.stopping.set()


def _taken(queue: SimpleQueue[Order]) -> Iterator[Order]:
    with suppress(Empty):
        while True:
            yield queue.get_nowait()


@contextmanager
def recording(order: Order) -> Generator[History]:
    """The history that the order names, written every second and at the end."""
    # Its first array has pyarrow load pandas: seconds on a busy machine, in which nobody could
    # begin to read, for the history is locked while it is written.
    pa.array(np.empty(0, np.int64))
    place = order["record"]
    directory = Path(place["directory"]) / "history"
    history = History(directory, place["origin_ns"], order["client"], place["number"])
    history.patterns |= order.get("patterns", {})
    stop = threading.Event()

    def write() -> None:
        while not stop.wait(FLUSH_INTERVAL_S):
            with suppress(OSError):  # nothing is lost: the last flush writes it all, or raises
                history.flush()

    writing = threading.Thread(target=write, name="history", daemon=True)
    writing.start()
    try:
        yield history
    finally:
        stop.set()
        writing.join()
        history.close()


def tell_clients(history: History, dialogue: Dialogue) -> None:
    """Hand on what clients have promised since the last call: rows of the table `clients`."""
    while history.clients:
        dialogue.say("client", row=history.clients.pop(0))
