"""Ten records are on every replica, and of these one broker runs."""

from highwater.faults.stop import Stop
from highwater.harness.model import Proof
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.workloads.sent import Sent


def is_passed_over(partition: Partition, broker: int) -> bool:
    """Whether nobody leads, and others may, but not this one (KIP-966): who ended uncleanly."""
    state = partition.state()
    return state.leader == -1 and bool(state.elr) and broker not in state.elr


def alone_with_ten(
    play: Play, partition: Partition, *, one_batch: bool = True
) -> tuple[Sent, list[Proof]]:
    """All but the first replica are stopped in order when all have ten: the ISR is the first."""
    first, *others = partition.replicas
    batch = partition.send(10, one_batch=one_batch)
    partition.require_acked(batch)
    ends = dict.fromkeys(partition.replicas, batch.end_offset)
    partition.await_offsets("all replicas have ten records, committed", ends, ends)
    down = [play.inject(Stop(each)) for each in others]
    partition.await_isr(first)
    return batch, down
