"""What a transactional producer asks its coordinator for, by hand, one request at a time.

In the oldest versions, which brokers of 0.11 to 4.x answer. Transactions v2 (KIP-890, 4.0) are
those whose end is asked for in version 5: a producer tells of no partitions then, and has a higher
epoch behind each end.
"""

from __future__ import annotations

import struct

from highwater.harness.gate.headers import (
    ADD_OFFSETS_TO_TXN,
    ADD_PARTITIONS_TO_TXN,
    END_TXN,
    FIND_COORDINATOR,
    INIT_PRODUCER_ID,
    TXN_OFFSET_COMMIT,
    is_flexible,
)
from highwater.harness.gate.primitives import Reader, Writer
from highwater.harness.model import TopicPartition
from highwater.harness.probes.transactions import Identity
from highwater.harness.probes.wire import AnswerError, Wire

FINDS_ANY, OF_TRANSACTIONS = 1, 1  # the version of FindCoordinator that tells kinds, and the kind
V2_END = 5
EPOCHS_SINCE, MEMBERS_SINCE = 2, 3  # versions of TxnOffsetCommit
NO_TIMEOUT_MS = 2**31 - 1  # of transactions that there are none of; Java's client says this
IDENTITY = struct.Struct(">qh")


def find_transaction_coordinator(wire: Wire, name: str) -> int:
    """The broker that coordinates a transactional id, as any broker tells; raises AnswerError."""
    body = Writer(flexible=False)
    body.nullable_string(name)
    body.int8(OF_TRANSACTIONS)
    answer = wire.ask(FIND_COORDINATOR, FINDS_ANY, bytes(body.buffer))
    answer.int32()  # throttle time
    _accept(f"who coordinates {name}", answer.int16())
    answer.nullable_string()  # its reason
    return answer.int32()


def begin_anew(wire: Wire, name: str, timeout_ms: int) -> Identity:
    """The identity of the next producer of this id, as one asks that has just been started.

    What the one before has left open is aborted first. Raises AnswerError, till then as well.
    """
    return _begun(wire, name, timeout_ms, f"beginning anew as {name}")


def begin_idempotent(wire: Wire) -> Identity:
    """An identity of its own for a producer without transactions, of any broker (KIP-98).

    Raises AnswerError.
    """
    return _begun(wire, None, NO_TIMEOUT_MS, "beginning as an idempotent producer")


def _begun(wire: Wire, name: str | None, timeout_ms: int, asked: str) -> Identity:
    body = Writer(flexible=False)
    body.nullable_string(name)
    body.int32(timeout_ms)
    answer = wire.ask(INIT_PRODUCER_ID, 0, bytes(body.buffer))
    answer.int32()  # throttle time
    _accept(asked, answer.int16())
    return Identity(answer.int64(), answer.int16())


def add_partition(wire: Wire, name: str, owner: Identity, where: TopicPartition) -> None:
    """The transaction has this partition as well, and begins with the first; raises AnswerError."""
    body = Writer(flexible=False)
    body.nullable_string(name)
    body.numbers(IDENTITY, *owner)

    def topic(topic: str) -> None:
        body.nullable_string(topic)
        body.array((where.partition,), body.int32)

    body.array((where.topic,), topic)
    answer = wire.ask(ADD_PARTITIONS_TO_TXN, 0, bytes(body.buffer))
    answer.int32()  # throttle time
    for code in (code for codes in answer.array(lambda: _codes(answer)) for code in codes):
        _accept(f"adding {where} to the transaction of {name}", code)


def _codes(answer: Reader) -> tuple[int, ...]:
    def partition() -> int:
        answer.int32()
        code = answer.int16()
        answer.tags()
        return code

    answer.string()
    codes = answer.array(partition)
    answer.tags()
    return codes


def add_group(wire: Wire, name: str, owner: Identity, group: str) -> None:
    """The transaction has positions of this group as well; raises AnswerError."""
    body = Writer(flexible=False)
    body.nullable_string(name)
    body.numbers(IDENTITY, *owner)
    body.nullable_string(group)
    answer = wire.ask(ADD_OFFSETS_TO_TXN, 0, bytes(body.buffer))
    answer.int32()  # throttle time
    _accept(f"adding the positions of {group} to the transaction of {name}", answer.int16())


def position_body(
    name: str, owner: Identity, about: tuple[str, TopicPartition, int], version: int
) -> bytes:
    """A TxnOffsetCommit of a group without members; `about` is the group, where, and which."""
    group, where, position = about
    body = Writer(is_flexible(TXN_OFFSET_COMMIT, version))
    body.nullable_string(name)
    body.nullable_string(group)
    body.numbers(IDENTITY, *owner)
    if version >= MEMBERS_SINCE:
        body.int32(-1)
        body.nullable_string("")
        body.nullable_string(None)

    def partition(number: int) -> None:
        body.int32(number)
        body.int64(position)
        if version >= EPOCHS_SINCE:
            body.int32(-1)
        body.nullable_string("")
        body.tags()

    def topic(topic: str) -> None:
        body.nullable_string(topic)
        body.array((where.partition,), partition)
        body.tags()

    body.array((where.topic,), topic)
    body.tags()
    return bytes(body.buffer)


def read_positioned(answer: Reader) -> int:
    """The error code of the one partition."""
    answer.int32()  # throttle time
    (code,) = (code for codes in answer.array(lambda: _codes(answer)) for code in codes)
    return code


def end_transaction(
    wire: Wire, name: str, owner: Identity, *, commit: bool, raises_epoch: bool
) -> Identity:
    """Whose the next transaction is, once this one is decided; raises AnswerError.

    `raises_epoch` asks for transactions v2.
    """
    version = V2_END if raises_epoch else 0
    body = Writer(is_flexible(END_TXN, version))
    body.nullable_string(name)
    body.numbers(IDENTITY, *owner)
    body.boolean(commit)
    body.tags()
    answer = wire.ask(END_TXN, version, bytes(body.buffer))
    answer.int32()  # throttle time
    _accept(f"ending the transaction of {name}", answer.int16())
    return Identity(answer.int64(), answer.int16()) if raises_epoch else owner


def _accept(question: str, code: int) -> None:
    if code:
        raise AnswerError(question, code)
