"""Any client: its topic is given a partition, and nothing is late."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_member import any_member
from highwater.scenarios.acts.reading import PROCESSING, await_committed
from highwater.scenarios.acts.settled_group import await_settled
from highwater.scenarios.acts.variants import calm, without


@calm()
@without("platformatic")  # as of client-place-late
@any_member("Kafka's protocol guide: SyncGroup; metadata.max.age.ms", gated_clients=True)
def client_place_undisturbed(play: Play, partition: Partition) -> None:
    """A member whose topic is given a partition reads both of them to their ends.

    The control of client-place-late: what is violated here is no fault's doing.
    """
    topic = play.topics[0]
    with play.group("billing", topic, 1, PROCESSING, client=play.client) as billing:
        await_settled(partition, billing)
        first = partition.send(20)
        partition.require_acked(first)
        (other,) = topic.add_partitions()
        more = other.send(10)
        other.require_acked(more)
        await_committed(play, partition, billing, first.end_offset + more.end_offset)
    play.note(f"{billing.committed} are committed of {first.records + more.records}")
