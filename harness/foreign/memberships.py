"""What members of groups are to be set to, in Kafka's words, and whether an adapter can."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from highwater.harness.errors import UsageError
from highwater.harness.foreign.abilities import named
from highwater.harness.foreign.lines import MEMBER, MONOTONIC, Event

# Without these nobody can judge what a member was handed, and when its partitions are others'.
NEEDED = ("auto.offset.reset", "isolation.level", "session.timeout.ms")
INSTANCE, PROTOCOL = "group.instance.id", "group.protocol"
POLL_INTERVAL = "max.poll.interval.ms"  # who has it can be told to be busy
ASSIGNOR = "partition.assignment.strategy"  # range, roundrobin, sticky, cooperative-sticky
AUTOMATIC, INTERVAL = "enable.auto.commit", "auto.commit.interval.ms"
COMMIT_MS = 5_000  # of a library that commits by itself, where a group says nothing else
MUST = (
    *NEEDED,
    INSTANCE,
    PROTOCOL,
    POLL_INTERVAL,
    ASSIGNOR,
    AUTOMATIC,
    INTERVAL,
)  # where a group asks for them
PROCESSING_S = 0.1  # of what is handed out at once, at most
AT_ONCE = 500  # max.poll.records of Kafka's own consumer


def fitted(hello: Event, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a member that this client is told; raises UsageError for what it cannot be.

    A value None is a setting that is not asked for.
    """
    able = hello["capabilities"]
    if MEMBER not in able["roles"]:
        raise UsageError(f"expected {named(hello)} to be a member, saw roles {able['roles']}")
    if hello["clock"] != MONOTONIC:
        raise UsageError(
            f"expected the clock of {named(hello)} to be {MONOTONIC!r}, for times of members are "
            f"compared with others', saw {hello['clock']!r}"
        )
    if not tells_commits(hello) and wanted.get(AUTOMATIC) is None:
        raise UsageError(
            f"{named(hello)} tells nobody what becomes of a commit, so members of it leave commits "
            "to it: expected commits='auto', on a cluster with gated_clients=True"
        )
    known = able.get("member", [])
    for name, value in wanted.items():
        if value is not None and name not in known and name in MUST:
            raise UsageError(
                f"members of {named(hello)} cannot be set to {name}={value}: expected settings of "
                f"{', '.join(known)}"
            )
    return {name: value for name, value in wanted.items() if value is not None and name in known}


def has_to_poll(hello: Event) -> bool:
    """Whether who asks for no more within a time leaves its group, and can be told to be busy."""
    return POLL_INTERVAL in hello["capabilities"].get("member", [])


def tells_commits(hello: Event) -> bool:
    """Whether its library tells what became of a commit that a member asked for."""
    return hello["capabilities"].get("tells_commits") is not False


def commits_by_itself(hello: Event) -> bool:
    """Whether its library commits what it hands out, when it likes."""
    return {AUTOMATIC, INTERVAL} <= {*hello["capabilities"].get("member", [])}


def at_once(processing_s: float) -> int:
    """How many records a member should be handed at once."""
    return max(1, int(min(AT_ONCE, PROCESSING_S / processing_s))) if processing_s else AT_ONCE
