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
    """Of those that claim to lead a partition, the one with the latest leader epoch.

    None where nobody claims it, or several do and none has the latest.
    """
    leaders = [end for end in ends if end.is_leader]
    latest = max((_epoch(end) for end in leaders), default=None)
    last = [end for end in leaders if _epoch(end) == latest]
    return last[0] if len({end.broker for end in last}) == 1 else None


def _epoch(end: ReplicaEnd) -> int:
    """What is not known comes first."""
    return -2 if end.leader_epoch is None else end.leader_epoch
