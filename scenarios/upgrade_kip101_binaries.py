"""KIP-101, scenario 1, while a cluster is being upgraded: all brokers are of the new release."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.upgraded import laggard_is_elected, up_to


@scenario(
    source="KIP-101, Kafka's notes on upgrading to 0.11.0",
    reproduces="==0.10.2",
    plays_on="==0.10.2",
    upgrades_to="0.11.0.3",
    claims=("lost-write",),
    topic_settings={"min.insync.replicas": "2"},
    tolerates={"committed-truncation": "it is how the records are lost"},
)
def upgrade_kip101_binaries(play: Play, partition: Partition) -> None:
    """Every broker is of 0.11, which has the cure, and acknowledged records are lost all the same.

    The first step of a rolling upgrade: new binaries with inter.broker.protocol.version=0.10.2 and
    log.message.format.version=0.10.2, as the notes ask for. A follower asks nobody for the end of
    an epoch as long as the protocol is the old one; it cuts its log back to its high watermark.
    """
    up_to(play, partition, "0.11.0.3", "binaries")
    laggard_is_elected(play, partition)
