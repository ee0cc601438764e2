"""A member of a group, in Python: polls, processes what it is handed, and commits it.

A library's consumer has `subscribe(topics, member)`, which calls `member.assigned` and
`member.left`; `poll(seconds, most)`, which returns tuples of topic, partition, offset, value, key
and headers, which are pairs of a name and a value, or None; `position(place)` of a partition, or
None; `commit(positions)`, which waits for the answer and raises what its library does;
`answer(error)`, which says the name of it and Kafka's code, or None; `generation()`, or None;
`close()`; and, where its library goes on only while somebody waits for it, `rest(seconds)`.
"""

from __future__ import annotations

import threading
import time
from typing import Any, Dict, Iterable, List, Optional, Tuple  # noqa: UP035 - for Python 3.8

POLL_S, COMMIT_S = 0.05, 0.2
Place = Tuple[str, int]  # noqa: UP006 - for Python 3.8


class Member:
    def __init__(self, begin: dict[str, Any], say: Any) -> None:
        self._say = say
        self._most: int = begin["at_once"]
        self._processing_s = begin["processing_us"] / 1e6
        self._is_first = begin["commits"] == "before"
        self._is_automatic = begin["commits"] == "auto"  # then its library commits
        self._headers: Dict[str, str] = begin.get("headers", {})  # noqa: UP006 - one of each topic
        self._ends: Dict[Place, int] = {}  # noqa: UP006 - processed, and not committed
        self._told: Dict[Place, int] = {}  # noqa: UP006 - positions
        self._held: List[Place] = []  # noqa: UP006
        self.busy_s = 0.0  # of the next poll, before what that hands out is processed
        self.stopping = threading.Event()

    def run(self, consumer: Any, topics: list[str]) -> None:
        """Until it is told to stop."""
        self._consumer = consumer
        self._rest = getattr(consumer, "rest", threading.Event().wait)
        consumer.subscribe(topics, self)
        self._say("ready")
        told_s = time.monotonic()
        while not self.stopping.is_set():
            self._some(consumer.poll(POLL_S, self._most))
            if time.monotonic() - told_s >= COMMIT_S:
                self._commit()
                self._tell()
                told_s = time.monotonic()
        self._commit()
        consumer.close()

    def assigned(self, places: Iterable[Place]) -> None:
        places = [each for each in places if each not in self._held]
        self._held += places
        self._deal("assigned", places)

    def left(self, places: Iterable[Place], *, is_lost: bool = False) -> None:
        """They are revoked: what was processed of them is committed first."""
        places = [each for each in places if each in self._held]
        if not is_lost:
            self._commit()
        self._held = [each for each in self._held if each not in places]
        for each in places:
            self._ends.pop(each, None)
            self._told.pop(each, None)
        self._deal("lost" if is_lost else "revoked", places)

    def _deal(self, event: str, places: list[Place]) -> None:
        partitions, generation = [[*each] for each in places], self._consumer.generation()
        self._say(event, at_ns=time.monotonic_ns(), partitions=partitions, generation=generation)

    def _some(self, records: list[tuple[Any, ...]]) -> None:
        now_ns = time.monotonic_ns()
        handed: Dict[Place, list[Any]] = {}  # noqa: UP006
        for topic, partition, offset, value, key, headers in records:
            told = [offset, _text(value), _text(key)]
            if topic in self._headers:  # of several of that name the last one
                told.append(_text(dict(headers or ()).get(self._headers[topic])))
            handed.setdefault((topic, partition), []).append(told)
        for (topic, partition), some in handed.items():
            self._say("polled", at_ns=now_ns, records=some, topic=topic, partition=partition)
        ends = {at: some[-1][0] + 1 for at, some in handed.items() if at in self._held}  # yet
        if self._is_first:
            self._ends.update(ends)
            self._commit()
        busy_s, self.busy_s = self.busy_s, 0.0
        if (records and self._processing_s) or busy_s:
            self._rest(self._processing_s * len(records) + busy_s)
        spans = [[*place, *span] for place, some in handed.items() for span in _spans(some)]
        if spans:
            self._say("processed", at_ns=time.monotonic_ns(), offsets=spans)
        if not (self._is_first or self._is_automatic):
            self._ends.update(ends)

    def _commit(self) -> None:
        asked = self.asks()
        if not asked:
            return
        try:
            self._consumer.commit(asked)
        except Exception as error:  # noqa: BLE001 - whatever its library raises is its answer
            self.answered(asked, error)
        else:
            self.answered(asked)

    def asks(self) -> Dict[Place, int]:  # noqa: UP006
        """Say that it is about to commit what has been processed, which this returns."""
        asked, self._ends = self._ends, {}
        offsets = [[*place, end] for place, end in asked.items()]
        if offsets:
            self._say("commit", at_ns=time.monotonic_ns(), offsets=offsets)
        return asked

    def answered(self, asked: Dict[Place, int], error: Optional[Exception] = None) -> None:  # noqa: UP006, UP045
        """Say what has become of it."""
        name, code = (None, None) if error is None else self._consumer.answer(error)
        if error is not None:
            self._say("complaint", text=f"a commit was answered by {error!r:.300}")
        told = {"offsets": [[*place, end] for place, end in asked.items()]}
        self._say("committed", at_ns=time.monotonic_ns(), error=name, code=code, **told)

    def _tell(self) -> None:
        """How far it has got: over what nobody is handed as well."""
        found = {place: self._consumer.position(place) for place in self._held}
        moved = {at: n for at, n in found.items() if n is not None and n != self._told.get(at)}
        self._told.update(moved)
        if moved:
            self._say("reached", offsets=[[*place, end] for place, end in moved.items()])


def _text(told: bytes | None) -> str | None:
    return None if told is None else told.decode("utf-8", "replace")


def _spans(some: list[Any]) -> list[list[int]]:
    """Offsets that follow upon each other: the first, and one past the last."""
    spans: list[list[int]] = []
    for offset, *_ in some:
        if spans and spans[-1][1] == offset:
            spans[-1][1] = offset + 1
        else:
            spans.append([offset, offset + 1])
    return spans
