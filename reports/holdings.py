"""What was acknowledged, what was read, and what each replica holds, offset by offset."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from highwater.harness.record.ends import ReplicaEnd, leader_of
from highwater.reports.bounded import RECORDS
from highwater.reports.contents import RunContents

Partition = tuple[str, int]  # topic and number


@dataclass(frozen=True, slots=True)
class Acked:
    value: int | None
    offset: int
    acks: str


@dataclass(frozen=True, slots=True)
class Stored:
    """A record in a replica's segment files."""

    value: int | None
    epoch: int | None
    is_control: bool
    digest: int | None
    problem: str | None


@dataclass(frozen=True)
class Holdings:
    """One partition at the end of a run, from history, replica_logs and replica_ends."""

    where: Partition
    acked: Mapping[int, Sequence[Acked]]  # by offset
    read: Mapping[int, Sequence[int | None]]
    logs: Mapping[int, Mapping[int, Sequence[Stored]]]  # by broker, by offset
    ends: Mapping[int, ReplicaEnd]
    is_whole: bool = True  # or what is around anomalies

    @property
    def leader(self) -> int | None:
        end = leader_of(self.ends.values())
        return None if end is None else end.broker

    @property
    def replicas(self) -> list[int]:
        return sorted(self.logs.keys() | self.ends.keys())

    @cached_property
    def _values(self) -> Mapping[int, frozenset[int | None]]:
        return {
            broker: frozenset(each.value for records in log.values() for each in records)
            for broker, log in self.logs.items()
        }

    def values_of(self, broker: int) -> frozenset[int | None]:
        return self._values.get(broker, frozenset())

    def start_of(self, broker: int) -> int:
        end = self.ends.get(broker)
        return (end.log_start_offset if end else None) or 0

    def was_read(self, broker: int) -> bool:
        """Whether the record says what is in this replica's log, be it that it is empty."""
        end = self.ends.get(broker)
        is_empty = end is not None and end.log_end_offset == (end.log_start_offset or 0)
        return broker in self.logs or is_empty

    def lost(self) -> list[Acked]:
        """Acknowledged and not in the leader's log (without a leader: in no log at all).

        Nothing is said where that log was not read, nor of offsets below its start.
        """
        judges = self.replicas if self.leader is None else [self.leader]
        if not judges or not all(self.was_read(broker) for broker in judges):
            return []
        present = frozenset().union(*(self.values_of(broker) for broker in judges))
        start = min(self.start_of(broker) for broker in judges)
        every = [acked for records in self.acked.values() for acked in records]
        return [each for each in every if each.offset >= start and each.value not in present]


def all_holdings(contents: RunContents) -> list[Holdings]:
    """Every partition that a client wrote to or a replica's log was read of."""
    acked, read = _from_history(contents)
    logs = _logs(contents)
    ends = _ends(contents)
    places = sorted(acked.keys() | logs.keys() | ends.keys())
    return [
        Holdings(
            place,
            acked.get(place, {}),
            read.get(place, {}),
            logs.get(place, {}),
            ends.get(place, {}),
            not contents.excerpts.keys() & {*RECORDS},
        )
        for place in places
    ]


def _from_history(
    contents: RunContents,
) -> tuple[dict[Partition, dict[int, list[Acked]]], dict[Partition, dict[int, list[int | None]]]]:
    acked: dict[Partition, dict[int, list[Acked]]] = defaultdict(lambda: defaultdict(list))
    seen: dict[tuple[Partition, str], dict[int, list[int | None]]] = defaultdict(
        lambda: defaultdict(list)
    )
    finished: dict[Partition, str] = {}
    columns = ("action", "outcome", "client", "topic", "partition", "offset", "value", "acks")
    for action, outcome, client, topic, partition, offset, value, acks in contents.rows(
        "history", *columns
    ):
        place = (topic, partition)
        if offset is None or outcome != "ok":
            continue
        if action == "send":
            acked[place][offset].append(Acked(value, offset, acks or "?"))
        elif action == "poll":
            seen[place, client][offset].append(value)
        elif action == "end":
            finished[place] = client
    return acked, _final_reads(seen, finished)


def _final_reads(
    seen: Mapping[tuple[Partition, str], dict[int, list[int | None]]],
    finished: Mapping[Partition, str],
) -> dict[Partition, dict[int, list[int | None]]]:
    """What the last client to reach the end saw; everybody's polls where nobody reached it."""
    reads: dict[Partition, dict[int, list[int | None]]] = defaultdict(lambda: defaultdict(list))
    for (place, client), offsets in seen.items():
        if finished.get(place, client) == client:
            for offset, values in offsets.items():
                reads[place][offset] += values
    return reads


def _logs(contents: RunContents) -> dict[Partition, dict[int, dict[int, list[Stored]]]]:
    logs: dict[Partition, dict[int, dict[int, list[Stored]]]] = {}
    for topic, partition, broker in contents.logs_read():
        logs.setdefault((topic, partition), {})[broker] = {}
    columns = (
        "topic", "partition", "broker", "offset",
        "value", "leader_epoch", "is_control", "digest", "problem",
    )  # fmt: skip
    for topic, partition, broker, offset, *stored in contents.rows("replica_logs", *columns):
        by_broker = logs.setdefault((topic, partition), {})
        by_broker.setdefault(broker, {}).setdefault(offset, []).append(Stored(*stored))
    return logs


def _ends(contents: RunContents) -> dict[Partition, dict[int, ReplicaEnd]]:
    ends: dict[Partition, dict[int, ReplicaEnd]] = {}
    columns = (
        "topic", "partition", "broker", "log_start_offset", "log_end_offset", "high_watermark",
        "is_leader", "in_isr", "leader_epoch", "settled",
    )  # fmt: skip
    for topic, partition, broker, *end in contents.rows("replica_ends", *columns):
        ends.setdefault((topic, partition), {})[broker] = ReplicaEnd(broker, *end)
    return ends
