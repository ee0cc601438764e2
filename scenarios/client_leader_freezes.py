"""Any client: the leader that it sends to freezes, and comes back when another one leads."""

from highwater.faults.hold_produce import HoldProduce
from highwater.faults.pause import Pause
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import SHORT_SESSIONS, any_client
from highwater.scenarios.acts.sending import IMPATIENT, await_more, sending
from highwater.scenarios.acts.variants import calm, failing


@calm("client-impatient-undisturbed")
@failing("kafkajs")
@any_client(
    "Kafka's documentation, 4.7: Replication; request.timeout.ms",
    settings=SHORT_SESSIONS,
)
def client_leader_freezes(play: Play, partition: Partition) -> None:
    """A client whose leader is frozen goes on with the next one, and nothing is lost when it wakes.

    A request is on its way when the leader is stopped (SIGSTOP): its sockets take what is sent, and
    nobody reads it. Another replica of the ISR leads then. In the end the old leader wakes, and
    reads. Before 1.1 the other replicas tell nobody who leads until they have an answer of the
    frozen one, or their request.timeout.ms is over (KAFKA-6051): here that is 10 s, not 30 s.
    """
    with sending(play, partition, IMPATIENT) as load:
        under_way = play.inject(HoldProduce(load.name, Trigger("once")))
        play.await_standing([under_way])
        frozen = play.inject(Pause(partition.leader))
        play.heal(under_way)
        partition.await_leader(partition.replicas[1])
        await_more(play, partition, load)
        play.heal(frozen)
