"""Who coordinates a group, and what members tell one another through it, asked by hand.

The oldest versions of these apis that brokers of 0.10.0 to 4.x answer.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from highwater.harness.gate.headers import (
    CONSUMER_GROUP_HEARTBEAT,
    FIND_COORDINATOR,
    JOIN_GROUP,
    LEAVE_GROUP,
    SYNC_GROUP,
)
from highwater.harness.gate.primitives import Reader, Writer
from highwater.harness.probes.wire import AnswerError, Wire
from highwater.harness.versions.catalogue import Kafka

SESSION_TIMEOUT_MS = 10_000
PROTOCOL = "by-hand"  # of assignment: the coordinator does not have to know it
REBALANCE_TIMEOUT_MS = 10_000
JOINING_EPOCH = 0  # of a member of KIP-848


@dataclass(frozen=True, slots=True)
class Joined:
    """What a coordinator answers a member; only the leader is told who the members are."""

    generation: int
    leader: str
    member: str
    members: tuple[str, ...]


def offsets_partition(group: str, partitions: int) -> int:
    """The partition of __consumer_offsets that a group's positions are written to.

    String.hashCode and Utils.abs, as in GroupMetadataManager.partitionFor.
    """
    hashed = 0
    for unit in group.encode("utf-16-be")[1::2]:  # names of groups here are ASCII
        hashed = (31 * hashed + unit) & 0xFFFFFFFF
    signed = hashed - (1 << 32) if hashed >= 1 << 31 else hashed
    return 0 if signed == -(1 << 31) else abs(signed) % partitions


def find_coordinator(wire: Wire, group: str) -> int:
    """The broker that coordinates a group, as any broker tells; raises AnswerError."""
    body = Writer(flexible=False)
    body.nullable_string(group)
    answer = wire.ask(FIND_COORDINATOR, 0, bytes(body.buffer))
    _accept(f"who coordinates {group}", answer.int16())
    return answer.int32()


def join_group(
    kafka: Kafka,
    wire: Wire,
    group: str,
    member: str = "",
    *,
    session_ms: int = SESSION_TIMEOUT_MS,
) -> Joined:
    """Wait for all members to join; raises AnswerError. A member without a name is given one."""
    version = kafka.join_group_version
    body = Writer(flexible=False)
    body.nullable_string(group)
    body.int32(session_ms)
    if version >= 1:
        body.int32(REBALANCE_TIMEOUT_MS)
    body.nullable_string(member)
    body.nullable_string("consumer")
    body.array((PROTOCOL,), lambda name: _write_bytes_of(body, name, b""))
    answer = wire.ask(JOIN_GROUP, version, bytes(body.buffer))
    if version >= 2:
        answer.int32()  # throttle time
    _accept(f"to join {group}", answer.int16())
    generation, _, leader, given = (
        answer.int32(), answer.string(), answer.string(), answer.string(),
    )  # fmt: skip
    return Joined(generation, leader, given, answer.array(lambda: _read_member(answer)))


def sync_group(wire: Wire, group: str, member: tuple[int, str], shares: dict[str, bytes]) -> bytes:
    """What the leader has for this member of a generation; the leader says what for whom."""
    body = Writer(flexible=False)
    body.nullable_string(group)
    generation, name = member
    body.int32(generation)
    body.nullable_string(name)
    body.array(tuple(shares.items()), lambda share: _write_bytes_of(body, *share))
    answer = wire.ask(SYNC_GROUP, 0, bytes(body.buffer))
    _accept(f"what {name} gets", answer.int16())
    return bytes(answer.nullable_bytes() or b"")


def leave_group(wire: Wire, group: str, member: str) -> None:
    """A member is in its group no more, whoever says so; raises AnswerError where it was not."""
    body = Writer(flexible=False)
    body.nullable_string(group)
    body.nullable_string(member)
    _accept(f"that {member} leaves {group}", wire.ask(LEAVE_GROUP, 0, bytes(body.buffer)).int16())


def heartbeat(wire: Wire, group: str, topic: str) -> tuple[int, ...]:
    """Join by KIP-848, with nothing but a topic's name; the partitions that are answered."""
    body = Writer(flexible=True)
    body.nullable_string(group)
    body.nullable_string("")  # the coordinator gives it a name
    body.int32(JOINING_EPOCH)
    body.nullable_string(None)  # group.instance.id
    body.nullable_string(None)  # rack
    body.int32(REBALANCE_TIMEOUT_MS)
    body.array((topic,), body.nullable_string)
    body.nullable_string(None)  # group.remote.assignor
    body.array((), body.uuid)  # it has no partition
    body.tags()
    answer = wire.ask(CONSUMER_GROUP_HEARTBEAT, 0, bytes(body.buffer))
    answer.int32()  # throttle time
    code, reason = answer.int16(), answer.nullable_string()
    _accept(f"to join {group}", code, reason or "")
    answer.nullable_string()
    answer.int32()  # member epoch
    answer.int32()  # heartbeat interval
    if answer.int8() < 0:
        return ()
    return tuple(
        number for _, numbers in answer.array(lambda: _read_share(answer)) for number in numbers
    )


def _read_share(answer: Reader) -> tuple[uuid.UUID, tuple[int, ...]]:
    share = answer.uuid(), answer.array(answer.int32)
    answer.tags()
    return share


def _read_member(answer: Reader) -> str:
    name = answer.string()
    answer.nullable_bytes()
    return name


def _write_bytes_of(body: Writer, name: str, content: bytes) -> None:
    body.nullable_string(name)
    body.int32(len(content))
    body.buffer += content


def _accept(what: str, code: int, reason: str = "") -> None:
    if code:
        raise AnswerError(what, code, reason)
