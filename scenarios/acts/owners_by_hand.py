"""Whose a transactional id is, and what somebody is told who asks for it with a known epoch."""

from highwater.faults.targets import TRANSACTIONS
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.transacting import begin_anew
from highwater.harness.probes.transactions import Identity, init_producer_id
from highwater.harness.probes.wire import AnswerError
from highwater.scenarios.acts.by_hand import wires
from highwater.scenarios.acts.transactions_by_hand import asked

TIMEOUT_MS = 60_000  # transaction.timeout.ms of who asks by hand


def owner_of(play: Play, partition: Partition, name: str) -> Identity:
    """Who has the transactional id now, by its coordinator."""
    found: list[Identity] = []

    def ask() -> bool:
        found.append(asked(play, name).owner)
        return True

    partition.await_state(f"a coordinator knows {name}", ask)
    return found[-1]


def begins_anew(play: Play, partition: Partition, name: str) -> Identity:
    """As another producer that has just been started with this transactional id.

    Returns when the transaction of the one before, which is fenced, has been aborted.
    """
    found: list[Identity] = []

    def ask() -> bool:
        with wires(play, play.cluster.metadata.partition(TRANSACTIONS).leader) as (wire,):
            found.append(begin_anew(wire, name, TIMEOUT_MS))
        return True

    partition.await_state(f"another producer of {name} has begun", ask)
    return found[-1]


def asks_for_more(play: Play, name: str, known: Identity) -> int:
    """As a producer that would go on after an error; 0, or the code of what it is answered."""
    coordinator = play.cluster.metadata.partition(TRANSACTIONS).leader
    with wires(play, coordinator) as (wire,):
        try:
            init_producer_id(wire, name, TIMEOUT_MS, known)
        except AnswerError as error:
            return error.code
    return 0
