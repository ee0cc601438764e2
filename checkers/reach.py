"""Whether readers and the final leader's log tell enough to call a record lost."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from highwater.checkers.facts import Facts, Place
from highwater.checkers.rows import NONE, Bools, Ints


def undecided(
    facts: Facts, place: Place, offset: Ints, in_log: Bools
) -> Iterator[tuple[str, Bools]]:
    """Why unread records cannot be judged, and which: the first reason that fits is a record's own.

    No reason at all is given for those that are not lost, for the leader has them.

    `offset` is NONE, or below 0, for a record that was acknowledged without one; `in_log` says what
    the leader's log holds.
    """
    everywhere = np.ones(len(offset), bool)
    covered = facts.covered.get(place)
    if covered is None:
        yield "nobody read it", everywhere
    elif facts.leader(place) is None:
        yield "acknowledged without an offset", offset < 0
        yield f"unseen, no reader got beyond offset {covered}", offset >= covered
    else:
        for why, rows in _by_the_log(facts, place, offset, in_log):
            yield why, everywhere & rows


def _by_the_log(
    facts: Facts, place: Place, offset: Ints, in_log: Bools
) -> Iterator[tuple[str, Bools | bool]]:
    leader, log, covered = facts.leader(place), facts.leader_log(place), facts.covered[place]
    if leader is None:
        return
    start, end = leader.log_start_offset, leader.log_end_offset
    readable_end = end if log.data_end == NONE else log.data_end
    if readable_end is not None:
        why = f"the reader stopped at offset {covered} although the leader's log ends at "
        why += f"{readable_end} (the high watermark of a young leader)"
        yield why, covered < readable_end
    settled = all(each.settled for each in facts.replicas[place])
    yield "the replicas had not settled when the final read was made", not settled
    yield "", in_log
    is_recorded = bool(log.records) or (start is not None and start == end)
    yield "the leader's log is not in the record", not is_recorded
    yield "the leader's log is damaged", log.problems > 0
    if start is not None:
        yield "the leader's log starts only after it", (offset != NONE) & (offset < start)
