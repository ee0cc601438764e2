"""Where the state of a partition is written down, and what brokers say of it."""

from functools import partial

from highwater.harness.model import PartitionState
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.metadata_log import copy_of

UNTOLD = -1  # the leader epoch, before 2.1


class KeptAndTold:
    """Of one partition; with KRaft each broker has a copy of what is kept."""

    def __init__(self, play: Play, partition: Partition) -> None:
        self._play, self._partition = play, partition
        cluster = play.cluster
        kept_by = cluster.brokers if cluster.kafka.kraft else ()  # or ZooKeeper, and nobody else
        self._copies = {each: copy_of(play, each) for each in kept_by}

    def require_same(self, *brokers: int) -> None:
        """What is kept by now each of these tells, and has, as soon as it has heard of it."""
        kept = self._partition.state()
        for broker in brokers:
            what = f"broker {broker} tells what is kept"
            self._partition.await_state(what, partial(self._is_told, broker, kept))
        self._play.step(f"{brokers} tell what is kept: {kept}")

    def _is_told(self, broker: int, kept: PartitionState) -> bool:
        where, cluster = self._partition.where, self._play.cluster
        copy = self._copies.get(broker)
        if copy and _known(copy.partition(where)) != _known(kept):
            return False
        epoch = kept.leader_epoch if cluster.kafka.at_least("2.1") else UNTOLD
        told = cluster.probe(broker).partitions(where.topic)  # none: it has not heard of it yet
        found = [(each.leader, tuple(sorted(each.isr)), each.leader_epoch) for each in told]
        return found == [(kept.leader, kept.isr, epoch)]


def _known(state: PartitionState | None) -> object:
    return state and (state.leader, state.isr, state.leader_epoch, state.replicas, state.elr)
