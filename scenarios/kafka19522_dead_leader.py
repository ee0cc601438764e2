"""KAFKA-19522: a broker that does not serve yet is elected, dies, and leads on."""

from highwater.faults.hold_heartbeats import HoldHeartbeats
from highwater.faults.kill import Kill
from highwater.faults.stop import Stop
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ACKS_ONE
from highwater.scenarios.acts.in_time import STALLED_S, comes_in_time


@scenario(
    source="KAFKA-19522; KIP-966",
    plays_on=">=4.0",
    modes=("kraft",),
    restored_by=("elr=on",),  # in 4.0 a new cluster has eligible leader replicas if it is told to
    not_reproducible_on="kraft>=4.1",
    claims=("stalled-sends",),
    replicas=2,
    gated_metadata=True,
    topic_settings={"min.insync.replicas": "1", "unclean.leader.election.enable": "true"},
)
def kafka19522_dead_leader(play: Play, partition: Partition) -> None:
    """A replica lives, has every record, and may lead; a broker that has died does.

    Two replicas, and anybody may be elected. The follower stops, and the leader dies. It starts
    again, and tells the controller that it has not been stopped: nobody is left who is in sync or
    eligible. It was the last one to lead. 4.0 with eligible leader replicas elects it on the spot,
    though it does not serve yet; and before it does, it dies again. Now the follower is back. Had
    nobody been elected, it would be; but there is a leader. Nobody misses that one, for it has
    never been let in, and all who send wait for it until it has come back.

    Without eligible leader replicas, or from 4.1 on, the follower leads once it serves.
    """
    leader, follower = partition.replicas
    partition.require_acked(partition.send(3))
    away = play.inject(Stop(follower))
    partition.await_isr(leader)
    dead = play.inject(Kill(leader))
    partition.await_nobody_leads()
    unheard = play.inject(HoldHeartbeats(leader))
    play.cluster.nodes.start(leader)
    play.await_standing([unheard])
    play.cluster.nodes.kill(leader)
    play.heal(unheard)
    play.heal(away)
    play.step(f"the follower serves; by the metadata {partition.leader} leads")
    with play.load(play.topics[0], 20, ACKS_ONE) as load:
        comes_in_time(play, partition, "one is acknowledged", lambda: load.acked > 0, STALLED_S)
        play.heal(dead)
        load.await_acked(1)
