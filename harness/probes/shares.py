"""Who is a member of a share group (KIP-932), as its coordinator says, asked by hand."""

from __future__ import annotations

from highwater.harness.gate.headers import SHARE_GROUP_DESCRIBE
from highwater.harness.gate.primitives import Reader, Writer
from highwater.harness.probes.wire import AnswerError, Wire

VERSION = 1  # the first one that is not a preview
GROUP_ID_NOT_FOUND = 69  # nobody has joined it yet

Key = tuple[str, int]


def share_members(wire: Wire, group: str) -> dict[str, frozenset[Key]]:
    """The client ids of the members, and the partitions that each has heard it is assigned.

    Raises AnswerError, of a broker that coordinates others, too.
    """
    body = Writer(flexible=True)
    body.array((group,), body.nullable_string)
    body.boolean(False)  # which operations are authorized
    body.tags()
    answer = wire.ask(SHARE_GROUP_DESCRIBE, VERSION, bytes(body.buffer))
    answer.int32()  # throttle time
    answer.unsigned_varint()  # one group
    code, reason = answer.int16(), answer.nullable_string()
    if code == GROUP_ID_NOT_FOUND:
        return {}
    if code:
        raise AnswerError(f"who the members of {group} are", code, reason or "")
    answer.string()  # the group
    answer.string()  # its state
    answer.int32()  # its epoch
    answer.int32()  # the epoch of its assignment
    answer.string()  # who assigns
    return dict(answer.array(lambda: _read_member(answer)))


def _read_member(answer: Reader) -> tuple[str, frozenset[Key]]:
    answer.string()  # its id
    answer.nullable_string()  # its rack
    answer.int32()  # its epoch
    client = answer.string()
    answer.string()  # its host
    answer.array(answer.string)  # the topics that it has subscribed to
    topics = answer.array(lambda: _read_topic(answer))
    answer.tags()  # of what it is assigned
    answer.tags()
    return client, frozenset(where for wheres in topics for where in wheres)


def _read_topic(answer: Reader) -> list[Key]:
    answer.uuid()
    name, numbers = answer.string(), answer.array(answer.int32)
    answer.tags()
    return [(name, number) for number in numbers]
