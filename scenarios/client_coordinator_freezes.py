"""Any client: the coordinator of its group freezes with a commit in its hands, and wakes."""

from highwater.faults.aimed import Aimed
from highwater.faults.hold_asked import HoldAsked
from highwater.faults.pause import Pause
from highwater.faults.targets import OFFSETS, Coordinator
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import SHORT_SESSIONS
from highwater.scenarios.acts.any_member import any_member
from highwater.scenarios.acts.moved_coordinator import await_coordinated, coordinator_is
from highwater.scenarios.acts.reading import await_committed, reading
from highwater.scenarios.acts.settled_group import busy


@any_member(
    "Kafka's protocol guide: FindCoordinator, NOT_COORDINATOR; request.timeout.ms",
    settings=SHORT_SESSIONS,
    gated_clients=True,
    tolerates="who waits for one that is frozen is missed, and finishes the record that it was at",
)
def client_coordinator_freezes(play: Play, partition: Partition) -> None:
    """A commit that nobody answers is made with the next coordinator, and stays made.

    The commit stands at the gate, the coordinator freezes (SIGSTOP), and the commit arrives: its
    connection is there, and nobody reads. Another replica coordinates, with all positions but this
    one. The member has to give up waiting by itself. When the first one wakes it reads a commit of
    long ago, and coordinates nothing: no position goes back.
    """
    first, *others = partition.replicas
    home = play.cluster.metadata.partition(OFFSETS).replicas
    with reading(play, partition, [*others, first]) as billing:
        member = busy(partition, billing)
        commit = play.inject(HoldAsked("OffsetCommit", member.name, Trigger("once")))
        play.await_standing([commit])
        partition.require("the member has what it had", bool(member.assigned))
        frozen = play.inject(Aimed(Coordinator(), Pause))
        play.heal(commit)
        await_coordinated(play, partition, (first, *others[1:]))
        await_committed(play, partition, billing, billing.committed + 3)
        play.heal(frozen)
        more = partition.send(10)
        await_committed(play, partition, billing, more.end_offset)
    coordinator_is(play, home)
