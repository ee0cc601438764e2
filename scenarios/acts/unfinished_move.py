"""Replicas are asked to move, and nobody waits until they have."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play


def begin_move(play: Play, partition: Partition, *brokers: int) -> None:
    """Ask for these replicas instead; those that go and those that come are looked at alike."""
    old = partition.state().replicas
    play.step(f"the replicas of {partition.where} shall move from {old} to {brokers}")
    play.scene.sampler.watch(partition.where, sorted({*old, *brokers}))
    play.cluster.metadata.begin_reassignment(partition.where, brokers)
    partition.replicas = brokers


def await_moved(play: Play, partition: Partition) -> None:
    """Wait until the replicas that were asked for are there, all in sync, and no other is."""

    def has_moved() -> bool:
        state = partition.state()
        isr = tuple(sorted(partition.replicas))
        return (state.replicas, state.isr) == (partition.replicas, isr)

    partition.await_state(f"the replicas have moved to {partition.replicas}", has_moved)
    play.scene.sampler.watch(partition.where, partition.replicas)
