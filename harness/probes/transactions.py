"""What a coordinator says of a transaction, and what a producer asks it for, by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from highwater.harness.gate.headers import DESCRIBE_TRANSACTIONS, INIT_PRODUCER_ID
from highwater.harness.gate.primitives import Reader, Writer
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
    began_ms: int  # by the coordinator's wall clock; -1 where none has begun


def describe_transaction(wire: Wire, name: str) -> Described:
    """What the coordinator of a transactional id says (KIP-664, 3.0).

    Raises AnswerError, of a broker that coordinates others, too.
    """
    ((_, code, described),) = _describe(wire, (name,))
    if code:
        raise AnswerError(f"describing the transaction of {name}", code)
    return described


def describe_transactions(wire: Wire, names: Sequence[str]) -> Mapping[str, Described]:
    """The same of those of several that this broker coordinates, and knows."""
    return {name: described for name, code, described in _describe(wire, names) if not code}


def _describe(wire: Wire, names: Sequence[str]) -> tuple[tuple[str, int, Described], ...]:
    body = Writer(flexible=True)
    body.array(tuple(names), body.nullable_string)
    body.tags()
    answer = wire.ask(DESCRIBE_TRANSACTIONS, 0, bytes(body.buffer))
    answer.int32()  # throttle time
    return answer.array(lambda: _read_transaction(answer))


def _read_transaction(answer: Reader) -> tuple[str, int, Described]:
    code, name, state = answer.int16(), answer.string(), answer.string()
    answer.int32()  # timeout
    began_ms, owner = answer.int64(), Identity(answer.int64(), answer.int16())
    answer.array(lambda: _skip_topic(answer))
    answer.tags()
    return name, code, Described(state, owner, began_ms)


def _skip_topic(answer: Reader) -> None:
    answer.string()
    answer.array(answer.int32)
    answer.tags()


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
