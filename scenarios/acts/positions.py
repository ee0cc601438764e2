"""Positions of groups: those that were committed, and what becomes of a group without one."""

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


def await_position(partition: Partition, group: Group, position: int) -> None:
    """Wait until it has committed so far; `await_committed` would be from now on."""
    partition.await_state(
        f"{group.name} has committed {position}",
        lambda: (
            all(member.is_well() for member in group.members)
            and max(member.committed.get(partition.where, 0) for member in group.members)
            == position
        ),
        60.0,
    )


def await_standing_at(partition: Partition, group: Group, position: int) -> None:
    """Wait until this is what the only member reads next, whatever it was handed."""
    (member,) = group.members
    wanted = {partition.where: position}
    what = f"{group.name} reads {position} next"
    partition.await_state(what, lambda: member.is_well() and member.positions == wanted, 60.0)
