"""KIP-320: a leader that has not heard of its epoch answers followers that live in it."""

from highwater.faults.hold_orders import HoldOrders
from highwater.faults.watch_epochs import WatchEpochs
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.second_in_between import first_leads_again


@scenario(
    source="KIP-320; KAFKA-7395",
    plays_on=">=0.11",
    modes=("zookeeper",),
    reproduces=">=0.11,<2.1",
    restored_by=("ibp=2.0-IV1",),
    ablations=("HoldOrders",),
    claims=("lost-write",),
    replicas=2,
    topic_settings={"min.insync.replicas": "2"},
    tolerates={"committed-truncation": "it is how the records are lost"},
)
def kip320_deaf_leader(play: Play, partition: Partition) -> None:
    """Acknowledged by two replicas of two; the leader is not told for a while that it leads again.

    The controller's orders to the first replica stand still, and it goes on as the leader of its
    first epoch. The second leads for an epoch, writes a record, and follows again: it asks where
    its last epoch ended. The first has never heard of that one, and up to 2.0 says so. The second
    cuts its log back to its high watermark, which is older than ten records that are acknowledged,
    and is elected before it has them again. That a leader notes its epoch as soon as it leads
    (KAFKA-7415, 2.0.1) is no cure: this one does not know that it leads anew.

    From 2.1 on a follower's question names the epoch in which it lives, and a leader that is still
    in an older one refuses to answer.
    """
    first, second = partition.replicas
    play.bring_controller_home()
    asked = play.inject(WatchEpochs(second))
    orders = HoldOrders(first, play.cluster.nodes.controller)
    answers = first_leads_again(play, partition, orders).answers.rule
    partition.await_state(
        "the second one fetches, or asks again where its epoch ended",
        lambda: answers.counters()["matched"] > 0 or asked.rule.counters()["matched"] > 1,
    )
    partition.move_leader(second)
    partition.await_leader(second, isr=partition.replicas)
    if partition.log_end_offset(second) > partition.log_end_offset(first):
        play.step("nothing is cut; the first may cut for ever (KAFKA-10706): let it lead")
        play.heal()
        partition.move_leader(first)
