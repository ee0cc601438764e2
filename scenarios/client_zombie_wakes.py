"""Any client: a producer is frozen in a transaction, and another one takes its place."""

from highwater.harness.clients.load import Load
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.stability import undecided
from highwater.scenarios.acts.any_transactions import LONG, PATIENT, any_transactions

RATE_PER_S = 100


@any_transactions("KIP-98: initTransactions, producer epochs; Javadoc of ProducerFencedException")
def client_zombie_wakes(play: Play, partition: Partition) -> None:
    """A producer that was taken for dead in a transaction commits nothing of it when it wakes.

    It is stopped (SIGSTOP) with records of an open transaction in the log, which readers of
    committed records wait in front of. Another process with its transactional.id registers: the
    coordinator aborts what is open, bumps the epoch, and the other one's transactions are
    committed. The first one wakes, goes on where it was, and is refused: nobody is ever handed its
    records. It can do nothing more, and the other one goes on.
    """
    topic = play.topics[0]
    with play.load(topic, RATE_PER_S, PATIENT, LONG, client=play.client) as load:
        _await_one_that_is_open(partition, load)
        with load.paused():
            partition.await_state("its transaction is open", lambda: _is_open(partition))
            committed, zombie = load.acked, load.take_over()
            load.await_acked(LONG.records)
            play.step(f"{committed} records were committed before, and {LONG.records} by who came")
        partition.await_state(
            "who was frozen, or who came after it, can do nothing more",
            lambda: bool(zombie.why_over or load.why_over),
            60.0,
        )
        _go_on(play, partition, load)
    play.note(f"{load.acked} records are committed, and {load.failed} ended in another way")


def _await_one_that_is_open(partition: Partition, load: Load) -> None:
    """Just after another one was committed, so that it stays open for a while."""
    load.await_acked(LONG.records)
    partition.await_state("the next transaction is open", lambda: _is_open(partition))


def _is_open(partition: Partition) -> bool:
    return 10 < (undecided(partition) or 0) < LONG.records  # not the one before, seen whole


def _go_on(play: Play, partition: Partition, load: Load) -> None:
    """Where who woke has ended who came after it, that one is started again, as by a supervisor."""
    wanted = load.acked + LONG.records
    what = "who came after it goes on, or can do nothing more"
    partition.await_state(what, lambda: load.acked >= wanted or bool(load.why_over), 60.0)
    if load.why_over:
        play.step(f"who woke has ended who came after it: {load.why_over}")
        load.restart()
        load.await_acked(LONG.records)
