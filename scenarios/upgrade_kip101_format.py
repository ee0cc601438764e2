"""KIP-101, scenario 1, when a cluster has been upgraded: the message format has been raised."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.upgraded import laggard_is_elected, up_to


@scenario(
    source="KIP-101, Kafka's notes on upgrading to 0.11.0",
    plays_on="==0.10.2",
    upgrades_to="0.11.0.3",
    claims=("lost-write",),
    topic_settings={"min.insync.replicas": "2"},
)
def upgrade_kip101_format(play: Play, partition: Partition) -> None:
    """The hole closes with the last step, when what is written carries the leader epoch.

    log.message.format.version=0.11.0 after new binaries and the new protocol: batches tell the
    epoch in which they were written, the follower asks where its epoch ended, and cuts nothing.
    """
    up_to(play, partition, "0.11.0.3", "format")
    laggard_is_elected(play, partition)
