"""Any client: nothing goes wrong with a group of it."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_member import any_member
from highwater.scenarios.acts.reading import reading
from highwater.scenarios.acts.settled_group import busy
from highwater.scenarios.acts.variants import calm


@calm()
@any_member("Kafka's documentation, 4.5: The Consumer")
def client_group_undisturbed(play: Play, partition: Partition) -> None:
    """A group that nothing happens to processes each record, and commits it.

    The control of all scenarios of members: what is violated here is no fault's doing.
    """
    with reading(play, partition) as billing:
        member = busy(partition, billing)
    partition.require("nobody else has had to do its work", billing.handed == member.handed)
