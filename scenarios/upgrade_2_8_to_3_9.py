"""A rolling upgrade of a cluster that is in use, with ZooKeeper."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.rolled_under_load import rolling, under_load


@rolling(
    source="Kafka's notes on upgrading to 3.9",
    plays_on="==2.8",
    modes=("zookeeper",),
    upgrades_to="3.9.1",
)
def upgrade_2_8_to_3_9(play: Play, partition: Partition) -> None:
    """From 2.8 to 3.9 while records are sent: nothing is lost, and replicas agree.

    With ZooKeeper: each broker is stopped in order and comes back as 3.9 that speaks 2.8; when all
    have, each is restarted with inter.broker.protocol.version=3.9. ZooKeeper itself stays.
    """
    under_load(play, partition, "3.9.1")
