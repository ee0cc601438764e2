"""What lies on each replica's disk at the end, and what may be wrong with it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tests.model.choices import Choices
from tests.model.clients import checksum_of
from tests.model.logs import ABORTED, Entry, Partition

DISK_BUGS = (
    "a record differs",
    "an epoch differs",
    "a batch is damaged",
    "a record is missing",
    "a batch is repeated",
    "a payload is corrupted",
    "a checkpoint is wrong",
)
FOREIGN = 5_000_000


@dataclass(frozen=True, slots=True)
class Stored:
    """A record as the segment reader finds it."""

    offset: int
    epoch: int
    value: int | None
    checksum: int | None
    digest: int
    is_control: bool
    entry: Entry | None
    problem: str | None = None
    has_another_key: bool = False

    @property
    def is_aborted(self) -> bool:
        transaction = self.entry.transaction if self.entry else None
        return transaction is not None and transaction.state == ABORTED


@dataclass(slots=True)
class Disk:
    """Of one replica of one partition."""

    partition: Partition
    broker: int
    records: list[Stored]
    checkpoint: list[tuple[int, int]]  # leader epoch, start offset
    bugs: set[str] = field(default_factory=set)

    @property
    def is_leader(self) -> bool:
        return self.partition.leader == self.broker

    @property
    def start(self) -> int:
        return self.partition.replicas[self.broker].start

    @property
    def is_damaged(self) -> bool:
        return any(one.problem for one in self.records)


def stored(offset: int, entry: Entry) -> Stored:
    digest = -offset - 1 if entry.is_control else entry.value or 0
    return Stored(offset, entry.epoch, entry.value, entry.checksum, digest, entry.is_control, entry)


def disk_of(choices: Choices, partition: Partition, broker: int) -> Disk:
    """Of a log whose front was deleted the last segment may still hold some of it."""
    replica = partition.replicas[broker]
    first = max(0, replica.start - choices.below(3))
    records = [stored(at, replica.log[at]) for at in range(first, replica.end)]
    checkpoint: list[tuple[int, int]] = []
    for one in records:
        if not checkpoint or checkpoint[-1][0] != one.epoch:
            checkpoint.append((one.epoch, one.offset))
    return Disk(partition, broker, records, checkpoint)


def disks_of(choices: Choices, partitions: list[Partition]) -> list[Disk]:
    return [
        disk_of(choices, partition, broker)
        for partition in partitions
        for broker in partition.replicas
    ]


def break_one(choices: Choices, disks: list[Disk]) -> str | None:
    """One disk gets one thing wrong; returns what, and where."""
    able = [disk for disk in disks if len(disk.records) > 1]
    if not able:
        return None
    disk, bug = choices.pick(able), choices.pick(DISK_BUGS)
    at = choices.below(len(disk.records) - 1)
    disk.bugs.add(bug)
    _break(disk, bug, at)
    where = f"{disk.partition.name}@{disk.records[min(at, len(disk.records) - 1)].offset}"
    return f"BUG: on broker {disk.broker}'s disk, at {where}, {bug}"


def _break(disk: Disk, bug: str, at: int) -> None:
    found = disk.records[at]
    foreign = FOREIGN + found.offset
    if bug == "a record differs":
        value = foreign if found.offset % 2 else None  # of another run, or not of ours at all
        content = {"value": value, "checksum": checksum_of(foreign), "digest": foreign}
        disk.records[at] = replace(found, **content, is_control=False, entry=None)  # type: ignore[arg-type]
    elif bug == "an epoch differs":
        disk.records[at] = replace(found, epoch=found.epoch + 1)
    elif bug == "a batch is damaged":
        gone = {"value": None, "checksum": None, "entry": None, "problem": "CRC differs"}
        disk.records[at] = replace(found, **gone)  # type: ignore[arg-type]
    elif bug == "a record is missing":
        del disk.records[at]
    elif bug == "a batch is repeated":
        disk.records.insert(at + 1, found)
    elif bug == "a payload is corrupted" and found.checksum is not None:
        its_key = found.offset % 2 == 1  # and nothing else of it
        checksum = found.checksum + (not its_key)
        disk.records[at] = replace(
            found, checksum=checksum, digest=-foreign, has_another_key=its_key
        )
    elif bug == "a checkpoint is wrong":
        epoch, start = disk.checkpoint[-1]
        disk.checkpoint[-1] = (epoch, start + 1)
