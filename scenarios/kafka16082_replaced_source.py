"""KAFKA-16082: a broker dies while a replica changes disks, and takes an empty one for it."""

from highwater.faults.kill import Kill
from highwater.faults.replace_disk import ReplaceDisk
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.alone_with_ten import alone_with_ten
from highwater.scenarios.acts.two_disks import lies_on_second
from highwater.scenarios.acts.unheard_copy import copied_unheard, leads_without_copy


@scenario(
    source="KAFKA-16082; KIP-858",
    reproduces=">=3.7.0,<3.7.1",
    plays_on=">=3.7",  # since then KRaft knows brokers with several disks
    modes=("kraft",),
    ablations=("ReplaceDisk",),
    claims=("lost-write",),
    gated_metadata=True,
    two_log_dirs=True,
    topic_settings={"min.insync.replicas": "2"},
    tolerates={"committed-truncation": "everybody follows a leader that has nothing"},
)
def kafka16082_replaced_source(play: Play, partition: Partition) -> None:
    """All that three replicas have acknowledged is lost, and a disk has it still.

    Three replicas have ten records. Two brokers are stopped in order; the last one in the ISR is
    asked to have its replica on another disk. It copies it there, tells the controller, and dies
    before it hears that the controller knows: the copy has not its place yet. The disk that it
    moves from is replaced by an empty one, and it comes back. In 3.7.0 it makes an empty replica
    beside the copy, for that is where the controller says it is, and leads. It halts, for it cannot
    put the copy in its place, and does so until somebody deletes that. Then the others come back,
    and cut their logs to nothing. From 3.7.1 on the copy becomes the replica; from 4.1 on
    who was stopped last is waited for, as an eligible leader (KIP-966).
    """
    mover = partition.replicas[0]
    lies_on_second(play, partition, mover)
    _, away = alone_with_ten(play, partition, one_batch=False)
    unheard = copied_unheard(play, partition, mover)
    dead = play.inject(Kill(mover))
    play.heal(unheard)
    play.inject(ReplaceDisk(mover))
    play.heal(dead)
    leads_without_copy(play, partition, mover)
    play.step(f"its log ends at {partition.log_end_offset(mover)}")
    play.heal(*away)
    partition.await_isr(*partition.replicas)
