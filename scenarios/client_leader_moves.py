"""Any client: leadership moves to another broker and back while it sends."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.sending import await_more, sending


@scenario(
    source="Kafka's documentation, 4.4: The Producer; preferred leader election",
    claims=("lost-write", "duplicate", "inconsistent-offsets", "stalled-sends"),
    plays_on=">=0.11",  # since then producers are idempotent
    any_client=True,
    gated_clients=True,
    topic_settings={"min.insync.replicas": "2"},
)
def client_leader_moves(play: Play, partition: Partition) -> None:
    """A client follows the leader, and nothing is lost, repeated or delayed for long.

    Leadership moves to the second replica and back again, as an operator has it. Nobody dies: who
    led before answers that it leads no more, and the client asks who does.
    """
    first, second, _third = partition.replicas
    with sending(play, partition) as load:
        for heir in (second, first):
            partition.move_leader(heir)
            partition.await_leader(heir)
            await_more(play, partition, load)
