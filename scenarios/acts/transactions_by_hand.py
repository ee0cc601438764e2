"""A transaction is in a state, as its coordinator tells who asks by hand."""

from highwater.faults.targets import TRANSACTIONS
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.transactions import (
    Described,
    describe_transaction,
)
from highwater.harness.probes.wire import AnswerError
from highwater.scenarios.acts.by_hand import wires


def state_of(play: Play, name: str) -> str:
    """What whoever coordinates it calls its state; "" where nobody answers for it."""
    try:
        return asked(play, name).state
    except (OSError, AnswerError):
        return ""


def asked(play: Play, name: str) -> Described:
    """Raises OSError, and AnswerError, also where nobody coordinates it."""
    coordinator = play.cluster.metadata.partition(TRANSACTIONS).leader
    if coordinator not in play.cluster.coordinators:
        raise OSError(f"no broker coordinates {name}: {TRANSACTIONS} is led by {coordinator}")
    with wires(play, coordinator) as (wire,):
        return describe_transaction(wire, name)


def await_transaction(play: Play, partition: Partition, name: str, state: str) -> None:
    """Wait until its coordinator calls it so."""
    what = f"the transaction of {name} is in {state}"
    partition.await_state(what, lambda: state_of(play, name) == state)
