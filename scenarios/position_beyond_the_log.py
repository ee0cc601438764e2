"""KIP-320: a group's position lies in a part of the log that an unclean election has cut off."""

from highwater.faults.kill import Kill
from highwater.faults.stop import Stop
from highwater.harness.clients.settings import ConsumerSettings
from highwater.harness.foreign.programs import OURS
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.positions import await_position

AUTO = ConsumerSettings(commits="auto", library={"auto.commit.interval.ms": 500})
GROUPS = {"librdkafka": OURS, "java": "java"}


@scenario(
    source="KIP-320; OffsetForLeaderEpoch, auto.offset.reset",
    plays_on=">=0.11",  # before, Java members cannot be lined up with ours
    modes=("zookeeper", "kraft>=3.9"),  # before, nobody is elected uncleanly: KAFKA-12670
    claims=("replica-divergence", "stuck-group"),
    replicas=2,
    gated_clients=True,
    topic_settings={"min.insync.replicas": "1", "unclean.leader.election.enable": "true"},
    tolerates={
        "lost-write": "an unclean election loses what only the other replica had",
        "committed-truncation": "that one cuts its log when it returns",
        "inconsistent-offsets": "others stand where the ten stood",
        "commit-regression": "whose position is gone from the log begins at a lower one",
    },
)
def position_beyond_the_log(play: Play, partition: Partition) -> None:
    """Two groups have read ten records that are cut off, and twenty others come in their place.

    Both have committed position 11. One of librdkafka goes on there: it is never handed the first
    ten. Java's has committed a leader epoch: from 2.1 on it asks where that ended, and goes back.
    """
    leader, behind = partition.replicas
    base = partition.send(1).end_offset
    partition.await_offsets("one record on both", dict.fromkeys(partition.replicas, base))
    away = play.inject(Stop(behind))
    partition.await_isr(leader)
    cut = partition.send(10).end_offset
    both = [_handed(play, partition, name, cut) for name in GROUPS]
    partition.require("both have read all", both == [cut, cut], handed=both)
    dead = play.inject(Kill(leader))
    play.heal(away)
    partition.await_leader(behind, clean=False)
    partition.require_offsets("it lacks the ten", {behind: base})
    end = partition.send(20).end_offset
    play.heal(dead)
    back = base if play.cluster.kafka.ends_epochs_for_consumers else cut
    for name, since in {"librdkafka": cut, "java": back}.items():
        handed = _handed(play, partition, name, end)
        partition.require(f"{name} begins at {since}", handed == end - since, handed=handed)


def _handed(play: Play, partition: Partition, name: str, end: int) -> int:
    with play.group(name, play.topics[0], settings=AUTO, client=GROUPS[name]) as group:
        await_position(partition, group, end)
        return group.handed
