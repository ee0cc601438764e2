"""Scenarios of groups that have read what an unclean election then cuts off."""

from collections.abc import Callable, Mapping

from highwater.harness.model import Scenario
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario

CUT = {
    "lost-write": "an unclean election loses what only the other replica had",
    "committed-truncation": "that one cuts its log when it returns",
    "inconsistent-offsets": "others stand where the first of the ten stood",
    "commit-regression": "whose position is gone from the log begins at a lower one",
}


def read_and_cut(
    source: str, also: Mapping[str, str]
) -> Callable[[Callable[[Play, Partition], None]], Scenario]:
    """Two replicas, either of which may lead; what is tolerated `also` is of this scenario."""
    return scenario(
        source=source,
        plays_on=">=0.11",  # before, Java members cannot be lined up with ours
        turns_at=("2.3",),
        modes=("zookeeper", "kraft>=3.9"),  # before, nobody is elected uncleanly: KAFKA-12670
        claims=("replica-divergence", "stuck-group"),
        replicas=2,
        gated_clients=True,
        topic_settings={"min.insync.replicas": "1", "unclean.leader.election.enable": "true"},
        tolerates={**CUT, **also},
    )
