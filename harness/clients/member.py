"""A member of a consumer group: what it last said of itself, and what is done to it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from highwater.harness.clients.load import Heard
from highwater.harness.clients.names import Names, incarnations, patterns
from highwater.harness.clients.process import Event, Launch
from highwater.harness.clients.seated import Seated
from highwater.harness.clients.settings import POLL_INTERVAL
from highwater.harness.errors import UsageError
from highwater.harness.model import TopicPartition
from highwater.harness.topic import Topic

LEAST_S = 0.001
BUSY_S = 25.0  # at most: who is told to stop finishes what it is at


class Member(Seated):
    """One consumer of a group, in a process of its own; what it last said of itself."""

    def __init__(self, launch: Launch, heard: Heard) -> None:
        super().__init__(launch)
        self.assigned: frozenset[TopicPartition] = frozenset()
        self.deals = 0  # how often it was told what it is assigned, which may be nothing
        self.losses = 0  # how often that something is taken from it, which may be nothing
        self.taken = 0  # partitions, counted as often as one was taken from it
        self.handed = 0  # records, counted as often as they were handed out
        self.lag_records: int | None = None  # None: it does not know
        self.positions: dict[TopicPartition, int] = {}  # of what is assigned to it, where known
        self.committed: dict[TopicPartition, int] = {}  # the highest position that was confirmed
        self.processed: dict[TopicPartition, int] = {}  # the highest end of what it has finished
        self.complaints: list[str] = []  # of its library: it goes on all the same
        self._busy_until_s = 0.0
        self._heard = heard
        self._names = Names(launch.order)

    def subscribe(self, topics: Sequence[Topic], prefix: str = "") -> None:
        """Read these topics and no others from now on; with a prefix by that, which they have.

        Raises UsageError for a member in another language, which keeps those that it began with.
        """
        if "command" in self.order:
            raise UsageError(f"{self.name} is in another language, and keeps its topics")
        more = incarnations(topics)
        told = {"topics": [each.name for each in topics], "incarnations": more}
        told |= patterns(topics)
        told |= {"prefix": prefix} if prefix else {}
        self.order = {name: each for name, each in self.order.items() if name != "prefix"} | told
        self._names.learn(more)
        self._say_subscribed([each.told_as for each in topics])
        self._process.tell({"do": "subscribe", **told})

    def expect(self, name: str) -> None:
        """There will be a topic more of this name, which is found if it reads by a prefix."""
        self._read_by_prefix([*self.order["topics"], name])

    def give_up(self, name: str) -> None:
        """There will be none."""
        self._read_by_prefix([each for each in self.order["topics"] if each != name])

    def _read_by_prefix(self, names: Sequence[str]) -> None:
        if "prefix" in self.order:
            self.order = {**self.order, "topics": [*names]}
            self._say_subscribed([self._names.told_as(name) for name in names])

    def _say_subscribed(self, recorded: Sequence[str]) -> None:
        self._heard(self.name, {"event": "subscribed", "topics": [*recorded]})

    def keep_busy(self, for_s: float) -> None:
        """Have its application be busy for so long, from the poll on that it is at.

        What that hands out is processed after it. The member does not ask for more meanwhile; what
        its library does by itself goes on. Who is busy for longer than
        max.poll.interval.ms leaves its group (KIP-62); a static one is missed when its session is
        over as well (KIP-345). Whoever has its partitions then, it finishes what it was at, and two
        process a record (two-owners): a test tolerates that, or leaves it out of its claims. Raises
        UsageError for a member that is frozen, gone or busy, and where the group has no
        `max_poll_interval_s`, for then nobody can say what is to come of it.
        """
        is_time = isinstance(for_s, int | float) and not isinstance(for_s, bool)
        if not is_time or not LEAST_S <= for_s <= BUSY_S:
            raise UsageError(
                f"expected for_s of {LEAST_S:g} to {BUSY_S:.0f} seconds, saw {for_s!r:.120}"
            )
        if POLL_INTERVAL not in self.order["settings"].get("library", {}):
            raise UsageError(
                f"{self.name} cannot be kept busy: expected ConsumerSettings with a "
                f"max_poll_interval_s, saw none"
            )
        self._process.require_awake("is kept busy")
        left_s = self._busy_until_s - time.monotonic()
        if left_s > 0:
            raise UsageError(
                f"expected {self.name} not to be busy when it is kept busy, saw that it is, for "
                f"another {left_s:.1f} s"
            )
        self._busy_until_s = time.monotonic() + for_s
        self._heard(self.name, {"event": "busy", "for_s": float(for_s)})
        self._process.tell({"do": "busy", "for_us": round(for_s * 1e6)})

    def _hear(self, event: Event) -> None:
        named = [self._names.where(*each) for each in event.get("partitions", ())]
        match event["event"]:
            case "assigned":
                self.assigned |= frozenset(named)
                self.deals += 1
            case "revoked" | "lost":
                self._leave(named)
                self.losses += 1
                self.taken += len(named)
            case "killed" | "ended":
                self._leave(list(self.assigned))
            case "complaint":
                self.complaints.append(event["text"])
            case "fatal":
                self._fatal = event["text"]
            case "progress":
                self.handed, self.lag_records = event["handed"], event["lag_records"]
                told = {self._names.where(*where): at for *where, at in event["positions"]}
                self.positions |= {each: told[each] for each in self.assigned & told.keys()}
            case "committed" | "processed":
                get_on = self._confirm if event["event"] == "committed" else self._finish
                get_on(event["offsets"])
        self._heard(self.name, self._names.recorded(event))

    def confirm(self, topic: str, partition: int, offset: int) -> TopicPartition:
        """A position of it has been confirmed; says of which partition."""
        where = self._names.where(topic, partition)
        self.committed[where] = max(offset, self.committed.get(where, 0))
        return where

    def _confirm(self, offsets: Sequence[Any]) -> None:
        for topic, partition, offset, error in offsets:
            if error is None:
                self.confirm(topic, partition, offset)

    def _finish(self, spans: Sequence[Any]) -> None:
        for topic, partition, _, end in spans:
            where = self._names.where(topic, partition)
            self.processed[where] = max(end, self.processed.get(where, 0))

    def _leave(self, wheres: Sequence[TopicPartition]) -> None:
        """Who comes next begins at the position that was committed, which may be another."""
        self.assigned -= frozenset(wheres)
        self.positions = {
            where: each for where, each in self.positions.items() if where not in wheres
        }
