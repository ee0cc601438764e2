"""For how long moves of replicas were under way that had all whom they wait for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple, Self

from highwater.checkers.findings import Witness
from highwater.checkers.parts import Samples
from highwater.checkers.samples import PLACE

LONG_NS = 30 * 10**9
APART_NS = 10 * 10**9  # what is further apart says nothing of the time between
OPEN = "a move that has all whom it waits for may be done yet"
SAID = ["at_ns", "leader", "isr", "replicas", "adding", "removing"]


class Said(NamedTuple):
    """Of one partition, by one broker and the controller."""

    at_ns: int
    leader: int
    isr: str
    replicas: str
    adding: str
    removing: str

    @property
    def move(self) -> tuple[frozenset[str], frozenset[str]]:
        return _listed(self.adding), _listed(self.removing)

    @property
    def waits_for_nobody(self) -> bool:
        adding, removing = self.move
        is_move = 0 < len(removing) <= len(adding)
        is_assigned = adding | removing <= _listed(self.replicas)
        return is_move and is_assigned and self.leader >= 0 and adding <= _listed(self.isr)


class Stretch(NamedTuple):
    """The time in which all looks say of one move that it waits for nobody."""

    first: Said
    until_ns: int

    @classmethod
    def of(cls, before: Self | None, moment: Sequence[Said]) -> Self | None:
        """With what was said at one moment, after `before`."""
        first = moment[0]
        if not all(one.waits_for_nobody and one.move == first.move for one in moment):
            return None
        if before is None or before.first.move != first.move:
            return cls(first, first.at_ns)
        if first.at_ns - before.until_ns > APART_NS:
            return cls(first, first.at_ns)
        return before._replace(until_ns=first.at_ns)

    @property
    def is_long(self) -> bool:
        return self.until_ns - self.first.at_ns > LONG_NS


def judged_by_partition(part: Samples) -> Iterator[Witness | str | None]:
    """Of each partition that was to move an anomaly, or why nobody can tell, or nothing."""
    looks = part["reassignments"].sort_values(SAID, kind="stable")
    for place, mine in looks.groupby(PLACE):
        rows = mine[SAID].to_numpy(object).tolist()
        yield _judged(place, [Said(*row) for row in rows])


def _judged(place: Any, looks: Sequence[Said]) -> Witness | str | None:
    found = now = None
    for _, some in groupby(looks, key=attrgetter("at_ns")):
        now = Stretch.of(now, list(some))
        if found is not None and (now is None or now.first != found.first):
            break
        if now is not None and now.is_long:
            found = now
    if found is None:
        return None if now is None else OPEN
    topic, partition = place
    first = found.first
    told = {"adding": first.adding, "removing": first.removing, "isr": first.isr}
    times = {"since_ns": first.at_ns, "until_ns": found.until_ns}
    return {"topic": str(topic), "partition": int(partition), **told, **times}


def _listed(brokers: str) -> frozenset[str]:
    return frozenset(brokers.split(",")) - {""}
