"""Kafka 4: a coordinator answers while it reads its log, as an older reading of it has ended."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.positions import group_position
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.assigned_by_hand import commit_once
from highwater.scenarios.acts.read_twice import AT_ONCE, group_of, long_to_read, reads_twice


@scenario(
    source="CoordinatorRuntime of Kafka 4.4.0, found by a search",
    reproduces=">=4.0",
    plays_on=">=3.0",  # before, it may not coordinate any more: KAFKA-10614
    claims=("commit-regression",),
    settings=AT_ONCE,
)
def answers_before_it_has_read(play: Play, partition: Partition) -> None:
    """A position was confirmed, and whoever takes over is told that there is none.

    The log of a coordinator takes seconds to read. It has begun to read it when another broker is
    elected, and then itself again: it begins once more, behind what it reads already. From 4.0 on
    it takes the end of the first reading for that of the second, and answers as long as that goes
    on, with what it knows by then. Nothing is slow, lost or cut off: leaders move, nothing else.
    """
    leader, group = partition.replicas[0], group_of(play)
    name = group.removeprefix(f"{play.topics[0].name}-")
    partition.require_acked(partition.send(10))
    with long_to_read(play, partition) as (wire, took_s):
        confirmed = commit_once(play, partition, 10, leader, name) is None
        partition.require("position 10 is confirmed", confirmed)
        told = reads_twice(play, partition, wire, took_s)
        partition.await_state(
            "all is read", lambda: group_position(wire, group, partition.where) == 10
        )
        goes_on = commit_once(play, partition, told or 0, leader, name) is None
        partition.require(f"whoever takes it over begins at {told}", goes_on)
