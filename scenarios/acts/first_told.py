"""What a coordinator tells of a group's position while it may be reading its log yet."""

import time

from highwater.harness.partition import Partition
from highwater.harness.probes.coordinators import leave_group
from highwater.harness.probes.positions import group_position
from highwater.harness.probes.wire import AnswerError, Wire
from highwater.harness.wait import wait_until
from highwater.scenarios.acts.long_to_read import COORDINATOR_LOAD_IN_PROGRESS

OFTEN_S = 0.005


def says_it_reads(wire: Wire, group: str) -> bool:
    """To one who is no member; whoever has not begun to says that it does not coordinate."""
    try:
        leave_group(wire, group, "nobody")
    except AnswerError as error:
        return error.code == COORDINATOR_LOAD_IN_PROGRESS
    return False


def first_told(partition: Partition, wire: Wire, group: str) -> int | None:
    """The position that it tells as soon as it tells any; None for none."""
    told: list[int | None] = []

    def tells() -> bool:
        told.append(group_position(wire, group, partition.where))
        return True

    wait_until(tells, f"the coordinator to tell a position of {group}", interval_s=OFTEN_S)
    return told[-1]


def told_within(partition: Partition, wire: Wire, group: str, for_s: float) -> int | None:
    """The position that it tells within this time, asked as members ask; None for none."""
    told: list[int | None] = [None]
    until_s = time.monotonic() + for_s

    def is_over() -> bool:
        told.append(group_position(wire, group, partition.where, is_stable=True))
        return told[-1] is not None or time.monotonic() > until_s

    wait_until(is_over, f"a position of {group}, or {for_s:.1f} s without", for_s + 30.0)
    return told[-1]
