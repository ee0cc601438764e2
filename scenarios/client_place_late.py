"""Any client: its topic is given a partition, and the answer that deals it out is late."""

from highwater.faults.hold_asked import HoldAsked
from highwater.harness.gate.rules import Trigger
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_member import any_member
from highwater.scenarios.acts.reading import PROCESSING, await_committed
from highwater.scenarios.acts.settled_group import await_settled
from highwater.scenarios.acts.variants import calm, failing, without

LATE_S = 2.0  # longer than an application waits in one poll, and shorter than a session


@calm("client-place-undisturbed")
@failing("kafka-python")
@without("platformatic")  # does not deal anew: findings/platformatic-does-not-deal-anew.md
@any_member("Kafka's protocol guide: SyncGroup; metadata.max.age.ms", gated_clients=True)
def client_place_late(play: Play, partition: Partition) -> None:
    """A member hears which partitions it has, however often its application polls meanwhile.

    The topic is given a partition more. The only member of the group notices, and deals anew. What
    it asks with SyncGroup stands at the gate for two seconds. Then it is answered, and both
    partitions are read to their ends.
    """
    topic = play.topics[0]
    with play.group("billing", topic, 1, PROCESSING, client=play.client) as billing:
        await_settled(partition, billing)
        first = partition.send(20)
        partition.require_acked(first)
        billing.await_committed(5)
        (member,) = billing.members
        place = play.inject(HoldAsked("SyncGroup", member.name, Trigger("once")))
        (other,) = topic.add_partitions()
        play.await_standing([place])
        since_ns = play.record.now_ns()
        partition.await_state(
            f"it has stood for {LATE_S:g} s",
            lambda: play.record.now_ns() - since_ns > LATE_S * 1e9,
            10.0,
        )
        play.heal(place)
        more = other.send(10)
        other.require_acked(more)
        await_committed(play, partition, billing, first.end_offset + more.end_offset)
    play.note(f"{billing.committed} are committed of {first.records + more.records}")
