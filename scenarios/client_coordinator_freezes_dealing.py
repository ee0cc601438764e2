"""Any client: the coordinator of its group freezes in a rebalance, and wakes."""

from highwater.faults.aimed import Aimed
from highwater.faults.pause import Pause
from highwater.faults.targets import OFFSETS, Coordinator
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import SHORT_SESSIONS
from highwater.scenarios.acts.any_member import any_member
from highwater.scenarios.acts.dealt_anew import asked_for_a_place
from highwater.scenarios.acts.moved_coordinator import await_coordinated, coordinator_is
from highwater.scenarios.acts.reading import await_committed, reading
from highwater.scenarios.acts.settled_group import busy


@any_member(
    "Kafka's protocol guide: JoinGroup, NOT_COORDINATOR; request.timeout.ms",
    settings=SHORT_SESSIONS,
    gated_clients=True,
    tolerates="who waits for one that is frozen is missed, and finishes the record that it was at",
)
def client_coordinator_freezes_dealing(play: Play, partition: Partition) -> None:
    """A member that nobody answers asks the next coordinator for a place, and goes on.

    The idle member is killed, and the other one asks for a place in the next generation. That
    stands at the gate as the coordinator freezes (SIGSTOP), and arrives: its connection is there,
    and nobody reads. Another replica coordinates. Nothing is left out, and no position goes back.
    """
    first, *others = partition.replicas
    home = play.cluster.metadata.partition(OFFSETS).replicas
    with reading(play, partition, [*others, first]) as billing:
        member = busy(partition, billing)
        place = asked_for_a_place(play, partition, billing, member)
        frozen = play.inject(Aimed(Coordinator(), Pause))
        play.heal(place)
        await_coordinated(play, partition, (first, *others[1:]))
        play.heal(frozen)
        more = partition.send(10)
        await_committed(play, partition, billing, more.end_offset)
    coordinator_is(play, home)
