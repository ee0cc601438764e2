"""Replicas are asked to move, and nobody waits until they have."""

from collections.abc import Sequence
from functools import partial

from highwater.faults.targets import Controller
from highwater.harness.metadata import changes
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.by_hand import wires


def begin_move(play: Play, partition: Partition, *brokers: int) -> None:
    """Ask for these replicas instead; those that go and those that come are looked at alike."""
    old = partition.state().replicas
    play.step(f"the replicas of {partition.where} shall move from {old} to {brokers}")
    play.scene.sampler.watch(partition.where, sorted({*old, *brokers}))
    play.scene.moves.watch(partition.where)
    play.cluster.metadata.begin_reassignment(partition.where, brokers)
    partition.replicas = brokers


def is_under_way(partition: Partition, old: Sequence[int]) -> bool:
    """Whoever had the replicas is in sync, nobody else is, and those that come are listed too."""
    state = partition.state()
    listed = {*state.replicas} == {*old, *partition.replicas}
    return listed and state.isr == tuple(sorted(old)) and state.leader in old


def await_moved(play: Play, partition: Partition) -> None:
    """Wait until the replicas that were asked for are there, all in sync, and no other is."""

    def has_moved() -> bool:
        state = partition.state()
        isr = tuple(sorted(partition.replicas))
        return (state.replicas, state.isr) == (partition.replicas, isr)

    partition.await_state(f"the replicas have moved to {partition.replicas}", has_moved)
    play.scene.sampler.watch(partition.where, partition.replicas)


def take_back_move(play: Play, partition: Partition, before: Sequence[int]) -> None:
    """Ask for no move any more (KIP-455), and wait until who had the replicas has them again."""
    where, cluster = partition.where, play.cluster
    play.step(f"the replicas of {where} shall not move any more")
    asked = before[0] if cluster.kafka.kraft else Controller().broker(cluster)
    with wires(play, asked) as (wire,):
        change = changes.reassignment(where, None)
        change.settle(partial(change.ask, wire), lambda: False)
    what = f"{sorted(before)} have the replicas again, and nobody else"
    partition.await_state(what, lambda: {*partition.state().replicas} == {*before})
    partition.replicas = partition.state().replicas
    play.scene.sampler.watch(where, partition.replicas)
