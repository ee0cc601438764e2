"""Of what several brokers believe of partitions, what is newest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from highwater.harness.gate.metadata import KnownPartition
from highwater.harness.model import PartitionState, TopicPartition

Key = tuple[str, int]  # a partition, as brokers name it
View = list[tuple[str, tuple[KnownPartition, ...]]]  # by topic, what one broker says


def newest(
    views: Mapping[int, View], ids: Mapping[str, str], wheres: tuple[TopicPartition, ...]
) -> Mapping[TopicPartition, PartitionState]:
    """The newest view of each partition, without those of which there is none.

    Among equal epochs it is the leader's own.
    """
    known: dict[Key, list[tuple[int, KnownPartition]]] = defaultdict(list)
    for broker, view in views.items():
        for topic, partitions in view:
            for each in partitions:
                known[topic, each.partition].append((broker, each))
    found = {where: known[where.topic, where.partition] for where in wheres}
    return {where: _newest_of(seen, ids.get(where.topic)) for where, seen in found.items() if seen}


def _newest_of(views: Sequence[tuple[int, KnownPartition]], topic_id: str | None) -> PartitionState:
    _, chosen = max(views, key=lambda view: (view[1].leader_epoch, view[0] == view[1].leader))
    return PartitionState(
        leader=chosen.leader,
        leader_epoch=chosen.leader_epoch,
        isr=tuple(sorted(chosen.isr)),
        replicas=chosen.replicas,
        elr=tuple(sorted(chosen.elr)),
        topic_id=topic_id,
    )
