"""What is true of sends that wait, and of those who say that none of theirs does."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tests.model.clients import OK, SECOND_NS, Send
from tests.model.facts import ANY, NO, NOT_NO, NOTHING, OPEN, YES, Answers, Facts

LONG_NS = 30 * SECOND_NS
UNSURE_NS = SECOND_NS // 2
PAUSE_NS = SECOND_NS  # who tries again within a second has not ceased to wait


def stalled_sends(facts: Facts) -> Iterator[Answers]:
    """For thirty seconds and more sends were waiting, and none was acknowledged.

    Those in a transaction wait for its end. What was never answered is waited for as long as its
    client lives; where the record does not tell that, the judge need not say it, and may not say
    that the client lived on.
    """
    told = facts.case.evidence.tells_clients
    world = facts.case.world
    lives = facts.case.lives
    for partition in world.partitions:
        mine = [one for one in world.sends if one.partition is partition]
        asked = [one for one in mine if not one.transaction]
        if not asked:
            yield NOTHING
            continue
        spans = [(one.invoked_ns, one.completed_ns or lives.ends[one.client]) for one in asked]
        acks = [_acks(mine, with_weak=with_weak) for with_weak in (True, False)]
        weak = {
            _longest(spans, some, pause_ns)
            for some in acks
            for pause_ns in (PAUSE_NS - UNSURE_NS, PAUSE_NS + UNSURE_NS)
        }
        unanswered = {one.client for one in asked if one.completed_ns is None}
        is_known = not unanswered or (told and unanswered <= lives.told and all(acks))
        if all(longest >= LONG_NS + UNSURE_NS for longest in weak):
            yield YES if is_known else NOT_NO
        elif all(longest < LONG_NS - UNSURE_NS for longest in weak):
            yield NO if is_known and any(one.is_promised for one in asked) else NO | OPEN
        else:
            yield ANY


def flushed_too_early(facts: Facts) -> Iterator[Answers]:
    """Of each record that a client was handed before it was told to flush: was it left open?

    What the record's clock does not tell apart nobody can say; nothing is asked of it then. What is
    sent in a transaction ends with it, whenever it was acknowledged.
    """
    case = facts.case
    for flush in case.flushes:
        for one in flush.handed:
            if not case.precedes(one.invoked_ns, flush.asked_ns):
                yield NOTHING
            elif one not in flush.missed:
                yield NO
            elif one.completed_ns is None or case.precedes(flush.flushed_ns, one.completed_ns):
                yield OPEN if one.transaction else YES
            else:
                yield NO


def _acks(sends: list[Send], *, with_weak: bool) -> list[int]:
    """When which was acknowledged; a commit does it too."""
    found = [one for one in sends if one.outcome == OK and (with_weak or one.acks != "0")]
    return [one.completed_ns or 0 for one in found]


def _longest(spans: list[tuple[int, int]], acks: list[int], pause_ns: int) -> int:
    """The longest time that sends waited one after the other without an acknowledgement."""
    longest, since, until = 0, None, 0
    for begun, ended in sorted(spans):
        if since is None or begun > until + pause_ns:
            since, until = begun, ended
        until = max(until, ended)
        marks = [since, *sorted(at for at in acks if since < at < until), until]
        longest = max(longest, *(b - a for a, b in pairwise(marks)))
    return longest
