"""Any client: nothing goes wrong with a group that takes long for each record."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_member import any_member
from highwater.scenarios.acts.at_work import SLOW
from highwater.scenarios.acts.reading import reading
from highwater.scenarios.acts.settled_group import busy
from highwater.scenarios.acts.variants import calm


@calm()
@any_member("Kafka's documentation, 4.5: The Consumer")
def client_slow_group_undisturbed(play: Play, partition: Partition) -> None:
    """A group that takes long for each record processes each of them, and commits it.

    The control of client-member-dies: what is violated here is no fault's doing.
    """
    with reading(play, partition, settings=SLOW) as billing:
        member = busy(partition, billing)
    partition.require("nobody else has had to do its work", billing.handed == member.handed)
