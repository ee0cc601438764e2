"""Clean records of any size, to plant anomalies in.

They have sends in flight side by side, several clients and partitions, three replicas with their
whole logs, looks, fetches and liveness: whatever a checker considers.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from tests.bed import (
    BATCH,
    BROKERS,
    FLIGHT_NS,
    KEYS,
    MUCH_LATER_NS,
    NOWHERE,
    STEP_NS,
    TOPIC,
    polls,
    rows_between,
    segment_of,
    sends,
    stored,
)
from tests.plots import add_replicas, add_stories

from highwater.harness.model import SCHEMA_VERSION
from highwater.harness.record.files import write_json, write_parquet
from highwater.harness.tables import TABLES

Tables = dict[str, pd.DataFrame]
Place = Mapping[str, Any]  # columns of the witness

BED = 2 * BATCH


@dataclass
class Garden:
    """A record to plant in; `after_ns` is later than all that has happened.

    Its tables have the rows of `offsets` only, and plants are for these. What lies between them is
    made when the record is written, so that it may be longer than memory.
    """

    tables: Tables
    chance: random.Random
    partitions: int
    per_partition: int
    offsets: Sequence[int]
    after_ns: int
    fresh: int = NOWHERE
    next_op: int = 0
    next_position: int = 0
    taken: set[int] = field(default_factory=set)
    planted: dict[str, list[Place]] = field(default_factory=dict)
    steady: dict[str, dict[str, Any]] = field(default_factory=dict)  # by group, as run.json has it

    def add(self, table: str, **row: Any) -> None:
        if table == "history":
            row = {"op": self.next_op, **row}
            self.next_op += 1
        blank = dict.fromkeys(TABLES[table].names)
        more = pd.DataFrame([{**blank, **row}]).astype(object)
        frame = self.tables[table]
        self.tables[table] = more if frame.empty else pd.concat([frame, more], ignore_index=True)

    def promise(self, client: str, role: str, **more: Any) -> None:
        """What a client was set to; what it was told before is forgotten."""
        self.remove("clients", client=client)
        self.add("clients", client=client, role=role, **more)

    def new_value(self) -> int:
        self.fresh += 1
        return self.fresh

    def new_reader(self) -> str:
        """One for each plant: who is handed the records of several skips those between."""
        return f"reader-{self.new_value() - NOWHERE}"

    def a_partition(self) -> int:
        return self.chance.randrange(self.partitions)

    def an_offset(self, margin: int = 0) -> int:
        """One that no plant has been given, nor the `margin` offsets behind it, in any partition.

        Two anomalies in one record may be one: what is corrupt is no duplicate of anything.
        """
        while True:
            offset = self.chance.choice(self.offsets)
            wanted = range(offset, offset + margin + 1)
            if self.taken.isdisjoint(wanted) and all(one in self.offsets for one in wanted):
                self.taken.update(wanted)
                return offset

    def value_at(self, partition: int, offset: int) -> int:
        return partition * self.per_partition + offset

    def send(self, partition: int, value: int, **more: Any) -> None:
        sent = {"client": f"producer-{partition}", "action": "send", "outcome": "ok", "acks": "all"}
        times = {"invoked_ns": self.after_ns, "completed_ns": self.after_ns + 1}
        known = {"topic": TOPIC, "partition": partition, **content_of(value)}
        self.add("history", **{**sent, **times, **known, **more})

    def commit(self, partition: int, offset: int, at_ns: int, group: str = "billing") -> None:
        """By a member of a group; confirmed a moment later."""
        times = {"outcome": "ok", "invoked_ns": at_ns, "completed_ns": at_ns + 1}
        member = {"group": group, "client": f"{group}-1", "topic": TOPIC, "partition": partition}
        self.add("commits", **member, offset=offset, **times)

    @property
    def groups(self) -> set[str]:
        return set(self.tables["processed"].get("group", ()))

    def process(
        self, partition: int, first: int, end: int, group: str = "billing", **more: Any
    ) -> None:
        """By a member of a group."""
        member = {"group": group, "client": f"{group}-1", "topic": TOPIC, "partition": partition}
        span = {"first_offset": first, "end_offset": end, "completed_ns": self.after_ns}
        self.add("processed", **{**member, **span, **more})

    def assign(self, partition: int, client: str, span: tuple[int, int], group: str) -> None:
        """To a member of a group, which gives it up at the end of this time."""
        member = {"group": group, "client": client, "topic": TOPIC, "partition": partition}
        for at_ns, what in zip(span, ("assigned", "revoked"), strict=True):
            self.add("assignments", **member, what=what, at_ns=at_ns)

    def share(self, partition: int, client: str, span: tuple[int, int], group: str) -> None:
        """Hand these offsets to a member of a share group, which accepts them."""
        member = {"group": group, "client": client, "topic": TOPIC, "partition": partition}
        offsets = dict(zip(("first_offset", "end_offset"), span, strict=True))
        for at_ns, step in enumerate(("handed", "accepted"), self.after_ns):
            times = {"outcome": "ok", "invoked_ns": at_ns, "completed_ns": at_ns + 1}
            self.add("shares", **member, **offsets, step=step, **times)

    def share_out(self) -> None:
        """Each partition by halves to two members of a share group."""
        half = self.per_partition // 2
        for partition in range(self.partitions):
            self.share(partition, "workers-1", (0, half), "workers")
            self.share(partition, "workers-2", (half, self.per_partition), "workers")

    def apply(self, name: str, offsets: range) -> None:
        """An application makes one output of each input that stands there, in order."""
        told = {"contract": name, "topic": "applied", "partition": 0}
        for offset in offsets:
            terms = {"identity": f"order {offset}", "key_hash": offset}
            demand = {"each": "exactly", "keeps": "key,order"}
            self.add("contracts", **told, tells="input", offset=offset, **terms, **demand)
            self.make(name, offset, at=offset)
        for tells in ("position", "inputs-end", "outputs-end"):
            self.add("contracts", **told, tells=tells, offset=offsets.stop)

    def make(self, name: str, of: int, at: int) -> None:
        """One output of an application."""
        told = {"contract": name, "topic": "made", "partition": 0, "tells": "output"}
        self.add("contracts", **told, offset=at, identity=f"order {of}", key_hash=of)

    def poll(self, partition: int, value: int, offset: int, **more: Any) -> None:
        read = {"client": "reader", "action": "poll", "outcome": "ok", "offset": offset}
        times = {"invoked_ns": self.after_ns + 5, "completed_ns": self.after_ns + 5}
        known = {"topic": TOPIC, "partition": partition, **content_of(value)}
        self.add("history", **{**read, **times, **known, **more})

    def append(self, partition: int, value: int) -> int:
        """One record more at the end of every replica's log, and read; returns its offset."""
        ends = self.tables["replica_ends"]
        mine = self.rows("replica_ends", topic=TOPIC, partition=partition)
        offset = int(ends.loc[mine, "log_end_offset"].iloc[0])
        for broker in BROKERS:
            self.store(partition, broker, offset, value)
        ends.loc[mine, ["log_end_offset", "high_watermark"]] = offset + 1
        self.poll(partition, value, offset)
        return offset

    def store(self, partition: int, broker: int, offset: int, value: int) -> None:
        content = {**content_of(value), "digest": value, "leader_epoch": 0}
        where = {"topic": TOPIC, "partition": partition, "broker": broker, "offset": offset}
        last = segment_of(self.per_partition - 1)
        batch = {"is_control": False, "magic": 2, "segment": last, "position": self.next_position}
        self.add("replica_logs", **{**where, **content, **batch})
        self.next_position += 1

    def rows(self, table: str, **values: Any) -> pd.Series[bool]:
        frame = self.tables[table]
        chosen = pd.Series(True, index=frame.index)
        for name, value in values.items():
            chosen &= frame[name] == value
        return chosen

    def change(self, table: str, rows: pd.Series[bool], **values: Any) -> None:
        for name, value in values.items():
            self.tables[table].loc[rows, name] = value

    def remove(self, table: str, **values: Any) -> None:
        frame = self.tables[table]
        self.tables[table] = frame[~self.rows(table, **values)].reset_index(drop=True)

    def expect(self, claim: str, **place: Any) -> None:
        """Each kind once in a record: two of one kind may be one anomaly."""
        self.planted.setdefault(claim, []).append(place)

    def write(self, path: Path) -> None:
        """As a run directory; histories in two parts, for they seldom come in one."""
        path.mkdir(parents=True)
        identity = {"schema": SCHEMA_VERSION, "scenario": "planted", "played": {"complete": True}}
        told = {"auto.offset.reset": "earliest", "session.timeout.ms": "6000"}
        groups = dict.fromkeys(sorted({*self.groups, *self.steady}), told)
        groups_told = {"groups": groups, "steady": self.steady, "healed_ns": 0}
        write_json(path / "run.json", {**identity, **groups_told})
        for name, frame in self.tables.items():
            half = len(frame) // 2 if name == "history" else 0
            for part in (frame[:half], frame[half:]):
                _write_part(path / name, part)
        bare = "replica_logs" if self.tables["replica_logs"].empty else None
        for name, frame in rows_between(self.offsets, self.per_partition, self.partitions):
            if name != bare:
                _write_part(path / name, frame)


def content_of(value: int) -> Place:
    """What a record of this value has, wherever it is."""
    return {"value": value, "checksum": value * 7, "key": value % KEYS}


def _write_part(folder: Path, frame: pd.DataFrame) -> None:
    if len(frame):
        schema = TABLES[folder.name]
        whole = frame.reindex(columns=schema.names)
        table = pa.Table.from_pandas(whole, schema=schema, preserve_index=False)
        number = len(list(folder.glob("*"))) if folder.exists() else 0
        write_parquet(folder / f"part-{number:06d}.parquet", table)


def clean(
    per_partition: int, partitions: int = 2, *, seed: int = 0, logs: bool = True, beds: int = 0
) -> Garden:
    """A record in which nothing is wrong; without `logs` clients alone have written it.

    Plants may stand anywhere, or in so many `beds` of some batches each, which lie anywhere.
    """
    chance = random.Random(seed)
    offsets: Sequence[int] = range(per_partition)
    if beds:
        starts = chance.sample(range(0, per_partition - BED, BED), beds)
        offsets = tuple(offset for start in sorted(starts) for offset in range(start, start + BED))
    bed = _bed(per_partition, partitions, logs, offsets)
    tables = {name: frame.copy() for name, frame in bed.tables.items()}
    return replace(bed, tables=tables, chance=chance, taken=set(), planted={}, steady={})


@lru_cache(maxsize=256)
def _bed(per_partition: int, partitions: int, logs: bool, offsets: Sequence[int]) -> Garden:
    sent = pd.concat([sends(one, per_partition, offsets) for one in range(partitions)])
    read = polls(sent, per_partition, partitions)
    tables = {name: pd.DataFrame(columns=schema.names) for name, schema in TABLES.items()}
    tables["history"] = pd.concat([sent, read], ignore_index=True)
    garden = Garden(
        tables,
        random.Random(),
        partitions,
        per_partition,
        offsets,
        after_ns=per_partition * STEP_NS + FLIGHT_NS + 100,
        next_op=2 * partitions * per_partition,
        next_position=per_partition,
    )
    for partition in range(partitions):
        garden.add(
            "history",
            client="reader",
            action="end",
            outcome="ok",
            topic=TOPIC,
            partition=partition,
            offset=per_partition,
            invoked_ns=garden.after_ns + 10,
            completed_ns=garden.after_ns + 11,
        )
        garden.promise(f"producer-{partition}", "producer", idempotence=True, keeps_order=True)
        garden.process(partition, 0, per_partition)
        garden.assign(partition, "billing-1", (0, garden.after_ns + 1), "billing")
        garden.assign(partition, "billing-2", (garden.after_ns + 2, MUCH_LATER_NS), "billing")
        for at in range(5):
            garden.commit(partition, at * per_partition // 4, at * 10)
    member = {"group_id": "billing", "began_ns": 0}
    garden.promise("reader", "consumer", begins_at="earliest", **member)
    if logs:
        tables["replica_logs"] = stored(sent)
        add_replicas(garden)
    add_stories(garden)
    return garden
