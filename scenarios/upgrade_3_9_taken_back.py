"""A rolling upgrade with KRaft that is called off when all binaries are new."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.rolled_under_load import rolling, there_and_back


@rolling(
    source="Kafka's notes on upgrading to 4.1",
    plays_on="==3.9",
    modes=("kraft",),
    upgrades_to="4.1.1",
)
def upgrade_3_9_taken_back(play: Play, partition: Partition) -> None:
    """3.9 has its data back from 4.1, which wrote metadata as 3.9: nothing is lost.

    With KRaft, while records are sent: the controller, then each broker is stopped in order and
    comes back as 4.1, and when all have, each is 3.9 once more. Kafka's notes allow that until
    metadata.version is raised.
    """
    there_and_back(play, partition, "4.1.1")
