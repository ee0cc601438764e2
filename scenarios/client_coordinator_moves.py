"""Any client: the coordinator of its group moves in a commit, and in a rebalance."""

from highwater.faults.hold_asked import HoldAsked
from highwater.faults.targets import OFFSETS
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_member import any_member
from highwater.scenarios.acts.dealt_anew import asked_for_a_place
from highwater.scenarios.acts.moved_coordinator import coordinator_is
from highwater.scenarios.acts.reading import await_committed, reading
from highwater.scenarios.acts.settled_group import busy


@any_member("Kafka's protocol guide: NOT_COORDINATOR, REBALANCE_IN_PROGRESS", gated_clients=True)
def client_coordinator_moves(play: Play, partition: Partition) -> None:
    """A commit, and a request for a place in the group, come to who coordinates no more.

    The commit stands at the gate while another replica of the group's partition of
    __consumer_offsets becomes its leader, and arrives at the last one, which refuses it. The member
    looks for the next one, and commits there. Then the idle member is killed: as its session ends
    the other one asks for a place in the next generation, and that stands while the coordinator
    moves back. Nothing is left out, and no position goes back.
    """
    metadata, (one, other, third) = play.cluster.metadata, partition.replicas
    home = metadata.partition(OFFSETS).replicas
    with reading(play, partition, [one, other, third]) as billing:
        member = busy(partition, billing)
        commit = play.inject(HoldAsked("OffsetCommit", member.name, Trigger("once")))
        play.await_standing([commit])
        partition.require("the member has what it had", bool(member.assigned))
        coordinator_is(play, [other, one, third])
        play.heal(commit)
        await_committed(play, partition, billing, billing.committed + 3)
        place = asked_for_a_place(play, partition, billing, member)
        coordinator_is(play, [one, other, third])
        play.heal(place)
        more = partition.send(10)
        await_committed(play, partition, billing, more.end_offset)
    coordinator_is(play, home)
