"""A group whose members are all in it, and have found who coordinates it."""

from __future__ import annotations

import time

from highwater.harness.clients.group import Group
from highwater.harness.clients.member import Member
from highwater.harness.partition import Partition

SETTLED_S = 7.0  # a session, within which each member has sent a heartbeat, or has been missed
PATIENCE_S = 60.0


def await_settled(partition: Partition, group: Group) -> None:
    """Wait until no member has been dealt anything, or has lost it, for longer than a session.

    Who joins tells it, or has joined by then; who does not find its coordinator loses what it has.
    """
    seen = _dealt(group)
    since_s = time.monotonic()

    def is_settled() -> bool:
        nonlocal seen, since_s
        now = _dealt(group)
        if now != seen or not group.assigned:
            seen, since_s = now, time.monotonic()
        return time.monotonic() - since_s > SETTLED_S

    partition.await_state(f"all members of {group.name} have settled", is_settled, PATIENCE_S)


def busy(partition: Partition, group: Group) -> Member:
    """The member that has the partition."""
    found = [each for each in group.members if each.assigned and not each.is_killed]
    partition.require("one member has the partition", len(found) == 1)
    return found[0]


def at_work(partition: Partition, member: Member) -> int:
    """Wait until it has been handed more than it has processed; returns up to where it has been."""

    def handed() -> int:
        return member.positions.get(partition.where, 0)

    def is_so() -> bool:
        return handed() > member.processed.get(partition.where, 0)

    partition.await_state(f"{member.name} is at what it was handed", is_so, PATIENCE_S)
    return handed()


def _dealt(group: Group) -> list[object]:
    members = group.members
    return [(each.is_well(), each.deals, each.losses, each.assigned) for each in members]
