"""Any client: a member of a group is frozen for longer than its session, and wakes."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_member import any_member
from highwater.scenarios.acts.reading import RECORDS, reading
from highwater.scenarios.acts.settled_group import busy
from highwater.scenarios.acts.variants import failing


@failing("platformatic")
@any_member(
    "KIP-62: session.timeout.ms; Kafka's protocol guide: ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID",
    tolerates="who was frozen finishes the record that it was at when it thaws",
)
def client_member_freezes(play: Play, partition: Partition) -> None:
    """A member that wakes when its partition is somebody else's commits nothing any more.

    It is stopped (SIGSTOP) at its work, and its session ends. The other member goes on at the
    position that was committed, and does all the rest. Then the first one wakes, finishes what it
    was at and asks for a commit of it: its generation is over, and the coordinator refuses. The
    position does not go back, and the two share the work again.
    """
    with reading(play, partition) as billing:
        frozen = busy(partition, billing)
        with frozen.paused():
            (heir,) = [each for each in billing.members if each is not frozen]
            partition.await_state(
                "the other one has committed the rest",
                lambda: heir.is_well() and heir.committed.get(partition.where) == RECORDS,
                60.0,
            )
        billing.await_assigned()
