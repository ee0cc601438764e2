"""A record in memory, and what can be looked up in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Any

from highwater.checkers.second_opinion.leader import Leader
from highwater.checkers.second_opinion.passages import Passages, passages_of
from highwater.checkers.second_opinion.rows import (
    Place,
    Row,
    as_told_last,
    grouped,
    identity_of,
    place,
    ran_backwards,
    segment_of,
)
from highwater.checkers.second_opinion.settings import Settings
from highwater.harness.model import name_in_kafka
from highwater.harness.record.reader import RunAt
from highwater.harness.tables import TABLES


class Record:
    """The tables of one run as rows."""

    def __init__(self, run: RunAt[Any]) -> None:
        self._run, self.identity = run, run.identity
        self._tables: dict[str, list[Row]] = {}

    def apart(self, tables: Collection[str]) -> list[Record]:
        """What these tables have of each topic of one name, and of all others with the last one.

        Rows that do not say which one they are of stay with the last.
        """
        looks = self["replica_states"] if "replica_states" in tables else []
        told = [row for row in looks if row["topic_id"] is not None]
        last = {row["topic"]: row["topic_id"] for row in sorted(told, key=lambda row: row["at_ns"])}
        earlier = grouped(
            [row for row in told if row["topic_id"] != last[row["topic"]]],
            lambda row: (row["topic"], row["topic_id"]),
        )
        sampled: dict[str, list[Row]] = {
            name: [] for name in TABLES if name not in ("history", "clients")
        }
        kept = [self._with({**sampled, "replica_states": rows}) for rows in earlier.values()]
        left = {
            name: [row for row in self[name] if (row["topic"], row["topic_id"]) not in earlier]
            for name in {"replica_states", "replica_ends"} & {*tables}
        }
        return [*kept, self._with(left) if earlier else self]

    def _with(self, tables: Mapping[str, list[Row]]) -> Record:
        """The same record with these tables."""
        found = Record(self._run)
        found._tables = {**self._tables, **tables}
        return found

    def __getitem__(self, table: str) -> list[Row]:
        """Its rows; raises RecordError for a table that cannot be read."""
        if table not in self._tables:
            self._tables[table] = self._run.table(table).to_pylist()
        return self._tables[table]

    @cached_property
    def sends(self) -> list[Row]:
        return [row for row in self["history"] if row["action"] == "send"]

    @cached_property
    def _written(self) -> set[str]:
        return {name_in_kafka(row["topic"]) for row in self.sends}

    def writes_to(self, topic: str) -> bool:
        """Or to another topic that had its name: `orders#2` is the second one of `orders`."""
        return name_in_kafka(topic) in self._written

    @cached_property
    def acknowledged(self) -> list[Row]:
        """By the whole in-sync set."""
        return [row for row in self.sends if row["outcome"] == "ok" and row["acks"] == "all"]

    @cached_property
    def polls(self) -> list[Row]:
        done = [row for row in self["history"] if row["outcome"] == "ok"]
        return [row for row in done if row["action"] == "poll"]

    @cached_property
    def first_handed(self) -> dict[tuple[Place, int], int]:
        """When readers were first handed each value."""
        found: dict[tuple[Place, int], int] = {}
        for row in self.polls:
            identity, at = (place(row), row["value"]), row["completed_ns"]
            if at is not None and not ran_backwards(row):
                found[identity] = min(at, found.get(identity, at))
        return found

    @cached_property
    def handed_to(self) -> dict[tuple[str, Place, int], list[tuple[float, int]]]:
        """When each reader was handed each value, and at which offset: -1 where nobody told it.

        An end that nobody knows is the last.
        """
        found: dict[tuple[str, Place, int], list[tuple[float, int]]] = defaultdict(list)
        for row in self.polls:
            at = float("inf") if row["completed_ns"] is None else row["completed_ns"]
            offset = -1 if row["offset"] is None else row["offset"]
            found[row["client"], place(row), row["value"]].append((at, offset))
        return found

    @cached_property
    def first_committed(self) -> dict[tuple[Place, int], int]:
        """When readers of committed records were first handed each value."""
        found: dict[tuple[Place, int], int] = {}
        for row in self.polls:
            at = row["completed_ns"]
            if at is not None and not ran_backwards(row) and not self.reads_uncommitted(row):
                found[identity_of(row)] = min(at, found.get(identity_of(row), at))
        return found

    def is_alone(self, row: Row) -> bool:
        """Whether its value was sent once to its partition."""
        return len(self._attempts[identity_of(row)]) == 1

    @cached_property
    def _attempts(self) -> dict[tuple[Place, int], list[Row]]:
        return grouped(self.final_sends, identity_of)

    @cached_property
    def last_handed(self) -> dict[tuple[Place, int], float]:
        """The same of the last time; an end that nobody knows is later than any."""
        found: dict[tuple[Place, int], float] = {}
        for row in self.polls:
            identity, at = (place(row), row["value"]), row["completed_ns"]
            ended = float("inf") if at is None else at
            found[identity] = max(ended, found.get(identity, ended))
        return found

    def client(self, name: str) -> Row:
        """What is known of a client: nothing at all, or its row."""
        return self._clients.get(name, {})

    @cached_property
    def _clients(self) -> dict[str, Row]:
        """Of a client with several rows the one that tells its end; else they are alike."""
        told = sorted(self["clients"], key=lambda row: row["ended_ns"] is not None)
        return {row["client"]: row for row in told}

    def is_plain(self, client: str) -> bool:
        """Whether it is known to be a producer that uses no transactions."""
        known = self.client(client)
        return known.get("role") == "producer" and known["transactional_id"] is None

    def reads_uncommitted(self, row: Row) -> bool:
        return self.client(row["client"]).get("isolation") == "read_uncommitted"

    @cached_property
    def groups(self) -> Mapping[str, Any]:
        """What is said of groups, which are known to tell what they process."""
        told = self._run.identity.get("groups")
        return told if isinstance(told, Mapping) else {}

    def told_of_group(self, group: str, name: str) -> Any:
        own = self.groups.get(group)
        return own.get(name) if isinstance(own, Mapping) else None

    def group_begins_at(self, group: str) -> str | None:
        """Where a group begins that has not committed: "earliest", "latest", or nobody knows."""
        told: str | None = self.told_of_group(group, "auto.offset.reset")
        return told if told in ("earliest", "latest") else None

    def group_of(self, row: Row) -> str | None:
        """The group that a reader is a member of, where it is told."""
        told: str | None = self.client(row["client"]).get("group_id")
        return told

    def began_ns(self, row: Row) -> int | None:
        """When its reader began, where it is told."""
        told: int | None = self.client(row["client"]).get("began_ns")
        return told

    def settings(self, topic: str) -> Settings:
        return Settings(self._run.identity, topic)

    def is_transactional(self, client: str) -> bool:
        known = self.client(client)
        return known.get("role") == "producer" and known["transactional_id"] is not None

    @cached_property
    def highest_handed(self) -> dict[tuple[Place, int], int]:
        """The highest offset that a reader was handed each value at."""
        found: dict[tuple[Place, int], int] = {}
        for row in self.polls:
            if row["offset"] is not None and row["offset"] >= 0:
                key = place(row), row["value"]
                found[key] = max(row["offset"], found.get(key, -1))
        return found

    def was_passed(self, where: Place, offset: int) -> bool:
        return self.passages.was_passed(where, offset)

    @cached_property
    def passages(self) -> Passages:
        return passages_of(self["history"], self.begins_at_the_start)

    @cached_property
    def _passages_as_committed(self) -> Passages:
        others = [row for row in self["history"] if not self.reads_uncommitted(row)]
        return passages_of(others, self.begins_at_the_start)

    def begins_at_the_start(self, client: str, topic: str) -> bool:
        own = self.client(client)
        if own.get("group_id") is not None:  # it goes on where its group had got
            return False
        return own.get("begins_at") == "earliest" and not self.settings(topic).deletes

    @cached_property
    def _unreadable(self) -> set[tuple[Place, int]]:
        blank = [row for row in self.polls if row["value"] is None]
        return {(place(row), -1 if row["offset"] is None else row["offset"]) for row in blank}

    def is_unreadable(self, where: Place, offset: int) -> bool:
        """Whether a reader could make out no value there, or nobody told where it could not."""
        return (where, offset) in self._unreadable or any(
            place_ == where and at < 0 for place_, at in self._unreadable
        )

    def passed_since(self, where: Place, offset: int, *, as_committed: bool = False) -> float:
        """After what moment some reader passed it at the latest, or one of committed records."""
        passages = self._passages_as_committed if as_committed else self.passages
        return passages.since(where, offset)

    def passed_until(self, where: Place, offset: int) -> float:
        """By what moment all readers that did had passed it."""
        return self.passages.until(where, offset)

    @cached_property
    def endings(self) -> list[Row]:
        """Readers that got to an end."""
        return [row for row in self["history"] if row["action"] == "end" and row["outcome"] == "ok"]

    @cached_property
    def final_sends(self) -> list[Row]:
        """Sends, each as it was told last: an open one unless it ended later, and once."""
        return as_told_last(self.sends)

    @cached_property
    def sent(self) -> dict[int | None, list[Row]]:
        """The same by their values."""
        return grouped(self.final_sends, lambda row: row["value"])

    @cached_property
    def _first_positions(self) -> dict[tuple[Place, int, str], int]:
        found: dict[tuple[Place, int, str], int] = {}
        for row in self["replica_logs"]:
            segment = place(row), row["broker"], segment_of(row)
            found[segment] = min(row["position"], found.get(segment, row["position"]))
        return found

    def is_unordered(self, row: Row) -> bool:
        """Whether the positions in its segment cannot be bytes in a file."""
        return self._first_positions[place(row), row["broker"], segment_of(row)] != 0

    @cached_property
    def leaders(self) -> dict[Place, Leader]:
        """Of those that claim to lead, the one with the highest epoch."""
        logs = grouped(self["replica_logs"], lambda row: (place(row), row["broker"]))
        found = {}
        for where, ends in grouped(self["replica_ends"], place).items():
            leading = [row for row in ends if row["is_leader"]]
            latest = max((_epoch(row) for row in leading), default=None)
            claiming = [row for row in leading if _epoch(row) == latest]
            if len({row["broker"] for row in claiming}) == 1:
                last = claiming[0]
                found[where] = Leader(
                    last["broker"],
                    last["log_start_offset"],
                    last["log_end_offset"],
                    all(row["settled"] for row in ends),
                    logs.get((where, last["broker"]), []),
                )
        return found


def by_identity(record: Record) -> dict[tuple[Place, int], list[Row]]:
    """Sends by their value and partition."""
    return grouped(record.sends, identity_of)


def placed(record: Record) -> list[Row]:
    """What was acknowledged at a known offset."""
    return [row for row in record.acknowledged if row["offset"] is not None and row["offset"] >= 0]


def _epoch(end: Row) -> int:
    """What is not known comes first."""
    return -2 if end["leader_epoch"] is None else int(end["leader_epoch"])
