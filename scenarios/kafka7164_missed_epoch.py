"""KAFKA-7164: a follower that missed an epoch goes on as if nothing had happened."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.deaf_follower import (
    leadership_goes_and_comes_back,
    next_controller_tells,
)


@scenario(
    source="KAFKA-7164",
    plays_on=">=0.11",
    modes=("zookeeper",),
    reproduces=">=0.11,<=2.0.0",
    claims=("replica-divergence",),
    topic_settings={"min.insync.replicas": "1"},
)
def kafka7164_missed_epoch(play: Play, partition: Partition) -> None:
    """Leadership goes to another broker and comes back, and one follower never hears of it.

    The first leader has a record that only one follower could fetch. The other follower leads for
    a while, and the first cuts that record off. Then the first leads again and writes another one
    in its place. The follower with the old record has heard of none of this: the controller's
    orders to it were held, and that controller is gone. Its successor tells it only of the newest
    epoch, with the leader that it follows already, and up to 2.0.0 it does nothing: it goes on
    fetching behind its old record and differs from its leader for ever.

    From 2.0.1 on a follower compares its log with the leader's at every new epoch.
    """
    deaf = leadership_goes_and_comes_back(play, partition)
    next_controller_tells(play, partition, deaf)
    partition.require_acked(partition.send(1, to=partition.replicas[0]))
