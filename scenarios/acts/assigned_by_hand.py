"""Somebody reads a partition that no group has dealt out, and keeps the position as one."""

from highwater.faults.targets import OFFSETS
from highwater.harness.clients.standalone import Standalone
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.positions import commit_position
from highwater.harness.probes.replicas import ReplicaProbe
from highwater.scenarios.acts.by_hand import wires

A_DAY_S = 24 * 3600


def commit(play: Play, partition: Partition, position: int, name: str = "assigned") -> None:
    """At whoever coordinates, until it is confirmed."""
    where, group = partition.where, _group(play, name)
    kept, asked = Standalone(play.record, group, name, where), _coordinator(play)

    def send() -> None:
        asked.commit_position(group, where, position, kept_s=A_DAY_S)

    partition.await_state(
        f"position {position} of {name} is confirmed", lambda: kept.commit(position, send) is None
    )


def commit_once(
    play: Play, partition: Partition, position: int, broker: int, name: str = "assigned"
) -> str | None:
    """By one request to this broker; returns why it was not confirmed, None where it was."""
    where, group = partition.where, _group(play, name)
    with wires(play, broker) as (wire,):
        return Standalone(play.record, group, name, where).commit(
            position, lambda: commit_position(wire, group, where, position, kept_s=A_DAY_S)
        )


def position_told(play: Play, partition: Partition) -> int:
    """By whoever coordinates, when it has read its log; 0 where it knows of none."""
    told: list[int | None] = []

    def ask() -> bool:
        told.append(_coordinator(play).group_position(_group(play), partition.where))
        return True

    partition.await_state("the coordinator has read its log, and tells a position", ask)
    play.step(f"whoever takes it over is told {told[-1]}")
    return told[-1] or 0


def _group(play: Play, name: str = "assigned") -> str:
    return f"{play.topics[0].name}-{name}"


def _coordinator(play: Play) -> ReplicaProbe:
    return play.cluster.probe(play.cluster.metadata.partition(OFFSETS).leader)
