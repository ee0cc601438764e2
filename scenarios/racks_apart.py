"""Which brokers get a topic's replicas, if brokers say in which rack they are."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.placement import placed_anywhere

TOPICS = 12
RACKS = {1: "east", 2: "east", 3: "west", 100: "west"}


@scenario(
    source="KIP-36; broker.rack",
    plays_on=">=0.10.1",  # no broker creates topics when asked to before
    claims=("lost-write", "replica-divergence"),
    broker_settings={broker: {"broker.rack": rack} for broker, rack in RACKS.items()},
    topic_settings={"min.insync.replicas": "2"},
)
def racks_apart(play: Play, partition: Partition) -> None:
    """Two racks, two replicas: each partition has one in each, whichever brokers these are.

    Brokers 1 and 2 are in one rack. Twelve topics of two rounds of partitions each are created, two
    replicas of each. That those two have a partition together is what `placed-by-chance` sees,
    where no broker has a rack: here it never is, and a rack that fails takes one replica of each.
    """
    partition.require_acked(partition.send(1))
    brokers = sorted(play.cluster.metadata.registered())
    found = placed_anywhere(play, partition, TOPICS, brokers)
    racks = [sorted(RACKS[brokers[at]] for at in replicas) for topic in found for replicas in topic]
    partition.require(
        "each partition has a replica in each rack",
        all(each == ["east", "west"] for each in racks),
        partitions=len(racks),
        beside={str(each) for each in racks},
    )
    pairs = {tuple(sorted(brokers[at] for at in each)) for topic in found for each in topic}
    partition.require("and more than one pair of brokers is taken", len(pairs) > 1, pairs=pairs)
