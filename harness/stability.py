"""Whether every record of a partition is decided, so that readers of committed records pass it."""

from __future__ import annotations

from highwater.harness.errors import DeadlineError
from highwater.harness.model import ReplicaState
from highwater.harness.partition import Partition
from highwater.harness.sampling import INTERVAL_S
from highwater.harness.wait import wait_until


def becomes_stable(partition: Partition, timeout_s: float) -> bool:
    """Wait until its leader's last stable offset is its high watermark; False: it never was."""
    what = f"the last stable offset of {partition.where} is the high watermark"
    try:
        wait_until(lambda: _is_stable(partition), what, timeout_s, interval_s=INTERVAL_S)
    except DeadlineError:
        return False
    return True


def _is_stable(partition: Partition) -> bool:
    return undecided(partition) == 0


def undecided(partition: Partition) -> int | None:
    """How many offsets of it are replicated and of open transactions, as its leader says now."""
    leader = _leader(partition)
    if leader is None or leader.last_stable_offset is None or leader.high_watermark is None:
        return None
    return leader.high_watermark - leader.last_stable_offset


def last_stable_offset(partition: Partition) -> int | None:
    """Where its first open transaction begins, as its leader says now; None: it says nothing."""
    leader = _leader(partition)
    return None if leader is None else leader.last_stable_offset


def _leader(partition: Partition) -> ReplicaState | None:
    seen = partition.look()
    return None if seen.partition is None else seen.replicas.get(seen.partition.leader)
