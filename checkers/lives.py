"""Sends that were never answered wait as long as their clients lived."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from highwater.checkers.facts import Facts, Place
from highwater.checkers.progress import TENTH_NS, Progress

Sender = tuple[Place, str]  # a partition, and who sends to it


class Begun(NamedTuple):
    """In a partition: in which tenths sends of a client began that nobody knows the end of."""

    place: Place
    client: str
    tenths: Counter[int]


def let_wait(facts: Facts, opened: Iterable[Begun]) -> dict[Place, Progress]:
    """Put open sends into the progress of their partitions, for as long as they waited for sure.

    That is until their client ended; where nobody told, until it was last heard of. Returns how it
    may have been in these partitions: that such clients lived on to the end of the record. Where
    none was ever answered nobody waits: that is for the claim to doubt.
    """
    senders: dict[Sender, Counter[int]] = defaultdict(Counter)
    for place, client, tenths in opened:
        senders[place, client].update(tenths)
    heard = _heard(facts, senders)
    untold: list[Sender] = []
    for (place, client), tenths in senders.items():
        progress = facts.progress.setdefault(place, Progress())
        progress.asked += sum(tenths.values())
        ended_ns = facts.promises.client(client).ended_ns
        if progress.answered and ended_ns is not None:
            progress.wait(tenths, ended_ns // TENTH_NS)
        elif progress.answered:
            untold.append((place, client))
    may_be = {place: facts.progress[place].copy() for place, _ in untold}
    for place, client in untold:
        facts.progress[place].wait(senders[place, client], heard[client])
        may_be[place].wait(senders[place, client], facts.last_ns // TENTH_NS)
    return may_be


def longest_linger_ms(facts: Facts, place: Place) -> int:
    """For how long somebody who sends to a partition collects records; 0 where nobody told."""
    lingers = (facts.promises.client(one).linger_ms for one in facts.senders(place))
    return max(lingers, default=0)


def _heard(facts: Facts, opened: Mapping[Sender, Counter[int]]) -> dict[str, int]:
    """By client the last tenth in which it sent something, or was told what had become of it."""
    found: dict[str, int] = {}
    for client, tenth in _signs(facts, opened):
        found[client] = max(tenth, found.get(client, tenth))
    return found


def _signs(facts: Facts, opened: Mapping[Sender, Counter[int]]) -> Iterator[tuple[str, int]]:
    for (_, client), tenths in opened.items():
        yield client, max(tenths)
    for (_, client), progress in facts.progress_by.items():
        for moments in filter(None, (progress.answered, progress.waiting)):
            yield client, max(moments)
        yield client, progress.told
