"""KAFKA-7415: a leader without a record of its epoch cannot say where an older one ended."""

from highwater.faults.block_link import BlockLink
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.second_in_between import first_leads_again


@scenario(
    source="KAFKA-7415",
    plays_on=">=0.11",
    reproduces=">=0.11,<2.0.1",
    ablations=("BlockLink",),
    claims=("lost-write",),
    replicas=2,
    topic_settings={"min.insync.replicas": "2"},
    tolerates={"committed-truncation": "it is how the records are lost"},
)
def kafka7415_undefined_epoch(play: Play, partition: Partition) -> None:
    """Acknowledged by two replicas of two, lost in three elections of the preferred kind.

    The second replica has ten records and has not heard that they are committed. It leads for a
    while, writes a record that the first one cannot fetch, and the first leads again. It follows,
    and asks where its last epoch ended. The leader has no record of that epoch, and none of its
    own yet, which is the only one above: up to 2.0.0 it says that it does not know. So the second
    cuts its log back to its old high watermark, while it stays in the ISR, and is elected before
    it could fetch the ten records again.

    From 2.0.1 on a leader notes its epoch before the first record of it, and has an answer.
    """
    first, second = partition.replicas
    between = first_leads_again(play, partition, BlockLink(follower=first, leader=second))
    play.await_standing([between.answers])
    partition.move_leader(second)
    partition.await_leader(second, isr=partition.replicas)
