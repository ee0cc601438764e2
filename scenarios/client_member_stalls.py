"""Any client: a member of a group is busy for longer than it may be, and comes back."""

from highwater.harness.foreign.lines import POLLING
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_member import any_member
from highwater.scenarios.acts.reading import BUSY_S, IMPATIENT, RECORDS, reading
from highwater.scenarios.acts.settled_group import busy
from highwater.scenarios.acts.variants import calm


@calm("client-polling-undisturbed")
@any_member(
    "KIP-62: max.poll.interval.ms; Kafka's documentation, 4.5: The Consumer",
    who=POLLING,
    tolerates="who was busy finishes what it was at, though it is somebody else's already",
)
def client_member_stalls(play: Play, partition: Partition) -> None:
    """A member whose application is busy for too long is put out of its group, and comes back.

    Its library sends heartbeats all the while, so that its session never ends; but nobody asks it
    for more within max.poll.interval.ms, and it leaves the group. The other member goes on at the
    position that was committed, and does the rest. Then the first one has finished what it was at,
    and asks for a commit of it: it is in no group, and the position does not go back. At its next
    poll it hears what has become of it, and joins again.
    """
    with reading(play, partition, settings=IMPATIENT) as billing:
        stalled = busy(partition, billing)
        (heir,) = [each for each in billing.members if each is not stalled]
        stalled.keep_busy(BUSY_S)
        partition.await_state(
            "the other one has committed the rest",
            lambda: heir.is_well() and heir.committed.get(partition.where) == RECORDS,
            60.0,
        )
        partition.require("who was busy has not heard of it", bool(stalled.assigned))
        deals = stalled.deals
        partition.await_state(
            "who was busy has come back",
            lambda: stalled.is_well() and stalled.deals > deals,
            60.0,
        )
        billing.await_assigned()
