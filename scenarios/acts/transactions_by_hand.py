"""A transaction is in a state, as its coordinator tells who asks by hand."""

from highwater.faults.targets import TRANSACTIONS
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.transactions import (
    Described,
    Identity,
    describe_transaction,
    init_producer_id,
)
from highwater.harness.probes.wire import AnswerError
from highwater.scenarios.acts.by_hand import wires

TIMEOUT_MS = 60_000  # transaction.timeout.ms of who asks by hand


def state_of(play: Play, name: str) -> str:
    """What whoever coordinates it calls its state; "" where nobody answers for it."""
    found = described(play, name)
    return "" if found is None else found.state


def described(play: Play, name: str) -> Described | None:
    """What its coordinator has of it; None where nobody answers for it."""
    coordinator = play.cluster.metadata.partition(TRANSACTIONS).leader
    if coordinator not in play.cluster.brokers:
        return None
    try:
        with wires(play, coordinator) as (wire,):
            return describe_transaction(wire, name)
    except (OSError, AnswerError):
        return None


def owner_of(play: Play, partition: Partition, name: str) -> Identity:
    """Who has the transactional id now, by its coordinator."""
    found = described(play, name)
    partition.require(f"a coordinator knows {name}", found is not None)
    assert found is not None
    return found.owner


def asks_for_more(play: Play, name: str, known: Identity) -> int:
    """As a producer that would go on after an error; 0, or the code of what it is answered."""
    coordinator = play.cluster.metadata.partition(TRANSACTIONS).leader
    with wires(play, coordinator) as (wire,):
        try:
            init_producer_id(wire, name, TIMEOUT_MS, known)
        except AnswerError as error:
            return error.code
    return 0


def await_transaction(play: Play, partition: Partition, name: str, state: str) -> None:
    """Wait until its coordinator calls it so."""
    what = f"the transaction of {name} is in {state}"
    partition.await_state(what, lambda: state_of(play, name) == state)
