"""A member whose library commits by itself, and that is at one record and asks for no more."""

from __future__ import annotations

import time

from highwater.harness.clients.member import Member
from highwater.harness.clients.settings import ConsumerSettings
from highwater.harness.partition import Partition

BY_ITSELF = ConsumerSettings(
    commits="auto",
    processing_s=0.1,
    max_poll_interval_s=60.0,
    library={"auto.commit.interval.ms": 200},
)
SLOW = ConsumerSettings(processing_s=0.3)  # long enough to be killed at it
AT_WORK_S = 3.0  # in which a library that commits five times a second has, if it means to
PATIENCE_S = 20.0


def await_at_work(partition: Partition, member: Member) -> None:
    """Wait until it has been handed nothing, and has committed nothing more, for so long."""
    seen = (member.handed, dict(member.committed))
    since_s = time.monotonic()

    def is_at_work() -> bool:
        nonlocal seen, since_s
        now = (member.handed, dict(member.committed))
        if now != seen:
            seen, since_s = now, time.monotonic()
        return member.is_well() and time.monotonic() - since_s > AT_WORK_S

    partition.await_state(f"{member.name} is at work and asks for no more", is_at_work, PATIENCE_S)
