"""Which brokers get a topic's replicas, if nobody says so."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.placement import Placed, placed_anywhere, shifted

TOPICS = 12


@scenario(
    source="AdminUtils.assignReplicasToBrokersRackUnaware; StripedReplicaPlacer",
    plays_on=">=0.10.1",  # no broker creates topics when asked to before
    claims=("lost-write", "replica-divergence"),
    topic_settings={"min.insync.replicas": "2"},
)
def placed_by_chance(play: Play, partition: Partition) -> None:
    """Partition i is on broker i mod n only by chance: the first broker is drawn, and so is more.

    Twelve topics of two rounds of partitions each, two replicas of each. They begin at different
    brokers. With ZooKeeper each goes round from there, and the second replicas are a drawn number
    of brokers further on, one more in each round. With KRaft the second replica is the next broker,
    and the brokers are shuffled for the next round. What the formula says, one topic may have.
    """
    partition.require_acked(partition.send(1))
    brokers = sorted(play.cluster.metadata.registered())
    found = placed_anywhere(play, partition, TOPICS, brokers)
    count, kraft = len(brokers), play.cluster.kafka.kraft
    rounds = [part for each in found for part in (each[:count], each[count:])]
    partition.require(
        "each broker is preferred once in each round",
        all(sorted(first for first, _ in part) == [*range(count)] for part in rounds),
        found=found,
    )
    starts = {each[0][0] for each in found}
    partition.require("they begin at different brokers", len(starts) > 1, starts=starts)
    known = [
        shifted(count, count if kraft else 2 * count, shift)
        for shift in range(1 if kraft else count)
    ]
    partition.require(
        "from there on each is one of those that may be drawn",
        all(_from_its_start(each, count)[: len(known[0])] in known for each in found),
    )


def _from_its_start(placed: Placed, brokers: int) -> Placed:
    """Its brokers numbered in the order in which they are preferred, which may be any."""
    order = [first for first, _ in placed[:brokers]]
    return [(order.index(first), order.index(second)) for first, second in placed]
