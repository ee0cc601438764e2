"""How the range assignor deals partitions out, and the round robin one."""

from highwater.harness.clients.group import Group
from highwater.harness.clients.settings import ConsumerSettings
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.topic import Topic

RANGE = ConsumerSettings(library={"partition.assignment.strategy": "range"})
IN_TURN = ConsumerSettings(library={"partition.assignment.strategy": "roundrobin"})


def dealt(group: Group, topic: Topic) -> list[list[int]]:
    """What each member has of a topic; who has most is first."""
    shares = (
        sorted(each.partition for each in member.assigned if each.topic == topic.name)
        for member in group.members
    )
    return sorted(shares, key=lambda share: (-len(share), share))


def counts(group: Group) -> list[int]:
    return sorted(len(member.assigned) for member in group.members)


@scenario(
    source="Kafka's documentation, 3.4: partition.assignment.strategy; RangeAssignor",
    claims=("lost-write", "replica-divergence"),
    topic_settings={"min.insync.replicas": "2"},
)
def range_deals_blocks(play: Play, partition: Partition) -> None:
    """Three members have 4, 3 and 3 of ten in blocks, four have 3, 3, 2 and 2, every fourth one.

    With `range` each topic is dealt out by itself, so whoever has more of one topic has more of the
    next: of two topics with ten partitions the first member has eight, the others six; of one with
    eleven 4, 4 and 3. With `roundrobin` all partitions of both are dealt out in turn, five each.
    Nor need members want the same topics: one that wants the first only is passed over.
    """
    partition.require_acked(partition.send(1))
    orders = play.topic("orders", partitions=10, replicas=1)
    returns = play.topic("returns", partitions=10, replicas=1)
    with play.group("in-blocks", orders, members=3, settings=RANGE) as group:
        wanted = [[0, 1, 2, 3], [4, 5, 6], [7, 8, 9]]
        partition.await_state("4, 3, 3", lambda: dealt(group, orders) == wanted)
        group.subscribe(orders, returns)
        partition.await_state("of both topics 8, 6, 6", lambda: counts(group) == [6, 6, 8])
        group.subscribe(play.topic("eleven", partitions=11, replicas=1))
        partition.await_state("of eleven 4, 4, 3", lambda: counts(group) == [3, 4, 4])
    with play.group("in-turn", orders, members=4, settings=IN_TURN) as group:
        wanted = [[0, 4, 8], [1, 5, 9], [2, 6], [3, 7]]
        partition.await_state("every fourth one", lambda: dealt(group, orders) == wanted)
        group.subscribe(orders, returns)
        partition.await_state("of both topics five each", lambda: counts(group) == [5] * 4)
        group.members[0].subscribe([orders])
        partition.await_state(
            "one wants the first topic only: the second is dealt out to the others",
            lambda: [len(each) for each in dealt(group, returns)] == [4, 3, 3, 0],
        )
