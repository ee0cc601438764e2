"""A group all of whose members have joined."""

from highwater.harness.clients.group import Group
from highwater.harness.partition import Partition


def await_all_dealt(partition: Partition, group: Group) -> None:
    """Wait until each member has been dealt something, be it nothing, and one has the partition.

    Who joins last takes it for a moment from whoever has it, so that one who has it says nothing.
    """
    what = f"all members of {group.name} have been dealt to"
    partition.await_state(what, lambda: all(each.deals for each in group.members), 60.0)
    group.await_assigned()
