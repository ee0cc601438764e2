"""Replicas that move may take so many bytes a second and no more, as an operator has it."""

from collections.abc import Generator
from contextlib import contextmanager

from highwater.harness.play import Play

RATES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")
# Of which replicas these rates are: a topic says so (KIP-73). Who is in sync is spared.
EVERY_REPLICA = {
    "leader.replication.throttled.replicas": "*",
    "follower.replication.throttled.replicas": "*",
}


@contextmanager
def throttled(play: Play, bytes_per_s: int) -> Generator[None]:
    """On each broker, as long as this lasts; then nothing is throttled any more."""
    play.step(f"replicas that are not in sync get {bytes_per_s} bytes a second at most")
    try:
        for broker in play.cluster.brokers:
            rates = dict.fromkeys(RATES, str(bytes_per_s))
            play.cluster.metadata.set_broker(broker, rates)
        yield
    finally:
        play.step("nothing is throttled any more")
        for broker in play.cluster.brokers:
            play.cluster.metadata.set_broker(broker, dict.fromkeys(RATES))
