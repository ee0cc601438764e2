"""KAFKA-4039: a broker that wants to exit, and cannot."""

from highwater.faults.block_link import BlockLink
from highwater.faults.delay_requests import DelayRequests
from highwater.faults.hold_answers import HoldAnswers
from highwater.faults.kill import Kill
from highwater.faults.wipe_replica import WipeReplica
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.at_first import one_everywhere
from highwater.scenarios.acts.hanging_return import returns_and_hangs

LOSS = "it is KIP-101's loss that the broker meets when it returns"


@scenario(
    source="KAFKA-4039, KAFKA-3924",
    plays_on=">=0.10.0.1",
    reproduces="<0.11",
    claims=("stuck-broker",),
    settings={"replica.high.watermark.checkpoint.interval.ms": "200"},
    topic_settings={"min.insync.replicas": "2"},
    tolerates={"lost-write": LOSS, "committed-truncation": LOSS},
)
def kafka4039_truncation_exit(play: Play, partition: Partition) -> None:
    """A broker finds that it knows more than its leader, decides to exit, and hangs for ever.

    It begins as KIP-101's loss does: three replicas, clean elections, and a replica leads that has
    cut off what was acknowledged. Then the first leader returns, which knows that all it has is
    committed, and cuts nothing. Its leader's log ends before its own. It must not cut committed
    records and will not stay: it logs a fatal error and exits; but the thread that exits waits for
    the threads that wait for it. The port is closed, the process stays, and so does its place in
    ZooKeeper: no supervisor starts it again, and the cluster counts on it.

    From 0.11 on nothing is lost to begin with, and the broker joins the ISR again.
    """
    leader, heir, laggard = partition.replicas
    one_everywhere(partition)
    play.inject(DelayRequests(leader, laggard))  # apart: see KAFKA-6653
    blocked = play.inject(BlockLink(follower=laggard, leader=heir))
    play.inject_each(HoldAnswers(leader, each) for each in (heir, laggard))
    batch = partition.send(10, to=leader)
    partition.require_acked(batch)
    partition.await_checkpoint(leader, batch.end_offset)

    play.inject(Kill(leader))
    partition.await_leader(heir, isr=(heir, laggard))
    play.await_standing([blocked])
    play.inject(Kill(heir))
    partition.await_leader(laggard, isr=(laggard,))
    if returns_and_hangs(play, partition, leader):
        play.inject(Kill(leader))
        play.inject(WipeReplica(leader, partition.where))  # or it would hang again
