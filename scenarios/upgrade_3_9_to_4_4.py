"""A rolling upgrade of a cluster that is in use, with KRaft."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.rolled_under_load import rolling, under_load


@rolling(
    source="Kafka's notes on upgrading to 4.4",
    plays_on="==3.9",
    modes=("kraft",),
    upgrades_to="4.4.0",
)
def upgrade_3_9_to_4_4(play: Play, partition: Partition) -> None:
    """From 3.9 to 4.4 while records are sent: nothing is lost, and replicas agree.

    With KRaft: first the controller, then each broker is stopped in order and comes back as 4.4;
    when all have, metadata.version is raised to what 4.4 has, without another restart.
    """
    under_load(play, partition, "4.4.0")
