"""What two groups are handed of one topic, and how many members a partition has in each."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.settled_group import await_settled
from highwater.scenarios.acts.shared_out import require_handed, require_shares

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
        require_shares(partition, billing, 3, PARTITIONS)
        require_shares(partition, shipping, 2, PARTITIONS)
        for each in orders:
            partition.require_acked(each.send(RECORDS))
        for group in (billing, shipping):
            group.await_caught_up()
            require_handed(partition, group, PARTITIONS * RECORDS)
        everything = PARTITIONS * RECORDS
        partition.await_state("billing has committed", lambda: billing.committed == everything)
        dealt = [each.deals for each in shipping.members]
        billing.members[0].kill()
        billing.await_assigned()
        require_shares(partition, billing, PARTITIONS, PARTITIONS)
        for each in orders:
            partition.require_acked(each.send(RECORDS))
        for group in (billing, shipping):
            group.await_caught_up()
            require_handed(partition, group, 2 * PARTITIONS * RECORDS)
        again = [each.deals for each in shipping.members]
        partition.require("the other group was not dealt anew", again == dealt, deals=again)
