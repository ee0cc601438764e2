"""KAFKA-14139: a broker is let into the ISR for what it had before its disk was replaced."""

from highwater.faults.block_link import BlockLink
from highwater.faults.hold_isr_change import HoldIsrChange
from highwater.faults.stop import Stop
from highwater.faults.watch_isr_change import WatchIsrChange
from highwater.faults.wipe_replica import WipeReplica
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.wire import AnswerError
from highwater.harness.scenario import scenario


@scenario(
    source="KIP-903; KAFKA-14139",
    reproduces="<3.5",
    modes=("kraft",),
    ablations=("WipeReplica",),
    claims=("lost-write",),
    gated_metadata=True,
    topic_settings={"min.insync.replicas": "2"},
    tolerates={"committed-truncation": "everybody follows a leader that has nothing"},
)
def kafka14139_replaced_disk(play: Play, partition: Partition) -> None:
    """Acknowledged by two replicas of three, lost in a planned election, and nobody has died.

    One replica has been away and has caught up. Its leader asks the controller to take it into the
    ISR again, and that request is late. Meanwhile the broker is stopped in order, its disk is
    replaced, and it returns with an empty log; it cannot fetch yet. Now the request arrives. Up to
    3.4 it names a broker and nothing else: the replica is in sync for what it had in another life.
    It is preferred, its election is a clean one, and the others cut their logs to nothing.

    From 3.5 on the request names the broker's epoch, and an epoch that is over is refused.
    """
    leader, other, replaced = partition.replicas
    partition.prefer(replaced, leader, other)
    away = play.inject(Stop(replaced))
    partition.await_isr(leader, other)
    batch = partition.send(10)
    partition.require_acked(batch)
    late = play.inject(HoldIsrChange(leader))
    play.heal(away)
    ends = dict.fromkeys(partition.replicas, batch.end_offset)
    partition.await_offsets("it has caught up", ends)
    play.await_standing([late])
    down = play.inject(Stop(replaced))
    play.inject(WipeReplica(replaced, partition.where))
    blocked = play.inject(BlockLink(follower=replaced, leader=leader))
    play.heal(down)
    play.await_standing([blocked])
    partition.require_offsets("it is back, and has nothing", {**ends, replaced: 0})
    decided = play.inject(WatchIsrChange(leader))
    play.heal(late)
    decided.await_seen()
    try:
        partition.move_leader(replaced)
        partition.await_isr(*partition.replicas)
        partition.await_leader(replaced, isr=partition.replicas)
    except AnswerError:
        play.step("the request was about another life of that broker, and it may not lead")
