"""Any client: leadership moves to another broker and back while it sends."""

from highwater.faults.hold_asked import HoldAsked
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.sending import await_more, sending


@any_client("Kafka's documentation, 4.4: The Producer; preferred leader election")
def client_leader_moves(play: Play, partition: Partition) -> None:
    """A client follows the leader, and nothing is lost, repeated or delayed for long.

    Leadership moves to the second replica and back again, as an operator has it, each time with a
    request under way to who led before. Nobody dies: that one answers that it leads no more, and
    the client asks who does.
    """
    first, second, _third = partition.replicas
    with sending(play, partition) as load:
        for heir in (second, first):
            under_way = play.inject(HoldAsked("Produce", load.name, Trigger("once")))
            play.await_standing([under_way])
            partition.move_leader(heir)
            partition.await_leader(heir)
            play.heal(under_way)
            await_more(play, partition, load)
