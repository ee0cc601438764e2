"""KAFKA-16234: a disk fails, and its broker makes an empty replica on another one."""

from highwater.faults.lose_disk import LoseDisk
from highwater.faults.stop import Stop
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.alone_with_ten import alone_with_ten
from highwater.scenarios.acts.failed_disk import await_made_anew, follow_its_advice
from highwater.scenarios.acts.known_disk import await_told_where_it_lies
from highwater.scenarios.acts.two_disks import lies_on_first, lies_on_second


@scenario(
    source="KAFKA-16234, KAFKA-16157; KIP-858",
    reproduces=">=3.7.0,<3.7.1",
    plays_on=">=3.7",  # since then KRaft knows brokers with several disks
    modes=("kraft",),
    ablations=("LoseDisk",),
    claims=("lost-write",),
    two_log_dirs=True,
    settings={"log.flush.offset.checkpoint.interval.ms": "500"},  # by which a broker looks
    topic_settings={"min.insync.replicas": "2"},
    tolerates={"committed-truncation": "everybody follows a leader that has nothing"},
)
def kafka16234_failed_disk(play: Play, partition: Partition) -> None:
    """All that three replicas have acknowledged is lost by doing what a broker recommends.

    Three replicas have ten records. Two brokers are stopped in order, and the disk of the last one
    in the ISR fails. It has another disk, and lives; the controller is told, and nobody leads. In
    3.7.0 the broker does not know its own replica any more, whose topic id was read from the disk,
    and takes it for one that is to be made: an empty one, on the other disk. Then the disk is
    repaired, with all that it had, and the broker started again. It finds two replicas, halts, and
    recommends to delete the one on the disk that has failed. That is done; it leads with the other,
    and the others come back, and cut their logs to nothing. From 3.7.1 on no replica is made, and
    from 4.1 on who was stopped last is waited for, as an eligible leader (KIP-966).
    """
    owner = partition.replicas[0]
    lies_on_second(play, partition, owner)
    await_told_where_it_lies(play, partition, owner)
    _, away = alone_with_ten(play, partition, one_batch=False)
    lost = play.inject(LoseDisk(owner))
    await_made_anew(play, partition, owner)
    down = play.inject(Stop(owner))
    play.heal(lost)
    follow_its_advice(play, partition, owner)
    play.heal(down)
    play.step(f"its log ends at {partition.log_end_offset(owner)}")
    play.heal(*away)
    partition.await_isr(*partition.replicas)
    lies_on_first(play, partition, owner)
