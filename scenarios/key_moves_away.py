"""What more partitions do to keys."""

from highwater.faults.hold_asked import HoldAsked
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings
from highwater.scenarios.acts.positions import await_position

ONE_KEY = ProducerSettings(keys=1, partition_by="key")
RATE_PER_S = 100


@scenario(
    source="Kafka's documentation, 6.1: Modifying topics; BuiltInPartitioner.partitionForKey",
    plays_on=">=0.10.2",  # clients cannot be sent through the gate before
    claims=("lost-write", "reordered", "unprocessed"),
    gated_clients=True,
    topic_settings={"min.insync.replicas": "2"},
)
def key_moves_away(play: Play, partition: Partition) -> None:
    """A key's records go elsewhere once a topic has more partitions, and overtake those before.

    All records have one key, and go to one partition of four, in order. The topic is given a fifth:
    the hash of the key is taken modulo five, all that comes goes to another partition, and nothing
    brings over what is there already. Within each partition the order is kept, and nobody is told
    of more. A member of a group whose fetches from the first one stand in the network is handed all
    that was sent later, and of what was sent before nothing: that comes when they go on.
    """
    partition.require_acked(partition.send(1))
    orders = play.topic("orders", partitions=4)
    with play.load(orders, RATE_PER_S, ONE_KEY) as load:
        load.await_acked(100)
        (first,) = [each for each in orders if _end(each)]
        orders.add_partitions(1)
        load.await_acked(100)
    (other,) = [each for each in orders if _end(each) and each is not first]
    apart = {first.leader, other.leader}
    first.require("two partitions have all, led by two brokers", len(apart) == 2, leaders=apart)
    billing = play.group("billing", orders)
    late = play.inject(HoldAsked("Fetch", billing.members[0].name, broker=first.leader))
    with billing:
        play.await_standing([late])
        await_position(other, billing, _end(other))
        handed = billing.handed
        first.require("what was sent first is not there yet", handed == _end(other), handed=handed)
        play.heal(late)
        await_position(first, billing, _end(first))
    first.require("all are handed out", billing.handed == _end(first) + _end(other) == load.acked)


def _end(partition: Partition) -> int:
    return partition.log_end_offset(partition.leader)
