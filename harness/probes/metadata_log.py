"""What the log of metadata says of a partition: every node of KRaft has a copy of it (KIP-500)."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from highwater.harness.errors import RecordError
from highwater.harness.gate.messages.codec import read
from highwater.harness.gate.messages.schemas import Schemas
from highwater.harness.gate.primitives import DecodeError, Reader
from highwater.harness.model import PartitionState, TopicPartition
from highwater.harness.probes.records import stretches_of
from highwater.harness.probes.segments import log_entries

DIRECTORY = "__cluster_metadata-0"
TOPIC, PARTITION, PARTITION_CHANGE, REMOVED_TOPIC = 2, 3, 5, 9  # of records (KIP-631)
KINDS = frozenset({TOPIC, PARTITION, PARTITION_CHANGE, REMOVED_TOPIC})
UNCHANGED = -2
FRAME = 1  # the first byte of each record: how the rest of it is framed


@dataclass(frozen=True, slots=True)
class MetadataLog:
    """The log in one directory of a node; `schemas` are of the jar kafka-metadata of its release.

    A log whose beginning is in a snapshot is not told apart from one without: ask while it is new.
    Records count as they stand there, be they uncommitted, or in a transaction that was aborted
    (KIP-868), such as a migration is.
    """

    log_dir: Path
    schemas: Schemas

    def partition(self, where: TopicPartition) -> PartitionState | None:
        """As the last record leaves it; None where there is none. Raises RecordError."""
        state: PartitionState | None = None
        for kind, told in self._of(where):
            if kind == PARTITION:
                state = _created(told)
            else:
                state = _changed(state, told) if kind == PARTITION_CHANGE else None
        return state

    def directories(self, where: TopicPartition) -> Mapping[int, uuid.UUID]:
        """By broker, the directory.id of the log directory that has its replica (KIP-858).

        As the controller knows it: a broker tells where it has put one, and moved one to. Reserved
        ones are below 100 (DirectoryId). Empty before 3.7. Raises RecordError.
        """
        replicas: Sequence[int] = ()
        directories: Sequence[uuid.UUID] = ()
        for kind, told in self._of(where):
            if kind in {TOPIC, REMOVED_TOPIC}:
                replicas, directories = (), ()
            replicas = told.get("Replicas") or replicas
            directories = told.get("Directories") or directories
        return dict(zip(replicas, directories, strict=False))

    def _of(self, where: TopicPartition) -> Iterator[tuple[int, dict[str, Any]]]:
        """The records of a partition, and of topics that it begins or ends with."""
        named: uuid.UUID | None = None
        for kind, told in self._records():
            if kind == TOPIC and told["Name"] == where.topic:
                named = told["TopicId"]  # or another one of that name
                yield kind, told
            elif told["TopicId"] == named:
                if kind == REMOVED_TOPIC or told.get("PartitionId") == where.partition:
                    yield kind, told
                named = None if kind == REMOVED_TOPIC else named

    def _records(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Those of topics and partitions, in their order."""
        for entry in log_entries(self.log_dir / DIRECTORY):
            for stretch in stretches_of(entry, in_columns=False):
                if stretch.problem is not None:
                    raise RecordError(f"{entry.path}: {stretch.problem}")
                for record in () if stretch.batch.is_control else stretch.records:
                    try:
                        yield from self._decoded(record.value or b"")
                    except DecodeError as error:
                        what = f"the record {record.offset} of metadata cannot be read"
                        raise RecordError(f"{entry.path}: {what}: {error}") from error

    def _decoded(self, value: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
        """Nothing for a record of something else."""
        reader = Reader(value, 0, flexible=True)
        frame, kind, version = (reader.unsigned_varint() for _ in range(3))
        if frame != FRAME:
            raise DecodeError(f"expected frame {FRAME}, saw {frame}")
        if kind in KINDS:
            yield kind, read(self.schemas.of_metadata(kind, version), version, reader)


def _created(told: dict[str, Any]) -> PartitionState:
    return PartitionState(
        leader=told["Leader"],
        leader_epoch=told["LeaderEpoch"],
        isr=tuple(sorted(told["Isr"])),
        replicas=tuple(told["Replicas"]),
        elr=tuple(sorted(told.get("EligibleLeaderReplicas") or ())),
        topic_id=str(told["TopicId"]),
    )


def _changed(state: PartitionState | None, told: dict[str, Any]) -> PartitionState | None:
    """Whoever is named as leader begins an epoch, though it led before (PartitionRegistration)."""
    if state is None:
        return None
    leader = told.get("Leader", UNCHANGED)
    if leader != UNCHANGED:
        state = replace(state, leader=leader, leader_epoch=state.leader_epoch + 1)
    isr, elr, replicas = (told.get(name) for name in ("Isr", "EligibleLeaderReplicas", "Replicas"))
    return replace(
        state,
        isr=state.isr if isr is None else tuple(sorted(isr)),
        elr=state.elr if elr is None else tuple(sorted(elr)),
        replicas=state.replicas if replicas is None else tuple(replicas),
    )
