"""Where the state of a partition is written down, and what brokers say of it."""

from functools import partial

from highwater.harness.gate.messages.schemas import Schemas
from highwater.harness.model import PartitionState
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.metadata_log import MetadataLog
from highwater.harness.versions.jars import jars_named

UNTOLD = -1  # the leader epoch, before 2.1


class KeptAndTold:
    """Of one partition; with KRaft each broker has a copy of what is kept."""

    def __init__(self, play: Play, partition: Partition) -> None:
        kafka = play.cluster.kafka
        self._play, self._partition = play, partition
        self._schemas = Schemas(jars_named(kafka, ["kafka-metadata"]) if kafka.kraft else [])

    def require_same(self, *brokers: int) -> None:
        """What is kept by now each of these tells, and has, as soon as it has heard of it."""
        kept = self._partition.state()
        for broker in brokers:
            what = f"broker {broker} tells what is kept"
            self._partition.await_state(what, partial(self._is_told, broker, kept))
        self._play.step(f"{brokers} tell what is kept: {kept}")

    def _is_told(self, broker: int, kept: PartitionState) -> bool:
        where, cluster = self._partition.where, self._play.cluster
        kafka = cluster.kafka
        if (
            kafka.kraft
        ):  # else it is /brokers/topics/TOPIC/partitions/NUMBER/state, and nowhere else
            log = MetadataLog(cluster.files.log_dir(broker), self._schemas)
            if _known(log.partition(where)) != _known(kept):
                return False
        epoch = kept.leader_epoch if kafka.at_least("2.1") else UNTOLD
        told = cluster.probe(broker).partitions(where.topic)  # none: it has not heard of it yet
        found = [(each.leader, tuple(sorted(each.isr)), each.leader_epoch) for each in told]
        return found == [(kept.leader, kept.isr, epoch)]


def _known(state: PartitionState | None) -> object:
    return state and (state.leader, state.isr, state.leader_epoch, state.replicas, state.elr)
