"""default.replication.factor: who says nothing of replicas has one, and it is on one disk."""

from highwater.faults.kill import Kill
from highwater.faults.wipe_replica import WipeReplica
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario


@scenario(
    source="Kafka's documentation, broker configs: default.replication.factor; KIP-464",
    reproduces=">=2.8",
    plays_on=">=2.8",
    modes=("kraft",),
    cured_by=("default-replicas=3",),
    ablations=("WipeReplica",),
    claims=("lost-write",),
    settings={"default.replication.factor": "1"},
    tolerates={"committed-truncation": "the log that was committed is gone with its disk"},
)
def lone_replica(play: Play, _partition: Partition) -> None:
    """A topic whose creator left the number of replicas to the brokers, and a disk that dies.

    Somebody creates a topic and says nothing of replicas, as most programs do that make their own.
    The brokers give it default.replication.factor of them: one, where nobody has set it. Ten
    records are acknowledged by all in-sync replicas. Then the leader dies, and what it had of the
    topic is gone, as with a disk that was replaced. It returns.

    With one replica there was no other copy. With three another one leads, and has the ten records.
    """
    orders = play.topic("orders", replicas=None, settings={"min.insync.replicas": "1"})[0]
    end = orders.send(10).end_offset
    everywhere = dict.fromkeys(orders.replicas, end)
    orders.await_offsets("ten records, committed on all replicas", everywhere, everywhere)

    leader = orders.leader
    play.inject(Kill(leader))
    play.inject(WipeReplica(leader, orders.where))
    orders.await_deposed(leader)

    play.heal()
    orders.await_elected(clean=False)  # from 4.1 on it is told that something may be lost
