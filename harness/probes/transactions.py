"""What a coordinator says of a transaction, asked by hand."""

from __future__ import annotations

from highwater.harness.gate.headers import DESCRIBE_TRANSACTIONS
from highwater.harness.gate.primitives import Writer
from highwater.harness.probes.wire import AnswerError, Wire


def transaction_state(wire: Wire, name: str) -> str:
    """What the coordinator calls it: Ongoing, PrepareCommit, CompleteCommit ... (KIP-664, 3.0).

    `name` is the transactional id. Raises AnswerError, of a broker that coordinates others, too.
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
    return answer.string()
