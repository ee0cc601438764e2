"""What is known of a topic when nothing is to happen to it any more: settled, read, and kept.

Right after a leader change the new leader's high watermark is still an old one, and a reader
bounded by it would report losses that are not there. So nothing is read before LEO = HW on every
replica and the ISR is full; whether that was so before and after the read is kept as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from highwater.harness.cluster import FILES
from highwater.harness.errors import DeadlineError, RecordError
from highwater.harness.log_dirs import replica_dir
from highwater.harness.model import TopicPartition
from highwater.harness.partition import Partition
from highwater.harness.probes.checkpoints import EpochStart, read_leader_epochs
from highwater.harness.probes.segments import Entry, log_entries
from highwater.harness.replica_logs import Logs
from highwater.harness.sampling import Look
from highwater.harness.scene import Scene
from highwater.harness.tables import REPLICA_LOGS
from highwater.harness.topic import Topic
from highwater.harness.wait import wait_until
from highwater.harness.workloads.reader import read_to_end

SETTLE_TIMEOUT_S = 60.0
AFTER = f"after {SETTLE_TIMEOUT_S:.0f} s"
PART_ROWS = 250_000  # of replica_logs
TOLD = 5  # partitions that did not settle


def settle(scene: Scene, topic: Topic) -> None:
    what = f"LEO = HW on every replica of {topic.described}, and a full ISR"
    open_ones = [partition.where for partition in topic]
    sampler = scene.sampler

    def settled() -> bool:
        seen = sampler.look_at(open_ones)
        open_ones[:] = [where for where in open_ones if not is_settled(seen[where])]
        return not open_ones

    try:
        wait_until(settled, what, SETTLE_TIMEOUT_S)
    except DeadlineError as error:
        looks = sampler.look_at(open_ones).items()
        doubts = [(unsettled(where, seen, AFTER), seen) for where, seen in looks]
        doubtful = [(doubt, seen) for doubt, seen in doubts if doubt]
        for doubt, seen in doubtful[:TOLD]:
            scene.record.event("note", doubt, **seen.described())
        if doubtful:
            raise DeadlineError(_first([doubt for doubt, _ in doubtful])) from error
        scene.record.event("note", f"settled late: {what}")
        return
    scene.record.event("note", f"settled: {what}", **topic[0].look().described())


def read(scene: Scene, topic: Topic) -> None:
    """Once more where something was written meanwhile: a transaction that timed out, say."""
    doubts = _doubts_after_reading(scene, topic)
    if doubts:
        scene.note(f"{topic.described} is settled and read once more: {_first(doubts)}")
        settle(scene, topic)
        doubts = _doubts_after_reading(scene, topic)
    if doubts:
        raise DeadlineError(_first(doubts))


def _doubts_after_reading(scene: Scene, topic: Topic) -> list[str]:
    wheres = [partition.where for partition in topic]
    try:
        reached = read_to_end(scene.source, wheres)
    except DeadlineError as error:
        scene.record.event("read", f"the final read failed: {error}")
        raise DeadlineError(f"the final read failed: {error}") from error
    ends = {str(each.partition): position for each, position in reached.items()}
    to = f"offset {reached[wheres[0]]}" if len(wheres) == 1 else "their ends"
    scene.record.event("read", f"read {topic.described} to {to}", positions=ends)
    looks = scene.sampler.look_at(wheres).items()
    return [doubt for each in looks if (doubt := unsettled(*each, "after the final read"))]


def _first(doubts: Sequence[str]) -> str:
    more = f" (and {len(doubts) - 1} partitions more)" if len(doubts) > 1 else ""
    return doubts[0] + more


def keep(scene: Scene, topics: Sequence[Topic], *, settled: bool) -> None:
    """Record what every replica holds; whether they had `settled` stands beside it.

    Of a cluster whose files are out of reach that is what brokers say of their replicas. Their ends
    are written last: where a kill leaves a part of a log, nobody takes it for the whole.
    """
    ends = [row for topic in topics for row in _ends(scene, topic, settled=settled)]
    if FILES in scene.cluster.has:
        _keep_files_of(scene, [partition for topic in topics for partition in topic])
    scene.record.table("replica_ends", ends)


def _keep_files_of(scene: Scene, partitions: Sequence[Partition]) -> None:
    """What is in their logs, and in the checkpoints beside them."""
    replicas = [(each, broker) for each in partitions for broker in each.replicas]
    epochs = [leader_epochs(scene, *replica) for replica in replicas]
    parts = (_of_others(part, scene.foreign) for part in log_parts(scene, replicas))
    scene.record.parts("replica_logs", parts)
    told = zip(replicas, epochs, strict=True)
    rows = [row for replica, starts in told for row in epoch_rows(scene, *replica, starts)]
    scene.record.table("epoch_checkpoints", rows)


def is_settled(seen: Look) -> bool:
    """One log end offset, which is also the high watermark, on all replicas; all in the ISR."""
    offsets = {*seen.ends().values(), *seen.high_watermarks().values()}
    in_sync = seen.partition is not None and set(seen.partition.isr) == set(seen.replicas)
    return in_sync and len(offsets) == 1 and None not in offsets


def unsettled(where: TopicPartition, seen: Look, when: str) -> str:
    """What was seen of replicas that have not settled, in words; nothing where they have."""
    if is_settled(seen):
        return ""
    ends, marks, partition = seen.ends(), seen.high_watermarks(), seen.partition
    said = ", ".join(f"{each}: LEO {ends[each]} and HW {marks[each]}" for each in seen.replicas)
    isr = f"the ISR is {set(partition.isr)}" if partition else "nobody knows the ISR"
    return (
        f"the replicas of {where} did not settle, so the final read proves nothing: "
        f"{when} {said}; {isr}; look at brokers/*/server.log of the run"
    )


def _ends(scene: Scene, topic: Topic, *, settled: bool) -> Iterator[dict[str, Any]]:
    looks = scene.sampler.look_at([partition.where for partition in topic])
    starts = {each: _log_starts(scene, topic, each) for each in scene.cluster.brokers}
    for where, seen in looks.items():
        for broker, state in seen.replicas.items():
            yield {
                "broker": broker,
                "topic": where.told_as,
                "partition": where.partition,
                "log_start_offset": starts[broker].get(where),
                "log_end_offset": state.log_end_offset,
                "high_watermark": state.high_watermark,
                "is_leader": seen.partition is not None and seen.partition.leader == broker,
                "in_isr": seen.partition is not None and broker in seen.partition.isr,
                "leader_epoch": seen.partition.leader_epoch if seen.partition else None,
                "settled": settled,
                "topic_id": seen.partition.topic_id if seen.partition else None,
            }


def _log_starts(scene: Scene, topic: Topic, broker: int) -> Mapping[TopicPartition, int]:
    """Of the replicas of which the broker tells it now."""
    here = [partition.where for partition in topic if broker in partition.replicas]
    try:
        return scene.cluster.probe(broker).log_start_offsets(here)
    except (OSError, LookupError):
        return {}


def log_parts(scene: Scene, replicas: Iterable[tuple[Partition, int]]) -> Iterator[pa.Table]:
    """Parts of `replica_logs`, from the segment files of replicas; at least one."""
    logs = Logs(scene.record.history.patterns)
    for partition, brokers in groupby(replicas, itemgetter(0)):
        of_each = [_entries_of(scene, partition, broker) for _, broker in brokers]
        for broker, entry in merge(*of_each, key=lambda each: each[1].base_offset):
            logs.add(broker, partition.where, entry)
            if len(logs) >= PART_ROWS:
                yield logs.take()
    yield logs.take()


def _of_others(part: pa.Table, foreign: Iterable[str]) -> pa.Table:
    """The same with no value in topics in which no payload is ours."""
    if not foreign:
        return part
    theirs = pc.is_in(part["topic"], pa.array(sorted(foreign), pa.string()))
    values = pc.if_else(theirs, pa.scalar(None, pa.int64()), part["value"])
    return part.set_column(
        part.schema.get_field_index("value"), REPLICA_LOGS.field("value"), values
    )


def _entries_of(scene: Scene, partition: Partition, broker: int) -> Iterator[tuple[int, Entry]]:
    directory = replica_dir(scene.cluster, broker, partition.where)
    if directory.is_dir():
        yield from ((broker, entry) for entry in log_entries(directory))


def leader_epochs(scene: Scene, partition: Partition, broker: int) -> list[EpochStart]:
    """What one replica's checkpoint says; nothing where it is damaged, which is noted."""
    directory = replica_dir(scene.cluster, broker, partition.where)
    try:
        return read_leader_epochs(directory)
    except RecordError as error:
        scene.note(f"no leader epochs of broker {broker}: {error}")
        return []


def epoch_rows(
    scene: Scene, partition: Partition, broker: int, starts: Sequence[EpochStart]
) -> Iterator[dict[str, Any]]:
    """Rows of `epoch_checkpoints`, from what a checkpoint said before the log was read.

    One that says something else by now may not be of the log that was read, and is left out.
    """
    if starts and leader_epochs(scene, partition, broker) == starts:
        for start in starts:
            yield {
                "broker": broker,
                "topic": partition.where.told_as,
                "partition": partition.where.partition,
                "leader_epoch": start.epoch,
                "start_offset": start.start_offset,
            }
