"""Groups that differ in auto.offset.reset, and what the strictest of them is told."""

from highwater.harness.clients.group import Group
from highwater.harness.clients.settings import ConsumerSettings
from highwater.harness.partition import Partition


def resets(to: str) -> ConsumerSettings:
    """`error` is what Kafka's own consumer calls `none`."""
    return ConsumerSettings(library={"auto.offset.reset": to})


def await_refused(partition: Partition, group: Group) -> None:
    """Wait until the only member is told that there is no position; it is handed nothing else."""
    (member,) = group.members
    partition.await_state("none: an error", lambda: "AUTO_OFFSET_RESET" in str(member.complaints))
    partition.require("and nothing else", group.handed == 0 and not group.committed)
