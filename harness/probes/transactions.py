"""What a coordinator says of a transaction, and what a producer asks it for, by hand."""

from __future__ import annotations

from typing import NamedTuple

from highwater.harness.gate.headers import DESCRIBE_TRANSACTIONS, INIT_PRODUCER_ID
from highwater.harness.gate.primitives import Writer
from highwater.harness.probes.wire import AnswerError, Wire

INIT_PRODUCER_ID_VERSION = 3  # the first one that says which id and epoch a producer has (2.5)


class Identity(NamedTuple):
    """Of a producer: with the same id, the one with the lower epoch is fenced."""

    producer_id: int
    epoch: int


class Described(NamedTuple):
    """What the coordinator has: its state's name, and whose transaction it is."""

    state: str  # Ongoing, PrepareCommit, CompleteCommit ...
    owner: Identity


def describe_transaction(wire: Wire, name: str) -> Described:
    """What the coordinator of a transactional id says (KIP-664, 3.0).

    Raises AnswerError, of a broker that coordinates others, too.
    """
    body = Writer(flexible=True)
    body.array((name,), body.nullable_string)
    body.tags()
    answer = wire.ask(DESCRIBE_TRANSACTIONS, 0, bytes(body.buffer))
    answer.int32()  # throttle time
    answer.unsigned_varint()  # one transaction
    if code := answer.int16():
        raise AnswerError(f"describing the transaction of {name}", code)
    answer.string()
    state = answer.string()
    answer.int32()  # timeout
    answer.int64()  # since when
    return Described(state, Identity(answer.int64(), answer.int16()))


def init_producer_id(wire: Wire, name: str, timeout_ms: int, known: Identity) -> Identity:
    """Ask for a higher epoch, as a producer does that goes on after an error (KIP-360, 2.5).

    Raises AnswerError.
    """
    body = Writer(flexible=True)
    body.nullable_string(name)
    body.int32(timeout_ms)
    body.int64(known.producer_id)
    body.int16(known.epoch)
    body.tags()
    answer = wire.ask(INIT_PRODUCER_ID, INIT_PRODUCER_ID_VERSION, bytes(body.buffer))
    answer.int32()  # throttle time
    if code := answer.int16():
        raise AnswerError(f"a higher epoch for {name} than {known.epoch}", code)
    return Identity(answer.int64(), answer.int16())
