"""A rolling upgrade from 0.10.2 to 0.11 that is called off when all binaries are new."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.rolled_under_load import rolling, there_and_back


@rolling(
    source="Kafka's notes on upgrading to 0.11.0",
    plays_on="==0.10.2",
    upgrades_to="0.11.0.3",
    tolerates={"committed-truncation": "who speaks 0.10 cuts its log to its high watermark"},
)
def upgrade_0_10_taken_back(play: Play, partition: Partition) -> None:
    """0.10.2 has its data back from 0.11, which spoke and wrote 0.10.2: nothing is lost.

    While records are sent each broker is stopped in order and comes back as 0.11, and when all
    have, each is stopped again and is 0.10.2 once more. Kafka's notes allow that until
    inter.broker.protocol.version is raised. None is killed: what KIP-101 loses takes that.
    """
    there_and_back(play, partition, "0.11.0.3")
