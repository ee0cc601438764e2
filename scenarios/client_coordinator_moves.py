"""Any client: the coordinator of its group moves in a commit, and in a rebalance."""

from highwater.faults.hold_asked import HoldAsked
from highwater.faults.targets import OFFSETS
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_member import any_member
from highwater.scenarios.acts.moved_coordinator import coordinator_is
from highwater.scenarios.acts.reading import await_committed, reading
from highwater.scenarios.acts.settled_group import await_settled, busy

ONCE = Trigger("once")
SOON_S = 2.0  # a session of six seconds, and a heartbeat every three, end no sooner


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
        commit = play.inject(HoldAsked("OffsetCommit", member.name, ONCE))
        play.await_standing([commit])
        partition.require("the member has what it had", bool(member.assigned))
        coordinator_is(play, [other, one, third])
        play.heal(commit)
        await_committed(play, partition, billing, billing.committed + 3)
        await_settled(partition, billing)
        place = play.inject(HoldAsked("JoinGroup", member.name, ONCE))
        (idle,) = [each for each in billing.members if each is not member]
        idle.kill()
        killed_ns = play.record.now_ns()
        play.await_standing([place])
        waited_s = (play.record.now_ns() - killed_ns) / 1e9
        partition.require("it is the other's end that it is asked to join for", waited_s > SOON_S)
        coordinator_is(play, [one, other, third])
        play.heal(place)
        more = partition.send(10)
        await_committed(play, partition, billing, more.end_offset)
    coordinator_is(play, home)
