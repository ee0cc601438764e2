"""KIP-101, scenario 1, while a cluster is upgraded: a new protocol, and an old message format."""

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
def upgrade_kip101_protocol(play: Play, partition: Partition) -> None:
    """The protocol is the new one, nobody has raised the message format, and records are lost.

    The second step: inter.broker.protocol.version=0.11.0, log.message.format.version=0.10.2. A
    follower asks by now, but records of the old format carry no leader epoch, so that no replica
    knows one: the answer is that nobody knows, and the follower cuts back to its high watermark.
    """
    up_to(play, partition, "0.11.0.3", "protocol")
    laggard_is_elected(play, partition)
