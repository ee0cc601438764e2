"""All nodes get another release while records are sent, and perhaps their own one again."""

from collections.abc import Callable
from typing import Any

from highwater.harness.model import Scenario
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.versions.catalogue import find_kafka


def rolling(**told: Any) -> Callable[[Callable[[Play, Partition], None]], Scenario]:
    """A scenario of a cluster in use whose nodes become others, by which nothing may be lost."""
    return scenario(
        claims=("lost-write", "replica-divergence"),
        settings={"replica.lag.time.max.ms": "10000"},
        topic_settings={"min.insync.replicas": "2"},
        **told,
    )


def under_load(play: Play, partition: Partition, release: str) -> None:
    """Records are sent before, during and after all steps; the leader moves as it stops."""
    with play.load(play.topics[0], rate_per_s=100) as load:
        load.await_acked(100)
        play.rolling_upgrade(release)
        load.await_acked(100)
    partition.require("sent on at every step", load.acked > 200, acked=load.acked)


def there_and_back(play: Play, partition: Partition, release: str) -> None:
    """Nodes get a release that speaks and writes as theirs did, and then their own one again."""
    first = play.cluster.kafka.name
    with play.load(play.topics[0], rate_per_s=100) as load:
        load.await_acked(100)
        for each in (release, first):
            play.rolling_upgrade(each, until="binaries")
            load.await_acked(100)
            runs = {play.cluster.nodes.runs(broker).version for broker in play.cluster.brokers}
            partition.require(
                f"every broker is {each}", runs == {find_kafka(each).version}, runs=runs
            )
    knows = play.cluster.kafka.at_least("1.0")  # before, who has just started may know no topic yet
    partition.require("no record has failed", not (knows and load.failed), failed=load.failed)
