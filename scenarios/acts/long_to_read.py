"""A partition of the offsets topic that its next coordinator takes seconds to read."""

import time

from highwater.faults.targets import OFFSETS
from highwater.harness.errors import PreconditionError
from highwater.harness.gate.headers import PRODUCE
from highwater.harness.model import TopicPartition
from highwater.harness.play import Play
from highwater.harness.probes.coordinators import leave_group, offsets_partition
from highwater.harness.probes.wire import AnswerError, Wire
from highwater.harness.workloads.position_batches import ADMIN, position_batch
from highwater.harness.workloads.requests import CURRENT, Acks, produce_body, read_produced
from highwater.scenarios.acts.by_hand import PATIENCE_S

OTHERS = TopicPartition(OFFSETS.topic, 1)
TWO = {"offsets.topic.num.partitions": "2"}
EACH, LONG = 20_000, 600_000  # records of a batch, and of a log that is long to read
COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR = 14, 16


def named_into(partition: TopicPartition, prefix: str) -> str:
    """A name of a group whose positions are in this one of the two partitions."""
    names = (f"{prefix}-{number}" for number in range(100))
    return next(each for each in names if offsets_partition(each, 2) == partition.partition)


def is_long(play: Play, group: str, records: int = LONG) -> None:
    """Write one position of a group again and again, until so many records are there.

    What a play before has left there counts as well. A broker takes records of clients into its own
    topics from nobody but who calls himself as its tools do.
    """
    leader = play.cluster.metadata.partition(OTHERS).leader
    there = play.cluster.probe(leader).log_end_offset(OTHERS)
    play.step(f"{OTHERS} is to have {records:,} records, and has {there:,}")
    batch = position_batch(group, OTHERS, EACH, int(time.time() * 1000))
    wire = Wire.at(play.cluster.address(leader), PATIENCE_S, ADMIN)
    try:
        for _ in range(there, records, EACH):
            asked = produce_body(OTHERS, batch, Acks.ALL)
            code, _offset = read_produced(wire.ask(PRODUCE, CURRENT, asked))
            if code:
                raise PreconditionError(f"{OTHERS} takes no records: error {code}")
    finally:
        wire.close()


def is_being_read(wire: Wire, group: str) -> bool:
    """Whether the coordinator of this group reads still: so it says to one who is no member.

    Up to 1.1 it says until it has read all that it is no coordinator.
    """
    try:
        leave_group(wire, group, "nobody")
    except AnswerError as error:
        return error.code in {COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR}
    return False
