"""When replicas came into the ISR, by looks, led by whom."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from highwater.checkers.findings import Witness
from highwater.checkers.parts import Samples
from highwater.checkers.samples import PLACE

OFTEN, WITHIN_NS = 5, 60 * 10**9
TOLD = ["at_ns", "leader", "leader_epoch", "isr"]


class Term(NamedTuple):
    leader: int
    epoch: int


def judged_by_member(part: Samples) -> Iterator[Witness | None]:
    """Of each replica that was seen in sync an anomaly, or nothing."""
    looks = part["replica_states"]
    looks = looks[looks[TOLD].notna().all(axis=1) & (looks["leader"] >= 0).fillna(value=False)]
    for _, mine in looks.groupby(PLACE):
        place = {"topic": str(mine["topic"].iloc[0]), "partition": int(mine["partition"].iloc[0])}
        told = mine[TOLD].drop_duplicates().to_numpy(object).tolist()
        joins, members = _joins(told, part.facts.promises.disturbed_ns)
        for member in sorted(members):
            terms = sorted(term for who, term in joins if who == member)
            found = (_often(joins[member, term]) for term in terms)
            several = [(*times, *term) for times, term in zip(found, terms, strict=True) if times]
            yield {**place, "broker": int(member), **_told(several[0])} if several else None


def _told(first: tuple[int, ...]) -> dict[str, int]:
    names = ("since_ns", "until_ns", "joins", "leader", "leader_epoch")
    return dict(zip(names, first, strict=True))


def _joins(
    looks: list[list[Any]], disturbed_ns: Sequence[int]
) -> tuple[dict[tuple[str, Term], list[int]], set[str]]:
    """When each member came in, by the leader and epoch; and whoever was a member at all.

    Between two looks of one term; where looks of one moment differ, nobody knows their order. Who
    comes in after something was done to the cluster while it was out had to: that does not count.
    """
    joins: dict[tuple[str, Term], list[int]] = defaultdict(list)
    members = {each for _, _, _, isr in looks for each in isr.split(",") if each}
    moments: dict[int, set[tuple[Term, str]]] = defaultdict(set)
    for at_ns, leader, epoch, isr in looks:
        moments[at_ns].add((Term(leader, epoch), isr))
    before: tuple[Term, str] | None = None
    was_in_ns: dict[str, int] = {}
    for at_ns, said in sorted(moments.items()):
        now = next(iter(said)) if len(said) == 1 else None
        if now is not None and before is not None and now[0] == before[0]:
            for member in {*now[1].split(",")} - {*before[1].split(","), ""}:
                if not _was_disturbed(disturbed_ns, was_in_ns.get(member), at_ns):
                    joins[member, now[0]].append(at_ns)
        was_in_ns |= {each: at_ns for _, isr in said for each in isr.split(",")}
        before = now
    return joins, members


def _was_disturbed(disturbed_ns: Sequence[int], since_ns: int | None, until_ns: int) -> bool:
    """None is from the beginning on."""
    first = 0 if since_ns is None else bisect_right(disturbed_ns, since_ns)
    return first < len(disturbed_ns) and disturbed_ns[first] <= until_ns


def _often(times: list[int]) -> tuple[int, int, int] | None:
    """The first and the last of so many within a minute, and how many these are."""
    for at in range(len(times) - OFTEN + 1):
        within = [each for each in times[at:] if each - times[at] <= WITHIN_NS]
        if len(within) >= OFTEN:
            return within[0], within[-1], len(within)
    return None
