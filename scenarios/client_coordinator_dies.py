"""Any client: the coordinator of its group dies while its members commit."""

from highwater.faults.aimed import Aimed
from highwater.faults.kill import Kill
from highwater.faults.targets import OFFSETS, Coordinator
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import SHORT_SESSIONS
from highwater.scenarios.acts.any_member import any_member
from highwater.scenarios.acts.moved_coordinator import await_coordinated, coordinator_is
from highwater.scenarios.acts.reading import await_committed, reading


@any_member("Kafka's protocol guide: FindCoordinator, NOT_COORDINATOR", settings=SHORT_SESSIONS)
def client_coordinator_dies(play: Play, partition: Partition) -> None:
    """A group whose coordinator dies finds the next one, and goes on committing where it was.

    The broker that leads the group's partition of __consumer_offsets is killed, which has a replica
    of what the group reads and does not lead it. Another replica has all positions. Members are to
    look for it by themselves, say that they are there, and commit what they have done meanwhile.
    """
    first, *others = partition.replicas
    home = play.cluster.metadata.partition(OFFSETS).replicas
    with reading(play, partition, [*others, first]) as billing:
        await_committed(play, partition, billing, billing.committed + 3)
        killed = play.inject(Aimed(Coordinator(), Kill))
        await_coordinated(play, partition, (first, *others[1:]))
        await_committed(play, partition, billing, billing.committed + 3)
        play.heal(killed)
    coordinator_is(play, home)
