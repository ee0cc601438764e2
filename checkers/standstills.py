"""What a group had left when it ended, and since when it had been handed nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from highwater.checkers.facts import Facts, Place
from highwater.checkers.findings import Witness
from highwater.checkers.left_alone import LeftAlone
from highwater.checkers.parts import LOG, POLL, SEND, Values
from highwater.checkers.promises import EARLIEST, UNCOMMITTED, Client
from highwater.checkers.rows import LAST, NONE, Ints, numbered

NOTHING = LAST, LAST  # no offset, and no value
TOO_SHORT = "the group was left alone for less time than it may take, or nobody knows how long"
BUSY = "who had the partition was handed records of others, and may have had no time for its own"
MAY_BE_LEFT = "nobody knows whether anything was left to read"
UNREAD = "nobody knows since when what is left could be read, or whether it was there"


class Left(NamedTuple):
    """Of what a part has of one partition of a group.

    `is_left` is whether there is a record beyond all that the group committed and was handed,
    `may_be_left` whether there may be one, and `is_unsure` whether somebody was handed one who may
    be a member. `handed` has of each of its clients when it was handed something last. `acked` and
    `seen` are the first that stood there when nothing was done any more and could be read in time:
    by their acknowledgement, which says so where there are no transactions, or because another
    reader was handed them.
    """

    is_left: bool
    may_be_left: bool
    is_unsure: bool
    is_plain: bool
    handed: Mapping[str, int]
    acked: tuple[int, int]
    seen: tuple[int, int]

    @property
    def moved_ns(self) -> int:
        """When the group was handed something last."""
        return max(self.handed.values(), default=NONE)


def begins(facts: Facts, one: LeftAlone) -> int:
    """Below this a record has been committed, or handed to a member that need not be again.

    To whoever is given the partition later what nobody asked to commit is.
    """
    handed = [
        last + 1 if _is_present(facts, one, client) else min(last + 1, one.asked)
        for (place, client), (_, last) in facts.handed_within.items()
        if place == one.place and facts.promises.client(client).group == one.group
    ]
    return max([one.committed, 0, *handed])


def _is_present(facts: Facts, one: LeftAlone, client: str) -> bool:
    """Whether a reader may be that of whoever was given the partition last."""
    began_ns = facts.promises.client(client).began_ns
    if one.asked == LAST or began_ns is None or began_ns >= one.dealt_ns:
        return True
    own = [each for each in facts.passages.get(one.place, ()) if each.client == client]
    return any(bool((each.until_ns >= one.dealt_ns).any()) for each in own)


def read_to(facts: Facts, one: LeftAlone) -> tuple[int, int]:
    """Up to where a reader got when nothing was done any more that is none of its members.

    It passed everything from where they begin. And when it began to look for the end; NONE, NONE
    where there is no such reader.
    """
    ends = [(NONE, NONE)]
    since_ns = LAST if one.steady is None else one.steady.since_ns
    for each in facts.readings:
        client = facts.promises.client(each.client)
        is_another = client.is_told and client.group != one.group
        if each.place != one.place or not is_another or client.isolation == UNCOMMITTED:
            continue
        if facts.promises.begins_at_0(each.client, one.place[0]):
            first = 0
        else:
            first = facts.handed_within.get((one.place, each.client), (LAST, LAST))[0]
        if each.action == "end" and each.invoked_ns >= since_ns and first <= begins(facts, one):
            ends.append((NONE if each.offset is None else each.offset, each.invoked_ns))
    return max(ends)


def _is_longer(facts: Facts, one: LeftAlone) -> bool:
    """Whether somebody found the log's end beyond all that is known to have been passed."""
    known = max(begins(facts, one), read_to(facts, one)[0])
    return any(
        each.action == "end" and each.offset is not None and each.offset > known
        for each in facts.readings
        if each.place == one.place and facts.promises.client(each.client).group != one.group
    )


def why_unsure(facts: Facts, one: LeftAlone, found: Left) -> str:
    """Why nobody knows whether what lies beyond was there for this group; "" where it was."""
    if found.is_unsure:
        return "somebody was handed it who may be a member"
    promises, untold = facts.promises, [name for place, name in facts.untold if place == one.place]
    topic, may_be_empty = promises.topic(one.place[0]), promises.groups.get(one.group) == EARLIEST
    if any(_may_be_its(promises.client(name), one.group) for name in untold):
        return "nobody told at which offsets its members were handed records"
    if not begins(facts, one) and not may_be_empty:
        return "nobody told where the group began"
    if topic.deletes or promises.is_compacted(one.place[0]):
        return "what it has left may have been deleted"
    return ""


def _may_be_its(client: Client, group: str) -> bool:
    return client.group == group or not client.is_told


def left(part: Values) -> Iterator[tuple[int, Left]]:
    """Of each partition of a group of which the part has something, by its number."""
    of_place: dict[Place, list[tuple[int, LeftAlone]]] = defaultdict(list)
    for number, one in enumerate(part.facts.left_alone):
        of_place[one.place].append((number, one))
    whose = {one.group: _Whose(part, one.group) for one in part.facts.left_alone}
    for at, place in enumerate(part.places):
        if place in of_place:
            here = np.flatnonzero(part["place"] == at)
            for number, one in of_place[place]:
                yield number, _left(part, one, whose[one.group], here)


class _Whose:
    """Which rows are of members of a group, of others, and of clients who may be either."""

    def __init__(self, part: Values, group: str) -> None:
        polls = part.is_kind(POLL)
        is_told = part.of_clients(lambda client: client.is_told)
        mine = part.of_clients(lambda client: client.group == group)
        self.mine, self.unknown = polls & mine, polls & ~is_told
        self.others = polls & is_told & ~mine & ~part.reads_uncommitted & part.known("value")
        plain = part.of_clients(lambda client: client.transactional is False)
        self.in_transactions = part.is_kind(SEND) & ~plain
        told_last = ~part.is_word("outcome", "invoked") | part.open
        sent = part.is_kind(SEND) & told_last & ~part.is_word("outcome", "failed")
        kept = part.is_kind(LOG) & (part["is_control"] == 0) & (part["broker"] == part.leaders)
        self.may_be_there = sent | kept | (polls & ~mine)
        self.unreadable = polls & is_told & ~mine & ~part.reads_uncommitted & ~part.known("value")


def _left(part: Values, one: LeftAlone, whose: _Whose, here: Ints) -> Left:
    """`here` are the rows of its partition."""
    mine, unknown, seen, sends = (
        mask[here] for mask in (whose.mine, whose.unknown, whose.others, whose.in_transactions)
    )
    offset, value = part["offset"][here], part["value"][here]
    begun_ns, told_ns = part["invoked_ns"][here], part.ended_ns[here]
    ended_ns = np.where(told_ns == NONE, LAST, np.maximum(told_ns, begun_ns))
    beyond, in_time = offset >= begins(part.facts, one), ended_ns <= one.latest_ns
    kept, seen = part.acknowledged[here] & beyond, seen & beyond
    lasting = seen & (begun_ns >= (LAST if one.steady is None else one.steady.since_ns))
    there, unreadable = whose.may_be_there[here], whose.unreadable[here]
    end, at_ns = read_to(part.facts, one)
    passed = (offset < end) & ((offset >= 0) | (begun_ns <= at_ns)) & ~unreadable
    record = numbered(value, offset)
    acked = kept & in_time & np.isin(record, record[lasting])
    return Left(
        bool(kept.any() or seen.any()),
        bool((there & (beyond | (offset < 0)) & ~passed).any()),
        bool((unknown & beyond).any()),
        not sends.any(),
        _last_by_client(part, here[mine], ended_ns[mine]),
        *(
            min(zip(offset[rows].tolist(), value[rows].tolist(), strict=True), default=NOTHING)
            for rows in (acked, lasting & in_time)
        ),
    )


def _last_by_client(part: Values, rows: Ints, ended_ns: Ints) -> Mapping[str, int]:
    clients, firsts = np.unique(part["client"][rows], return_index=True)
    return {
        str(part.text("client", rows[first])): int(ended_ns[part["client"][rows] == client].max())
        for client, first in zip(clients, firsts, strict=True)
    }


def together(several: list[Left]) -> Left:
    """What all parts tell of one partition of a group."""
    return Left(
        any(each.is_left for each in several),
        any(each.may_be_left for each in several),
        any(each.is_unsure for each in several),
        all(each.is_plain for each in several),
        _latest(each.handed for each in several),
        min((each.acked for each in several), default=NOTHING),
        min((each.seen for each in several), default=NOTHING),
    )


def _latest(several: Iterable[Mapping[str, int]]) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for each in several:
        for client, at_ns in each.items():
            found[client] = max(at_ns, found.get(client, NONE))
    return found


def busy_until(facts: Facts, one: LeftAlone, group: Iterable[Left]) -> int:
    """When the group was handed something last, but for those of its members who had others to do.

    These did not have the partition in the end; whoever is no member by any name may have had it.
    """
    return max(
        (
            at_ns
            for each in group
            for client, at_ns in each.handed.items()
            if not {client, facts.promises.client(client).client_id} & one.others
        ),
        default=NONE,
    )


def each_decided(
    facts: Facts, pairs: Sequence[tuple[LeftAlone, Left]]
) -> Iterator[Witness | str | None]:
    """Of each partition of a group, with what it had left."""
    for one, own in pairs:
        group = [each for other, each in pairs if other.group == one.group]
        yield _decide(facts, one, own, busy_until(facts, one, group))


def _decide(facts: Facts, one: LeftAlone, found: Left, handed_ns: int) -> Witness | str | None:
    """A witness of a group that stands still, why nobody knows, or None: it does not.

    `handed_ns` is when whoever had the partition was handed something last, of whatever partition.
    """
    may_be_left = found.may_be_left or _is_longer(facts, one)
    if not found.is_left and not may_be_left:
        return None
    steady, least_ns = one.steady, one.least_ns
    if steady is None:
        return "nobody told from when on nothing was done to the group"
    if least_ns is None:
        return "nobody told the group's session.timeout.ms"
    quiet_ns = max(steady.since_ns, found.moved_ns)
    if steady.until_ns - quiet_ns < least_ns:
        return None if steady.since_ns <= found.moved_ns < LAST else TOO_SHORT
    is_busy = steady.until_ns - handed_ns < least_ns
    if is_busy or not found.is_left:
        return BUSY if is_busy else MAY_BE_LEFT
    offset, value = min(found.seen, found.acked if found.is_plain else NOTHING)
    why = why_unsure(facts, one, found) or (UNREAD if offset == LAST else "")
    return why or {
        "topic": one.place[0],
        "partition": one.place[1],
        "group": one.group,
        "offset": offset,
        "value": value,
        "committed": None if one.committed == NONE else one.committed,
        "since_ns": quiet_ns,
        "until_ns": steady.until_ns,
    }
