"""Values that were sent more than once: which attempt a record may be of."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from highwater.checkers.parts import SEND, Values
from highwater.checkers.rows import NONE, Bools, Ints, alike, changes, in_order

NO_IDEMPOTENCE = "written twice by a producer without idempotence"

OFTEN = 4


def of_another_send(part: Values) -> Bools:
    """Records of values that were also sent here without failing, and may be of that send.

    That send had begun before the reader had been handed the record, which does not stand where a
    send that failed was told that its own does. A producer without idempotence may have written
    such a record at any offset.
    """
    groups, offset = part.by_value_here, part["offset"]
    sends, known = part.is_kind(SEND), offset >= 0
    good = sends & (part.is_word("outcome", "ok", "unknown") | part.open)
    anywhere = good & (~known | may_be_repeated(part))
    begun = groups.spread(groups.least(part["invoked_ns"], anywhere))
    rows = np.flatnonzero(part.polled & groups.anywhere(good))
    here, failed_here = np.zeros((2, len(offset)), bool)
    here[rows] = ~known[rows] | stand_with(part, rows, np.flatnonzero(good & known))
    failed = np.flatnonzero(sends & known & part.is_word("outcome", "failed"))
    failed_here[rows] = stand_with(part, rows, failed)
    in_time = (begun != NONE) & (begun <= part.ended_ns)
    found: Bools = here | (in_time & ~failed_here)
    return found


def may_be_aborted(part: Values, kept: Bools, *, untold: bool = False) -> Bools:
    """Copies of values of which other sends, that failed, explain more than one copy.

    With `untold` also sends of which nobody knows whether their transaction was aborted.
    """
    groups, sends = part.by_value_here, part.is_kind(SEND)
    plain = part.of_clients(lambda client: client.transactional is False)
    failed = sends & part.is_word("outcome", "failed") & ~plain
    if untold:
        failed |= sends & (part.is_word("outcome", "unknown") | part.open) & ~plain
    if not failed.any():
        return failed
    explained = groups.count(kept) <= groups.count(failed) + 1
    found: Bools = kept & groups.spread(explained & groups.have(failed))
    return found


def acknowledged_copies(part: Values) -> Bools:
    """Copies in the final leader's log that are of a send that was acknowledged.

    Of a value that was also sent in vain, or nobody knows how, that is only a copy that stands
    where a send was told that its own does.
    """
    kept = part.kept_by_leader
    unsure = may_be_aborted(part, kept, untold=True)
    if not unsure.any():
        return kept
    rows = np.flatnonzero(unsure)
    told = np.flatnonzero(part.acknowledged & (part["offset"] >= 0))
    found = kept & ~unsure
    found[rows] = stand_with(part, rows, told)
    return found


def stand_apart(part: Values, stands: Bools, kept: Bools) -> Bools:
    """Values of which two copies stand apart that are of no transaction that may be aborted."""
    groups, offset = part.by_value_here, part["offset"]
    sure = stands & ~may_be_aborted(part, kept, untold=True)
    found: Bools = groups.spread(groups.least(offset, sure) < groups.largest(offset, sure))
    return found


def beyond_sends(part: Values, stands: Bools) -> Bools:
    """Values that stand at more offsets than they were sent to, as far as `stands` says.

    A copy that readers of committed records were handed, or that was acknowledged, is of a send
    that has not failed; any other one may also be of a transaction that was aborted.
    """
    groups, sends = part.by_value_here, part.is_kind(SEND)
    plain = part.of_clients(lambda client: client.transactional is False)
    good = sends & (part.is_word("outcome", "ok", "unknown") | part.open)
    often = np.maximum(groups.count(good), 1)
    aborted = groups.count(sends & part.is_word("outcome", "failed") & ~plain)
    committed = _offsets(part, stands & (part.polled_as_committed | sends))
    beyond = (committed > often) | (_offsets(part, stands) > often + aborted)
    found: Bools = groups.spread(beyond)
    return found


def _offsets(part: Values, rows: Bools) -> Ints:
    """For each value, at how many offsets these rows stand."""
    groups, at = part.by_value_here, np.flatnonzero(rows)
    number, offset = groups.spread(np.arange(len(groups.starts)))[at], part["offset"][at]
    order = in_order(number, offset)
    first = changes(number[order], offset[order])
    return np.bincount(number[order][first], minlength=len(groups.starts))


def sent_once(part: Values) -> Bools:
    """Sends of values that were sent once, to whatever partition, each as it was told last."""
    named = part.is_kind(SEND) & part.known("value")
    told = named & (~part.is_word("outcome", "invoked") | part.open)
    found: Bools = told & part.by_value.spread(part.by_value.count(told) == 1)
    return found


def may_be_repeated(part: Values) -> Bools:
    """Sends of producers that are known to be without idempotence."""
    plain = part.of_clients(lambda client: client.idempotence is False)
    return part.is_kind(SEND) & plain


def handed_out(part: Values) -> Iterator[tuple[str, Bools]]:
    """How often readers were handed values more than once, all readers together."""
    times = part.by_value_here.count(part.polled)
    for often in range(2, min(int(times.max(initial=0)), OFTEN) + 1):
        how = f"{often} times" if often < OFTEN else "more often"
        yield f"handed out {how}", times == often if often < OFTEN else times >= OFTEN


def may_be_elsewhere(part: Values) -> Bools:
    """Sends that succeeded where the log has no copy, beside others whose copy it may be.

    Those failed, or nobody knows whether their transaction was aborted; a copy that a reader of
    committed records was handed where it stands was not.
    """
    groups, offset, sends = part.by_value_here, part["offset"], part.is_kind(SEND)
    found = np.zeros(len(offset), bool)
    failed = sends & part.is_word("outcome", "failed") & part.known("value")
    untold = sends & (part.is_word("outcome", "unknown") | part.open) & part.known("value")
    untold &= ~part.of_clients(lambda client: client.transactional is False)
    if not failed.any() and not untold.any():
        return found
    good = sends & part.is_word("outcome", "ok") & (offset >= 0) & part.on_leader
    kept = np.flatnonzero(part.kept_by_leader & groups.anywhere(good))
    if not len(kept):
        return found
    shown = np.zeros(len(offset), bool)
    shown[kept] = stand_with(part, kept, np.flatnonzero(part.polled_as_committed))
    doubtful = groups.anywhere(failed) | (groups.anywhere(untold) & ~groups.anywhere(shown))
    mixed = np.flatnonzero(good & doubtful)
    if len(mixed):
        found[mixed] = ~stand_with(part, mixed, kept)
    return found


def stand_with(part: Values, rows: Ints, others: Ints) -> Bools:
    """Which of these rows have one of the others of their value and partition at their offset."""
    groups, offset = part.by_value_here, part["offset"]
    number = groups.spread(np.arange(len(groups.starts)))
    both = np.append(others, rows)
    pairs = alike(number[both], offset[both])
    found: Bools = np.isin(pairs[len(others) :], pairs[: len(others)])
    return found
