"""KAFKA-10284: the next coordinator of a group knows a static member only as who it was before."""

from highwater.faults.targets import OFFSETS
from highwater.harness.clients.settings import ConsumerSettings
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.handed_over import await_handed_over
from highwater.scenarios.acts.moved_coordinator import coordinator_is

# Ten records a second; nobody is left out of the group while it is frozen.
SLOW = ConsumerSettings(static=True, processing_s=0.1, library={"session.timeout.ms": 45_000})


@scenario(
    source="KAFKA-10284; KIP-345",
    reproduces=">=2.3,<2.6.1",
    claims=("commit-regression",),
    plays_on=">=2.3",  # since then groups have static members
    topic_settings={"min.insync.replicas": "2"},
    tolerates={"two-owners": "who was frozen finishes the record that it was at when it thaws"},
)
def kafka10284_forgotten_member(play: Play, partition: Partition) -> None:
    """Commits of a process that was replaced are taken, and the one in its place is thrown out.

    A static member freezes in the middle of its work. Another process is started under its
    group.instance.id: the coordinator gives it the partition and a member id of its own, and it
    commits all forty records. Up to 2.6.0 the coordinator keeps that member id to itself. When
    another broker becomes the coordinator, it reads the old one in the offsets topic. The frozen
    process thaws and commits where it had been: the group's position goes back. The process that
    had taken its place is fenced instead (FENCED_INSTANCE_ID).

    From 2.6.1 on the new member id is written before the member hears of it.
    """
    end = partition.send(40).end_offset
    where, home = partition.where, play.cluster.metadata.partition(OFFSETS).replicas
    other, asked = partition.replicas[1], play.cluster.probe
    with play.group("slow", play.topics[0], settings=SLOW) as group:
        (frozen,) = group.members
        group.await_committed(3)
        with frozen.paused():
            successor = group.take_seat(frozen)
            partition.await_state(
                "all records are committed by the process that has taken its place",
                lambda: successor.committed.get(where) == end,
            )
            stood = frozen.committed[where]
            partition.require("the frozen one had not got there", stood < end, committed=stood)
            coordinator_is(play, [other])
            await_handed_over(
                partition, f"{partition.where.topic}-slow", asked(home[0]), asked(other)
            )
        partition.await_state(
            "of the two processes one commits again, or is told that it has been replaced",
            lambda: bool(frozen.fatal) or frozen.committed[where] > stood,
        )
        play.step(f"the one that was frozen {'is fenced' if frozen.fatal else 'goes on'}")
    coordinator_is(play, home)
