"""Whether the partitions of a group are dealt out, and to whom.

A member that is frozen says nothing more. What it was assigned before, its group gives to others
when its session is over, and it hears so when it goes on: nobody waits for what it says it has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from highwater.harness.clients.seated import Seated
from highwater.harness.model import TopicPartition

MOST_TOLD = 10

Wheres = Iterable[TopicPartition]


class Hand(NamedTuple):
    """What a member had at a moment, as far as somebody knows."""

    name: str
    assigned: frozenset[TopicPartition]
    runs: bool
    is_paused: bool
    has_left: bool

    @classmethod
    def of(cls, member: Seated, assigned: frozenset[TopicPartition]) -> Hand:
        return cls(member.name, assigned, member.runs, member.is_paused, member.has_left)


@dataclass(frozen=True, slots=True)
class Deal:
    """True if each partition is assigned to a member that runs, and to one only if `exclusive`.

    Where it is to be `shared_out`, each of those that run must have some as well. As a text it is
    what is lacking.
    """

    wheres: frozenset[TopicPartition]  # all that the group reads
    hands: Sequence[Hand]
    exclusive: bool = True
    shared_out: bool = False

    def __bool__(self) -> bool:
        lacks = self._unassigned, self._contested, self._strange, self._idle, self._leaving
        return not any(lacks)

    def __repr__(self) -> str:
        told = [
            ("with nobody that runs: ", _listed(self._unassigned)),
            ("with several: ", _listed(self._contested)),
            ("not to be read any more: ", _listed(self._strange)),
            ("with none: ", ", ".join(self._idle)),
            ("not gone yet: ", ", ".join(self._leaving)),
            ("frozen: ", "; ".join(self._frozen)),
        ]
        return "; ".join(f"{what}{which}" for what, which in told if which)

    @property
    def _held(self) -> Counter[TopicPartition]:
        return Counter(where for each in self.hands if each.runs for where in each.assigned)

    @property
    def _unassigned(self) -> Wheres:
        return self.wheres - self._held.keys()

    @property
    def _contested(self) -> Wheres:
        return {where for where, times in self._held.items() if times > 1 and self.exclusive}

    @property
    def _strange(self) -> Wheres:
        return self._held.keys() - self.wheres

    @property
    def _frozen(self) -> Sequence[str]:
        paused = [each for each in self.hands if each.is_paused]
        return [f"{each.name} with {_listed(each.assigned) or 'none'}" for each in paused]

    @property
    def _leaving(self) -> Sequence[str]:
        return [each.name for each in self.hands if each.has_left and each.assigned]

    @property
    def _idle(self) -> Sequence[str]:
        return [
            each.name for each in self.hands if self.shared_out and each.runs and not each.assigned
        ]


def _listed(wheres: Wheres) -> str:
    told = [str(where) for where in sorted(wheres)]
    more = f" and {len(told) - MOST_TOLD} more" if len(told) > MOST_TOLD else ""
    return ", ".join(told[:MOST_TOLD]) + more
