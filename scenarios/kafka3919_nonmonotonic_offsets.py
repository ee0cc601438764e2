"""KAFKA-3919: a log in which offsets go back, so that its broker may refuse to start."""

from highwater.faults.kill import Kill
from highwater.faults.power_loss import PowerLoss
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ACKS_ONE, ProducerSettings

COMPRESSED = ProducerSettings(acks="1", compression="gzip")
UNFLUSHED = "every replica lost power, and the one that led first had not flushed"


@scenario(
    source="KAFKA-3919",
    reproduces="<0.11",
    claims=("offsets-out-of-order",),
    replicas=2,
    settings={"replica.high.watermark.checkpoint.interval.ms": "200"},
    topic_settings={"min.insync.replicas": "1"},
    tolerates={"committed-truncation": UNFLUSHED, "replica-divergence": "offsets are there twice"},
)
def kafka3919_nonmonotonic_offsets(play: Play, partition: Partition) -> None:
    """A compressed batch is appended behind the records that it overlaps.

    As when logs diverge: both replicas lose power, the one that leads first lacks four unflushed
    records, and takes new ones in their place; but these are one compressed batch. The other
    replica's log ends in the middle of its offsets, fetches from there, and gets the whole batch,
    for a leader sends no halves. It appends it, and its offsets go back by four. A broker that
    has to rebuild the index of such a log refuses to start.

    From 0.11 on the replica cuts its log where the leader epochs part, before it fetches.
    """
    longer, shorter = partition.replicas
    end = partition.send(10, ACKS_ONE, one_batch=False).end_offset
    everywhere = dict.fromkeys(partition.replicas, end)
    partition.await_offsets("both replicas have ten records, all committed", everywhere, everywhere)
    partition.await_checkpoint(longer, end)

    dead = play.inject(Kill(longer))
    partition.await_leader(shorter, isr=(shorter,))
    cut = play.inject(PowerLoss(shorter, partition.where, log_end_offset=end - 4))
    partition.await_nobody_leads()
    play.heal(cut)
    partition.await_leader(shorter, isr=(shorter,))
    partition.require_acked(partition.send(6, COMPRESSED, to=shorter))
    partition.require_offsets("one batch reaches over the other one's end", {shorter: end + 2})
    play.heal(dead)
