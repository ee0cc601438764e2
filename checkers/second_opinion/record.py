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
    def readable_end(self) -> int | None:
        data = [row["offset"] for row in self.rows if not row["is_control"]]
        return max(data) + 1 if data else self.log_end

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
    def reached(self) -> dict[Place, int]:
        """The first offset that no reader got to."""
        found: dict[Place, int] = {}
        for row in self["history"]:
            is_poll = row["action"] == "poll"
            told = row["outcome"] == "ok" and row["offset"] is not None
            if told and (is_poll or row["action"] == "end"):
                to = row["offset"] + is_poll
                found[place(row)] = max(to, found.get(place(row), to))
        return found

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


def grouped(rows: Iterable[Row], key: Callable[[Row], Hashable]) -> dict[Any, list[Row]]:
    """Rows by what `key` says of them."""
    groups: dict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups


def _rank(*numbers: int | None) -> tuple[tuple[bool, int], ...]:
    """An order in which what is not known comes first."""
    return tuple((number is not None, number or 0) for number in numbers)
