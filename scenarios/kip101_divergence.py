"""KIP-101, scenario 2: replicas that differ for ever, and nobody notices."""

from highwater.faults.kill import Kill
from highwater.faults.power_loss import PowerLoss
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ACKS_ONE

UNFLUSHED = "every replica lost power, and the one that led first had not flushed"


@scenario(
    source="KIP-101, scenario 2; KAFKA-1211",
    reproduces="<0.11",
    restored_by=("ibp=0.11.0-IV1",),
    claims=("replica-divergence",),
    replicas=2,
    settings={"replica.high.watermark.checkpoint.interval.ms": "200"},
    topic_settings={"min.insync.replicas": "1"},
    tolerates={
        "lost-write": UNFLUSHED,
        "committed-truncation": UNFLUSHED,
    },
)
def kip101_divergence(play: Play, partition: Partition) -> None:
    """Both replicas lose power, the shorter one leads first, and their logs differ for ever.

    Two replicas hold the same ten records. Both lose power; the second one also loses the four
    records that it had not flushed. It is the last member of the ISR, comes back first, leads by a
    clean election and takes new records in place of the lost ones. When the first replica returns,
    its log is shorter than the leader's: before 0.11 it goes on fetching behind its old records,
    joins the ISR, and differs from the leader below the high watermark.

    From 0.11 on it learns by the leader epoch where the logs part, and cuts its own there.
    """
    longer, shorter = partition.replicas
    old = partition.send(10, ACKS_ONE, one_batch=False)
    end = old.end_offset
    everywhere = dict.fromkeys(partition.replicas, end)
    partition.await_offsets("both replicas have ten records, all committed", everywhere, everywhere)
    partition.await_checkpoint(longer, end)

    dead = play.inject(Kill(longer))
    partition.await_leader(shorter, isr=(shorter,))
    cut = play.inject(PowerLoss(shorter, partition.where, log_end_offset=end - 4))
    partition.await_nobody_leads()

    play.heal(cut)
    partition.await_leader(shorter, isr=(shorter,))
    partition.require_offsets("it leads without the last four records", {shorter: end - 4})
    new = partition.send(6, ACKS_ONE, one_batch=False, to=shorter)
    partition.require_acked(new)
    partition.require_offsets("its log has grown past the other one's", {shorter: end + 2})
    play.heal(dead)
