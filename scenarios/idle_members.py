"""What a group does with more members than there are partitions."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.all_dealt import await_all_dealt
from highwater.scenarios.acts.positions import await_position


@scenario(
    source="Kafka's documentation, 4.5: The Consumer; KIP-62: session.timeout.ms",
    claims=("two-owners", "lost-write", "unprocessed"),
    topic_settings={"min.insync.replicas": "2"},
)
def idle_members(play: Play, partition: Partition) -> None:
    """Three members, one partition: two have nothing to do, until the first one dies.

    All three belong to the group, and one of them is handed every record. It is killed; the
    coordinator misses it after its session timeout, and one of those who waited takes its place,
    from the position that was committed. The other one goes on waiting.
    """
    with play.group("billing", play.topics[0], members=3) as billing:
        await_all_dealt(partition, billing)
        ten = partition.send(10)
        await_position(partition, billing, ten.end_offset)
        busy = [each for each in billing.members if each.assigned]
        partition.require("one member has the partition", len(busy) == 1)
        partition.require(
            "it was handed all, and the others none", busy[0].handed == billing.handed == 10
        )
        busy[0].kill()
        billing.await_assigned()
        partition.require_acked(partition.send(10))
        await_position(partition, billing, ten.end_offset + 10)
        heirs = [each for each in billing.members if each.assigned]
        partition.require(
            "one of those who waited has it now, and reads on where the dead one was",
            len(heirs) == 1 and heirs[0].handed == 10 and heirs[0] is not busy[0],
        )
        partition.require("positions", heirs[0].committed[partition.where] == ten.end_offset + 10)
        idle = [each for each in billing.members if not each.handed]
        partition.require("the third one has had nothing to do", len(idle) == 1)
