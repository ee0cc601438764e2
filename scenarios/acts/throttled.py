"""Replicas that move may take so many bytes a second and no more, as an operator has it."""

from collections.abc import Generator
from contextlib import contextmanager
from functools import partial

from highwater.harness.endings import end_all
from highwater.harness.model import Altered
from highwater.harness.partition import Partition
from highwater.harness.play import Play

RATES = ("leader.replication.throttled.rate", "follower.replication.throttled.rate")
WHOSE = ("leader.replication.throttled.replicas", "follower.replication.throttled.replicas")


@contextmanager
def throttled(play: Play, partition: Partition, bytes_per_s: int) -> Generator[None]:
    """All replicas of the topic, as long as this lasts (KIP-73); who is in sync is spared."""
    alter = play.cluster.metadata.alter
    brokers = [Altered("broker", str(each)) for each in play.cluster.brokers]
    lift = [partial(alter, broker, dict.fromkeys(RATES)) for broker in brokers]
    play.step(f"replicas that are not in sync get {bytes_per_s} bytes a second at most")
    try:
        alter(Altered("topic", partition.where.topic), dict.fromkeys(WHOSE, "*"))
        for broker in brokers:
            alter(broker, dict.fromkeys(RATES, str(bytes_per_s)))
        yield
    except BaseException as error:
        end_all(lift, error)
        raise
    end_all([*lift, partial(play.step, "nothing is throttled any more")])
