"""KIP-320: a follower in an old epoch fetches, and nobody tells it that the epoch is over."""

from highwater.faults.hold_answers import HoldAnswers
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ACKS_ONE
from highwater.scenarios.acts.deaf_follower import (
    leadership_goes_and_comes_back,
    next_controller_tells,
)


@scenario(
    source="KIP-320; KAFKA-6880",
    plays_on=">=0.11",
    modes=("zookeeper",),
    reproduces=">=0.11,<2.1",
    restored_by=("ibp=2.0-IV1",),
    claims=("replica-divergence",),
    topic_settings={"min.insync.replicas": "1"},
)
def kip320_zombie_follower(play: Play, partition: Partition) -> None:
    """A follower that believes in a leader of long ago takes records from the one of today.

    Leadership goes to another broker and comes back, and one follower hears of neither: it has a
    record that its leader has cut off and replaced. It still fetches from that leader, behind the
    old record, and up to 2.0 gets what the leader wrote last: nothing in a fetch says which epoch
    the follower lives in. At last its controller tells it of the newest epoch. It asks the leader
    where the last epoch in its log ends; but that is the new epoch already, of which nothing is to
    be cut. The record below stays, and differs from the leader's for ever.

    From 2.1 on a fetch names its leader epoch, and one of an old epoch is fenced.
    """
    first, _, zombie = partition.replicas
    deaf = leadership_goes_and_comes_back(play, partition)
    partition.require_acked(partition.send(1, ACKS_ONE, to=first))
    answer = play.inject(HoldAnswers(first, zombie, after_records=False, deliver=True))
    play.heal(deaf.link)
    (told,) = answer.await_standing()["partitions"]
    play.step(f"the zombie's fetch is answered: error {told['error']}")
    play.heal(answer)
    if not told["error"]:
        behind = {zombie: deaf.end_offset + 1}
        partition.await_offsets("it has taken the record behind its old one", behind)
    next_controller_tells(play, partition, deaf)
    partition.require_acked(partition.send(1, to=first))
