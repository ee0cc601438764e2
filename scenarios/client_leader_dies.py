"""Any client: the leader that it sends to is killed."""

from highwater.faults.hold_asked import HoldAsked
from highwater.faults.kill import Kill
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import SHORT_SESSIONS, any_client
from highwater.scenarios.acts.sending import await_more, sending


@any_client(
    "Kafka's documentation, 4.7: Replication; acks=all, min.insync.replicas",
    settings=SHORT_SESSIONS,
)
def client_leader_dies(play: Play, partition: Partition) -> None:
    """A client whose leader is killed finds the next one, and what was acknowledged is there.

    A request stands in the network when the leader is killed. The others agree on a leader of the
    ISR. The client is told who leads by whichever broker it asks, and sends again what it has no
    answer for.
    """
    with sending(play, partition) as load:
        under_way = play.inject(HoldAsked("Produce", load.name, Trigger("once")))
        play.await_standing([under_way])
        play.inject(Kill(partition.leader))
        play.heal(under_way)
        partition.await_leader(partition.replicas[1])
        await_more(play, partition, load)
