"""What two groups are handed of one topic, and how many members a partition has in each."""

from collections import Counter

from highwater.harness.clients.group import Group
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.settled_group import await_settled

PARTITIONS, RECORDS = 6, 10  # so many to each


@scenario(
    source="Kafka's documentation, 4.5: The Consumer",
    claims=("two-owners", "lost-write", "unprocessed"),
    topic_settings={"min.insync.replicas": "2"},
)
def every_group_reads_all(play: Play, partition: Partition) -> None:
    """Each group is handed every record; in each of them a partition has one member.

    Billing has two members, and shipping three, for six partitions. When a member of billing dies
    the other one has all six, and goes on at what was committed; shipping hears nothing of it.
    """
    orders = play.topic("orders", partitions=PARTITIONS)
    with (
        play.group("billing", orders, members=2) as billing,
        play.group("shipping", orders, members=3) as shipping,
    ):
        await_settled(partition, billing)
        await_settled(partition, shipping)
        _shares(partition, billing, 3)
        _shares(partition, shipping, 2)
        for each in orders:
            partition.require_acked(each.send(RECORDS))
        for group in (billing, shipping):
            group.await_caught_up()
            handed = group.handed
            partition.require("it is handed all", handed == PARTITIONS * RECORDS, handed=handed)
        dealt = [each.deals for each in shipping.members]
        billing.members[0].kill()
        billing.await_assigned()
        _shares(partition, billing, PARTITIONS)
        for each in orders:
            partition.require_acked(each.send(RECORDS))
        billing.await_caught_up()
        shipping.await_caught_up()
        again = [each.deals for each in shipping.members]
        partition.require("the other group was not dealt anew", again == dealt, deals=again)


def _shares(partition: Partition, group: Group, share: int) -> None:
    """Every member that lives has as many partitions, and every partition one member."""
    living = [each for each in group.members if not each.is_killed]
    owners = Counter(where for each in living for where in each.assigned)
    partition.require("one member each", len(owners) == PARTITIONS and {*owners.values()} == {1})
    shares = [len(each.assigned) for each in living]
    partition.require("in equal shares", {*shares} == {share}, shares=shares)
