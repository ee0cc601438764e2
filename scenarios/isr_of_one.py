"""acks=all means all that are in sync: with min.insync.replicas=1 that may be the leader alone."""

from highwater.faults.cut_tail import CutTail
from highwater.faults.kill import Kill
from highwater.faults.stop import Stop
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ACKS_ONE, ProducerSettings


@scenario(
    source="min.insync.replicas",
    reproduces=">=0.10",
    cured_by=("min-isr=2",),
    ablations=("CutTail",),
    claims=("lost-write",),
    replicas=2,
    topic_settings={"min.insync.replicas": "1"},
    tolerates={"committed-truncation": "a leader that had flushed nothing lost power"},
)
def isr_of_one(play: Play, partition: Partition) -> None:
    """Acknowledged by all in-sync replicas, and that was one.

    The follower is down, and the leader is all that is left of the ISR. It acknowledges ten records
    sent with acks=all: min.insync.replicas=1, the default, is content with that. Then it loses
    power, and with it what it had not flushed. It returns, the only one that may lead, and leads.
    (From 4.1 on the controller knows that something may be lost, calls the election unclean, and
    holds it all the same: there is nobody else.)

    With min.insync.replicas=2 the ten records are refused: nothing was promised, nothing is lost.
    """
    leader, follower = partition.replicas
    base = partition.send(1)
    everywhere = dict.fromkeys(partition.replicas, base.end_offset)
    partition.await_offsets("one record, committed on both", everywhere, everywhere)

    play.inject(Stop(follower))
    partition.await_isr(leader)
    partition.send(10, ProducerSettings(retries=0))
    partition.send(1, ACKS_ONE)  # is never refused, so there is something to lose in any case
    play.inject(Kill(leader))
    play.inject(CutTail(leader, partition.where, base.end_offset))
    partition.await_deposed(leader)

    play.heal()
    partition.await_elected(clean=False)
