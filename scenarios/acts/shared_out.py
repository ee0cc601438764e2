"""What members of a group have, and what they were handed."""

from collections import Counter

from highwater.harness.clients.group import Group
from highwater.harness.partition import Partition


def require_handed(partition: Partition, group: Group, records: int) -> None:
    """All of them, and each once."""
    handed = group.handed
    partition.require(f"{group.name} is handed {records}", handed == records, handed=handed)


def require_shares(partition: Partition, group: Group, share: int, partitions: int) -> None:
    """Every member that lives has as many partitions, and every partition one member."""
    living = [each for each in group.members if not each.is_killed]
    owners = Counter(where for each in living for where in each.assigned)
    partition.require("one member each", len(owners) == partitions and {*owners.values()} == {1})
    shares = [len(each.assigned) for each in living]
    partition.require("in equal shares", {*shares} == {share}, shares=shares)
