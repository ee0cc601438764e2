"""Replicas as they were when the final read was made, and who led them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReplicaEnd:
    """One row of replica_ends; None where the broker did not answer."""

    broker: int
    log_start_offset: int | None
    log_end_offset: int | None
    high_watermark: int | None
    is_leader: bool
    in_isr: bool
    leader_epoch: int | None
    settled: bool


def leader_of(ends: Iterable[ReplicaEnd]) -> ReplicaEnd | None:
    """Of those that claim to lead a partition, the one with the latest leader epoch."""
    return max((end for end in ends if end.is_leader), key=_rank, default=None)


def _rank(end: ReplicaEnd) -> tuple[tuple[bool, int], ...]:
    """What is not known comes first."""
    known = (end.leader_epoch, end.broker, end.log_start_offset, end.log_end_offset)
    return tuple((number is not None, number or 0) for number in known)
