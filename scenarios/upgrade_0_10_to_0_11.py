"""A rolling upgrade from 0.10.2 to 0.11 of a cluster that is in use, in all its steps."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.rolled_under_load import rolling, under_load


@rolling(
    source="Kafka's notes on upgrading to 0.11.0",
    plays_on="==0.10.2",
    upgrades_to="0.11.0.3",
    tolerates={
        "committed-truncation": "who speaks 0.10 cuts its log to its high watermark",
        "stalled-sends": "librdkafka takes a broker's word that there is no topic for minutes: one "
        "of 0.11 that has just started may say so until it is told of any",
    },
)
def upgrade_0_10_to_0_11(play: Play, partition: Partition) -> None:
    """From 0.10.2 to 0.11 while records are sent: nothing is lost, and replicas agree.

    Each broker is stopped in order and comes back as 0.11 that speaks and writes 0.10.2; when all
    have, each is restarted to speak 0.11, and then once more to write as 0.11. None is killed: what
    KIP-101 loses on the way takes that (upgrade-kip101-binaries, -protocol, -format).
    """
    under_load(play, partition, "0.11.0.3")
