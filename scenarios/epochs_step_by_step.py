"""The file in which a replica notes which leader wrote from which offset on."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.noted_epochs import noted_epochs


@scenario(
    source="KIP-101: leader-epoch-checkpoint",
    plays_on=">=0.11",  # there is no such file before
    claims=("epoch-checkpoint", "leader-epoch-order", "replica-divergence"),
    topic_settings={"min.insync.replicas": "2"},
)
def epochs_step_by_step(play: Play, partition: Partition) -> None:
    """Leadership goes round three times, and every replica's file grows by a line each time.

    A line is a leader epoch and the offset of its first record. Each leader writes a batch, longer
    by one than the last; when the followers have fetched it their files say the same as the
    leader's: who wrote what, agreed upon without a vote.
    """
    grown: list[tuple[int, int]] = []
    end = 0
    for turn, leader in enumerate((*partition.replicas, partition.replicas[0])):
        if turn:
            partition.move_leader(leader)
        epoch = partition.await_leader(leader, isr=partition.replicas).leader_epoch
        grown.append((epoch, end))
        batch = partition.send(turn + 1)
        partition.require_acked(batch)
        end = batch.end_offset
        everywhere = dict.fromkeys(partition.replicas, end)
        partition.await_offsets(f"what {leader} wrote is everywhere", everywhere, everywhere)
        partition.await_state(
            f"every file says {grown}",
            lambda: all(
                noted_epochs(play, partition, each) == grown for each in partition.replicas
            ),
        )
        play.step(f"epoch {epoch} begins at offset {grown[-1][1]}, on every replica's disk")
