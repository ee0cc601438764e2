"""A transaction follows upon another one while the coordinator of their group is busy."""

from collections.abc import Callable

from highwater.harness.partition import Partition
from highwater.scenarios.acts.positions_in_transactions import Positioning


def follows_while(partition: Partition, producer: Positioning, reads: Callable[[], bool]) -> None:
    """Commit, and have the next transaction commit position 20, while the coordinator reads.

    Where it is told only then that the first one is complete, the next begins when all is read.
    """
    partition.await_state("the coordinator reads the log of others", reads)
    producer.end(commit=True)
    producer.begin()
    begins_meanwhile = reads()
    producer.commit_position(partition.where, 20)
    if begins_meanwhile:
        partition.require("the next transaction is open, and it reads still", reads())
    partition.await_state("all is read", lambda: not reads(), 60.0)
