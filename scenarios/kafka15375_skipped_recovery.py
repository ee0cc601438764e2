"""KAFKA-15375: a broker that could not start says that it was stopped in an orderly way."""

from highwater.faults.flip_bit import FlipBit
from highwater.faults.kill import Kill
from highwater.faults.pause_metadata import PauseMetadata
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.checkpoints import stopped_cleanly
from highwater.harness.scenario import scenario


@scenario(
    source="KAFKA-15375",
    reproduces=">=3.3,<3.5.2",
    modes=("kraft",),
    ablations=("PauseMetadata",),
    claims=("stuck-reader", "corrupt-value", "replica-divergence"),
    settings={"initial.broker.registration.timeout.ms": "5000"},
    topic_settings={"min.insync.replicas": "2"},
)
def kafka15375_skipped_recovery(play: Play, partition: Partition) -> None:
    """A power loss damages a log, and a controller that is silent keeps it from being mended.

    A follower loses power. The last batch in its log is damaged, and nothing says that the broker
    was stopped in an orderly way: its next start would look through the log and cut it. But the
    controller does not answer, and the broker gives up before it has looked at any log. Up to 3.5.1
    it leaves the mark of an orderly stop behind, and the start after that goes by the mark. The
    damaged batch counts as good, the broker joins the ISR and leads, and no reader gets past it.

    From 3.5.2 on only those directories are marked whose logs have been loaded.
    """
    leader, damaged, other = partition.replicas
    partition.prefer(damaged, leader, other)
    partition.send(5)
    batch = partition.send(5)
    partition.require_acked(batch)
    everywhere = dict.fromkeys(partition.replicas, batch.end_offset)
    partition.await_offsets("ten records, committed on all three", everywhere, everywhere)
    dead = play.inject(Kill(damaged))
    partition.await_isr(leader, other)
    play.inject(FlipBit(damaged, partition.where, batch.first_offset))

    log_dir, nodes = play.cluster.files.log_dir(damaged), play.cluster.nodes
    partition.require("nothing says that it was stopped", not stopped_cleanly(log_dir))
    silent = play.inject(PauseMetadata())
    nodes.start(damaged)
    partition.await_state("the broker gives up", lambda: not nodes.running(damaged), 60.0)
    marked = "is" if stopped_cleanly(log_dir) else "is not"
    play.step(f"it {marked} marked as stopped in an orderly way")
    play.heal(silent)
    play.heal(dead)
    partition.await_isr(*partition.replicas)
    partition.move_leader(damaged)
    partition.await_leader(damaged, isr=partition.replicas)
    partition.read()
    partition.move_leader(leader)
    partition.await_leader(leader, isr=partition.replicas)
