"""What a member of a group holds and has been handed, as its history has it and the harness hears.

Whatever it is assigned anew it reads under another name of the record: it may begin where it, or
another member, has been.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

from highwater.adapters.dialogue import Dialogue, Order, tell_clients
from highwater.harness.model import TopicPartition
from highwater.harness.record.history import History
from highwater.harness.record.polls import Polls
from highwater.harness.workloads.handed import Key, Records


class Reading:
    """Of one member; for one thread at a time."""

    def __init__(
        self, order: Order, history: History, dialogue: Dialogue, *, isolation: str
    ) -> None:
        self.held: set[Key] = set()
        self.handed = 0  # records, counted as often as they were handed out
        self.positions: dict[Key, int] = {}
        self._name, self._group = order["client"], order["group"]
        self._history, self._dialogue = history, dialogue
        self._isolation = isolation
        # Kept when a partition is given up, for what was on its way is handed out.
        self._polls: dict[Key, Polls] = {}
        self._moved: set[Key] = set()  # positions that have not been told
        self._transaction: int | None = None
        self._incarnations: dict[str, int] = {}  # of topics
        self.learn(order)

    def learn(self, asked: Order) -> None:
        """Which of the topics of one name are meant from now on, and how their records look."""
        self._incarnations |= asked.get("incarnations", {})
        self._history.patterns |= asked.get("patterns", {})

    def within(self, transaction: int) -> None:
        """What is handed out from now on belongs to this transaction."""
        self._transaction = transaction
        for polls in self._polls.values():
            polls.within(transaction)

    def begin(self, keys: Iterable[Key], at_ns: int | None = None) -> None:
        """Under another name than before; it began then, or just now."""
        promised = {"isolation": self._isolation, "group_id": self._group}
        name = self._history.reader(self._name, at_ns, client_id=self._name, **promised)
        tell_clients(self._history, self._dialogue)
        for key in keys:
            where = TopicPartition(*key, self._incarnations.get(key[0], 1))
            self._polls[key] = self._history.polls(name, where)
        if self._transaction is not None:
            self.within(self._transaction)

    def append(self, key: Key, records: Records, at_ns: int) -> None:
        """These were handed out then, all at once."""
        examined = records.examined()
        self._polls[key].extend(records.offsets, examined, records.key_hashes(), at_ns)
        self.move(key, records.position)
        self.handed += len(records.offsets)

    def move(self, key: Key, position: int) -> None:
        """Everything below this has been handed out, or has no record to be handed out."""
        if key in self.held:
            self.positions[key] = position
            self._moved.add(key)

    def take(self, keys: Sequence[Key], generation: int | None, at_ns: int) -> None:
        """It has been assigned these."""
        self.begin(keys, at_ns)
        self.held |= set(keys)
        self._deal("assigned", keys, generation, at_ns)

    def give_up(self, why: str, keys: Sequence[Key], generation: int | None, at_ns: int) -> None:
        """It has `revoked` them, or has heard that they are `lost`."""
        for key in keys:
            self.held.discard(key)
            self.positions.pop(key, None)
        self._deal(why, keys, generation, at_ns)

    def _deal(self, event: str, keys: Sequence[Key], generation: int | None, at_ns: int) -> None:
        named: list[Any] = sorted([*key] for key in keys)
        told = {"group": self._group, "at_ns": at_ns, "partitions": named}
        self._dialogue.say(event, generation=generation, **told)

    def tell(self, lag_records: int | None) -> None:
        moved = [[*key, self.positions[key]] for key in self._moved & self.positions.keys()]
        self._moved.clear()
        told = {"handed": self.handed, "lag_records": lag_records}
        self._dialogue.say("progress", **told, positions=sorted(moved))

    def tell_offsets(
        self,
        event: str,
        offsets: Sequence[Sequence[Any]],
        at_ns: int | None = None,
        **more: int,
    ) -> None:
        """What it has processed, asked to commit, or was answered; now, if no time is told."""
        told_ns = time.monotonic_ns() if at_ns is None else at_ns
        self._dialogue.say(event, group=self._group, at_ns=told_ns, offsets=offsets, **more)
