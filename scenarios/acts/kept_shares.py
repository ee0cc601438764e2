"""How much goes from member to member, and is taken away, when a group is dealt anew."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from highwater.harness.clients.group import Group
from highwater.harness.clients.member import Member
from highwater.harness.clients.settings import ConsumerSettings
from highwater.harness.foreign.programs import OURS
from highwater.harness.partition import Partition


class Way(NamedTuple):
    """Of dealing: what members are told, and what it is said to do."""

    settings: ConsumerSettings
    client: str = OURS
    keeps: bool = True  # nobody who stays loses a partition to another one who stays
    revokes_all: bool = False  # and then gives back (the eager protocol)


class Anew(NamedTuple):
    """Of the members that are there before and after: how many partitions, of all together."""

    had: int
    moved: int  # to another member
    taken: int  # as often as one was, also where it was given back at once


def await_shares(partition: Partition, group: Group, *wanted: int) -> None:
    """Wait until the members that are there have so many partitions, the fewest first."""

    def shares() -> Sequence[int]:
        return sorted(len(each.assigned) for each in group.members if not each.has_left)

    what = f"members of {group.name} have {', '.join(map(str, wanted))} partitions"
    partition.await_state(what, lambda: shares() == [*wanted], 60.0)


def watched(stay: Sequence[Member]) -> Callable[[], Anew]:
    """Says what has become of their partitions since."""
    before = {each: (each.assigned, each.taken) for each in stay}

    def anew() -> Anew:
        return Anew(
            had=sum(len(had) for had, _ in before.values()),
            moved=sum(len(had - each.assigned) for each, (had, _) in before.items()),
            taken=sum(each.taken - taken for each, (_, taken) in before.items()),
        )

    return anew
