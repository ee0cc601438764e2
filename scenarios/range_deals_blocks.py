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


@scenario(
    source="Kafka's documentation, 3.4: partition.assignment.strategy; RangeAssignor",
    claims=("two-owners", "lost-write"),
    topic_settings={"min.insync.replicas": "2"},
)
def range_deals_blocks(play: Play, partition: Partition) -> None:
    """Ten partitions, three members: blocks of 4, 3 and 3, or every third one.

    With `range` each topic is dealt out by itself, so whoever has more of one topic has more of the
    next: of two topics with ten partitions the first member has eight, the others six. With
    `roundrobin` all partitions of both are dealt out in turn: seven, seven, six. Nor need members
    want the same topics: one that reads the first topic only is passed over for the second, and
    they are dealt out unevenly.
    """
    partition.require_acked(partition.send(1))
    orders = play.topic("orders", partitions=10, replicas=1)
    returns = play.topic("returns", partitions=10, replicas=1)
    with play.group("in-blocks", orders, members=3, settings=RANGE) as blocks:
        wanted = [[0, 1, 2, 3], [4, 5, 6], [7, 8, 9]]
        partition.require("4, 3, 3", dealt(blocks, orders) == wanted, dealt=dealt(blocks, orders))
        blocks.subscribe(orders, returns)
        counts = sorted(len(member.assigned) for member in blocks.members)
        partition.require("of both topics 8, 6, 6", counts == [6, 6, 8], counts=counts)
    with play.group("in-turn", orders, members=3, settings=IN_TURN) as turns:
        wanted = [[0, 3, 6, 9], [1, 4, 7], [2, 5, 8]]
        partition.require("every third", dealt(turns, orders) == wanted, dealt=dealt(turns, orders))
        turns.subscribe(orders, returns)
        counts = sorted(len(member.assigned) for member in turns.members)
        partition.require("of both topics 7, 7, 6", counts == [6, 7, 7], counts=counts)
        turns.members[0].subscribe([orders.name])
        partition.await_state(
            "one wants the first topic only: the second is dealt out to the others, five each",
            lambda: (
                sorted(len(shares) for shares in dealt(turns, returns)) == [0, 5, 5]
                and sorted(len(shares) for shares in dealt(turns, orders)) == [3, 3, 4]
            ),
        )
