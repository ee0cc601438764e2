"""Any client: the coordinator of its group dies in a commit, and the next one in a rebalance."""

from highwater.faults.aimed import Aimed
from highwater.faults.hold_asked import HoldAsked
from highwater.faults.kill import Kill
from highwater.faults.targets import OFFSETS, Coordinator
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import SHORT_SESSIONS
from highwater.scenarios.acts.any_member import any_member
from highwater.scenarios.acts.dealt_anew import asked_for_a_place
from highwater.scenarios.acts.moved_coordinator import await_coordinated, coordinator_is
from highwater.scenarios.acts.reading import await_committed, reading
from highwater.scenarios.acts.settled_group import busy


@any_member(
    "Kafka's protocol guide: FindCoordinator, REBALANCE_IN_PROGRESS",
    settings=SHORT_SESSIONS,
    gated_clients=True,
)
def client_coordinator_dies_twice(play: Play, partition: Partition) -> None:
    """A commit, and a request for a place in the group, die with who coordinates.

    The commit stands at the gate as the coordinator is killed, and nobody is told what became of
    it. It is made with the next coordinator. Then the idle member is killed: as its session ends
    the other one asks for a place in the next generation, and that stands as its coordinator is
    killed. Another one deals anew. Nothing is left out, and no position goes back.
    """
    first, *others = partition.replicas
    home = play.cluster.metadata.partition(OFFSETS).replicas
    with reading(play, partition, [*others, first]) as billing:
        member = busy(partition, billing)
        commit = play.inject(HoldAsked("OffsetCommit", member.name, Trigger("once")))
        play.await_standing([commit])
        killed = play.inject(Aimed(Coordinator(), Kill))
        play.heal(commit)
        await_coordinated(play, partition, (first, *others[1:]))
        await_committed(play, partition, billing, billing.committed + 3)
        play.heal(killed)
        coordinator_is(play, [*others, first])
        place = asked_for_a_place(play, partition, billing, member)
        killed = play.inject(Aimed(Coordinator(), Kill))
        play.heal(place)
        await_coordinated(play, partition, (first, *others[1:]))
        more = partition.send(10)
        await_committed(play, partition, billing, more.end_offset)
        play.heal(killed)
    coordinator_is(play, home)
