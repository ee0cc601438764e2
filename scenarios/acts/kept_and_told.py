"""Where the state of a partition is written down, and what brokers say of it."""

from functools import partial

from highwater.harness.gate.messages.schemas import Schemas
from highwater.harness.model import PartitionState
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.metadata_log import MetadataLog
from highwater.harness.versions.jars import jars_named

UNTOLD = -1  # before 2.1 Metadata has no leader epoch


class KeptAndTold:
    """Of one partition; with KRaft each broker has a copy of what is kept."""

    def __init__(self, play: Play, partition: Partition) -> None:
        kafka = play.cluster.kafka
        self._play, self._partition = play, partition
        self._schemas = Schemas(jars_named(kafka, ["kafka-metadata"]) if kafka.kraft else [])

    def require_same(self, *brokers: int) -> None:
        """Each of these says what is kept, as soon as it has heard of it."""
        for broker in brokers:
            what = f"broker {broker} tells what is kept"
            self._partition.await_state(what, partial(self._is_told, broker))
        self._play.step(f"{brokers} tell what is kept: {self._kept(brokers[0])}")

    def _is_told(self, broker: int) -> bool:
        (told,) = self._play.cluster.probe(broker).partitions(self._partition.where.topic)
        kept = self._kept(broker)
        return (
            kept is not None
            and (told.leader, tuple(sorted(told.isr))) == (kept.leader, kept.isr)
            and told.leader_epoch in {UNTOLD, kept.leader_epoch}
        )

    def _kept(self, broker: int) -> PartitionState | None:
        where, cluster = self._partition.where, self._play.cluster
        if not cluster.kafka.kraft:  # /brokers/topics/TOPIC/partitions/NUMBER/state
            return cluster.metadata.partition(where)
        return MetadataLog(cluster.files.log_dir(broker), self._schemas).partition(where)
