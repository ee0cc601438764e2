"""A rolling upgrade with ZooKeeper that is called off when all binaries are new."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.rolled_under_load import rolling, there_and_back


@rolling(
    source="Kafka's notes on upgrading to 3.9",
    plays_on="==2.8.2",
    modes=("zookeeper",),
    upgrades_to="3.9.1",
)
def upgrade_2_8_taken_back(play: Play, partition: Partition) -> None:
    """2.8 has its data back from 3.9, which spoke 2.8: nothing is lost, and replicas agree.

    With ZooKeeper, while records are sent: each broker is stopped in order and comes back as 3.9,
    and when all have, each is stopped again and is 2.8 once more. Kafka's notes allow that until
    inter.broker.protocol.version is raised.
    """
    there_and_back(play, partition, "3.9.1")
