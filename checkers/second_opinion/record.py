"""A record in memory, and what can be looked up in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from highwater.harness.model import Answer
from highwater.harness.record.reader import RunAt

Row = Mapping[str, Any]
Place = tuple[str, int]  # topic and partition


@dataclass(frozen=True, slots=True)
class Opinion:
    """What is said of one claim: how much was considered, wrong, and undecidable."""

    considered: int = 0
    anomalies: int = 0
    doubts: int = 0

    @property
    def answer(self) -> Answer:
        if self.anomalies:
            return Answer.VIOLATED
        return Answer.UNKNOWN if self.doubts or not self.considered else Answer.HELD


def opinion_of(findings: Iterable[bool | None]) -> Opinion:
    """Of one finding per row: True is an anomaly, False is none, None a doubt."""
    found = list(findings)
    return Opinion(len(found), found.count(True), found.count(None))


@dataclass(frozen=True, slots=True)
class Leader:
    """Who led a partition at the end, and what its log is like."""

    broker: int
    log_start: int | None
    log_end: int | None
    settled: bool
    rows: list[Row]  # of its log

    @property
    def is_recorded(self) -> bool:
        return bool(self.rows) or (self.log_start is not None and self.log_start == self.log_end)

    @property
    def is_damaged(self) -> bool:
        return any(row["problem"] is not None for row in self.rows)


class Record:
    """The tables of one run as rows."""

    def __init__(self, run: RunAt[Any]) -> None:
        self._run = run
        self._tables: dict[str, list[Row]] = {}
        self._settings: dict[str, Any] = {
            **_mapping(run.identity.get("settings")),
            **_mapping(run.identity.get("topic_settings")),
        }

    def __getitem__(self, table: str) -> list[Row]:
        """Its rows; raises RecordError for a table that cannot be read."""
        if table not in self._tables:
            self._tables[table] = self._run.table(table).to_pylist()
        return self._tables[table]

    @cached_property
    def sends(self) -> list[Row]:
        return [row for row in self["history"] if row["action"] == "send"]

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
        return {row["client"]: row for row in self["clients"]}

    def is_plain(self, client: str) -> bool:
        """Whether it is known to be a producer that uses no transactions."""
        known = self.client(client)
        return known.get("role") == "producer" and known["transactional_id"] is None

    def reads_uncommitted(self, row: Row) -> bool:
        return self.client(row["client"]).get("isolation") == "read_uncommitted"

    @property
    def is_compacted(self) -> bool:
        other = self._settings.get("log.cleanup.policy", "")
        return "compact" in str(self._settings.get("cleanup.policy", other)).split(",")

    @property
    def min_insync(self) -> int:
        told = str(self._settings.get("min.insync.replicas"))
        return int(told) if told.isdecimal() else 1

    @cached_property
    def passed(self) -> dict[Place, list[tuple[int, int]]]:
        """From where to where, both included, each reader went that is known to have begun."""
        mine = grouped(
            (row for row in self.polls if row["offset"] is not None and row["offset"] >= 0),
            lambda row: (place(row), row["client"]),
        )
        first = {reader: min(row["offset"] for row in rows) for reader, rows in mine.items()}
        last = {reader: max(row["offset"] for row in rows) for reader, rows in mine.items()}
        begins: dict[str, set[int]] = defaultdict(set)
        for (_, client), at in first.items():
            begins[client].add(at)
        for row in self.endings:
            if row["offset"] is not None and row["offset"] > 0:
                reader = place(row), row["client"]
                last[reader] = max(row["offset"] - 1, last.get(reader, 0))
        found: dict[Place, list[tuple[int, int]]] = defaultdict(list)
        for reader, to in last.items():
            is_earliest = self.client(reader[1]).get("begins_at") == "earliest"
            if is_earliest or (reader not in first and begins[reader[1]] == {0}):
                found[reader[0]].append((0, to))
            elif reader in first:
                found[reader[0]].append((first[reader], to))
        return found

    def was_passed(self, where: Place, offset: int) -> bool:
        return any(first <= offset <= last for first, last in self.passed.get(where, []))

    @cached_property
    def endings(self) -> list[Row]:
        """Readers that got to an end."""
        return [row for row in self["history"] if row["action"] == "end" and row["outcome"] == "ok"]

    @cached_property
    def told(self) -> list[Row]:
        """Sends, each as it was told last: an open one unless it ended later."""
        ended = {_operation(row) for row in self.sends if row["outcome"] != "invoked"}
        return [
            row for row in self.sends if row["outcome"] != "invoked" or _operation(row) not in ended
        ]

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
            if leading:
                last = max(leading, key=lambda row: _rank(row["leader_epoch"], row["broker"]))
                found[where] = Leader(
                    last["broker"],
                    last["log_start_offset"],
                    last["log_end_offset"],
                    all(row["settled"] for row in ends),
                    logs.get((where, last["broker"]), []),
                )
        return found


def place(row: Row) -> Place:
    return row["topic"], row["partition"]


def _operation(row: Row) -> tuple[Any, ...]:
    return row["client"], place(row), row["value"], row["invoked_ns"]


def _mapping(content: object) -> Mapping[str, Any]:
    return content if isinstance(content, Mapping) else {}


def ran_backwards(row: Row) -> bool:
    """Whether it ended before it began: what came before what is then anybody's guess."""
    return row["completed_ns"] is not None and row["completed_ns"] < row["invoked_ns"]


def lies(row: Row) -> tuple[object, ...]:
    """Where a record lies in its log: segments are named after their first offsets."""
    epoch = -2 if row["leader_epoch"] is None else row["leader_epoch"]
    return segment_of(row), row["position"], row["offset"], epoch


def segment_of(row: Row) -> str:
    stem, dot, rest = row["segment"].partition(".")
    return f"{int(stem):020d}{dot}{rest}" if stem.isdecimal() else str(row["segment"])


def batches(log: Iterable[Row]) -> list[list[Row]]:
    """Neighbours of one position and one leader epoch."""
    found: list[list[Row]] = []
    for row in sorted(log, key=lies):
        last = found[-1][-1] if found else None
        if last is not None and _batch(last) == _batch(row):
            found[-1].append(row)
        else:
            found.append([row])
    return found


def _batch(row: Row) -> tuple[object, ...]:
    return segment_of(row), row["position"], row["leader_epoch"]


def identity_of(row: Row) -> tuple[Place, int]:
    return place(row), row["value"]


def values_of(rows: Iterable[Row]) -> set[tuple[Place, int]]:
    """The values of these, where they have one."""
    return {identity_of(row) for row in rows if row["value"] is not None}


def by_identity(record: Record) -> dict[tuple[Place, int], list[Row]]:
    """Sends by their value and partition."""
    return grouped(record.sends, identity_of)


def placed(record: Record) -> list[Row]:
    """What was acknowledged at a known offset."""
    return [row for row in record.acknowledged if row["offset"] is not None and row["offset"] >= 0]


def grouped(rows: Iterable[Row], key: Callable[[Row], Hashable]) -> dict[Any, list[Row]]:
    """Rows by what `key` says of them."""
    groups: dict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups


def _rank(*numbers: int | None) -> tuple[tuple[bool, int], ...]:
    """An order in which what is not known comes first."""
    return tuple((number is not None, number or 0) for number in numbers)
