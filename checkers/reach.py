"""Which records are gone: what the final leader's log says, and where there is none, readers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from highwater.checkers.attempts import may_be_elsewhere
from highwater.checkers.facts import Facts, Place
from highwater.checkers.findings import Findings
from highwater.checkers.groups import GroupProgress
from highwater.checkers.neighbours import Groups
from highwater.checkers.parts import LOG, Offsets, Values
from highwater.checkers.readings import BACKWARDS, end_below, stand_at
from highwater.checkers.rows import LAST, NONE, Bools, Ints, changes
from highwater.checkers.spans import Passage, Reader, moments_of, within

UNREADABLE = "a reader could make out no value at its offset"

Reason = tuple[str, Bools]  # why records cannot be judged, and which; "" for those that are there


@dataclass(frozen=True, slots=True)
class Records:
    """Records of one partition, each with what is known of it.

    `offset` is below 0 where nobody told it; `read` is whether a reader was handed the record,
    `in_log` whether the final leader's log has it, `elsewhere` whether all that this log has may be
    copies of aborted attempts, and `hidden` whether a reader that began after
    the record was committed found the log's end at or below it.
    """

    offset: Ints
    begun_ns: Ints
    checksum: Ints
    read: Bools
    in_log: Bools
    elsewhere: Bools
    hidden: Bools


def has_leader_log(facts: Facts, place: Place) -> bool:
    """Whether the final leader's log is in the record; an empty one needs no rows."""
    leader = facts.leader(place)
    if leader is None:
        return False
    start, end = leader.log_start_offset, leader.log_end_offset
    return bool(facts.leader_log(place).records) or (start is not None and start == end)


def is_settled(facts: Facts, place: Place) -> bool:
    """Whether the final state is known, and was the same before and after the final read."""
    ends = facts.replicas.get(place, ())
    return facts.leader(place) is not None and all(each.settled for each in ends)


def is_there(part: Values) -> Bools:
    """What needs no second look: the final log has it, or readers did and no end was below it."""
    facts = part.facts
    settled = part.of_place(lambda place: is_settled(facts, place)) == 1
    unled = part.of_place(lambda place: facts.leader(place) is None) == 1
    there: Bools = unled & part.read & ~end_below(part)
    if settled.any():
        there |= settled & part.on_leader & ~may_be_elsewhere(part)
    return there


def lost(part: Values, asked: Bools, found: Findings, promised: Bools) -> Bools:
    """Which of the asked records are lost; what nobody can tell of promised ones is a doubt."""
    gone = np.zeros(len(asked), bool)
    for why, rows in fates(part, asked):
        if why is None:
            gone[rows] = True
        else:
            found.doubt(why, np.count_nonzero(promised[rows]))
    return gone


def fates(part: Values, asked: Bools) -> Iterator[tuple[str | None, Ints]]:
    """Of the asked records those that are lost (None), and why nobody can tell of others.

    What is left is there.
    """
    if not asked.any():
        return
    hidden = part.read & end_below(part)
    elsewhere = may_be_elsewhere(part)
    stands = stand_at(part, asked)
    for number in np.unique(part["place"][asked]):
        place = part.places[number]
        left = np.flatnonzero(asked & (part["place"] == number))
        records = Records(
            offset=stands[left],
            begun_ns=part["invoked_ns"][left],
            checksum=part["checksum"][left],
            read=part.read[left],
            in_log=part.on_leader[left],
            elsewhere=elsewhere[left],
            hidden=hidden[left],
        )
        undecided_yet = np.ones(len(left), bool)
        for why, rows in undecided(part.facts, place, records):
            if why:
                yield f"{place[0]}-{place[1]}: {why}", left[undecided_yet & rows]
            undecided_yet &= ~rows
        yield None, left[undecided_yet]


def undecided(facts: Facts, place: Place, records: Records) -> Iterator[Reason]:
    """For each record the first reason that fits is its own; what has none is lost."""
    everywhere = np.ones(len(records.offset), bool)
    if facts.leader(place) is None:
        yield from _by_readers(facts, place, records)
    elif not has_leader_log(facts, place):
        yield "", records.read
        yield "the leader's log is not in the record", everywhere
    else:
        yield from _by_the_log(facts, place, records)
    if facts.promises.is_compacted(place[0]):
        yield "the topic is compacted", everywhere


def _by_readers(facts: Facts, place: Place, records: Records) -> Iterator[Reason]:
    """Jepsen's rule: lost is what readers passed and were not handed."""
    yield "handed to a reader, and a later reader found the log's end below it", records.hidden
    yield "", records.read
    yield UNREADABLE, within(records.offset, facts.unreadable.get(place, ()))
    spans = facts.passed.get(place, ())
    if not spans:
        yield "no reader is known to have passed any offset", np.ones(len(records.offset), bool)
    yield "acknowledged without an offset", records.offset < 0
    yield "unseen, no reader is known to have passed its offset", ~within(records.offset, spans)
    passed_ns = facts.passed_until_ns(place, records.offset)
    yield "unseen, readers had passed its offset before it was sent", passed_ns < records.begun_ns
    if facts.promises.topic(place[0]).deletes:
        gone = records.offset < begins(facts, place)
        yield "unseen, retention may have deleted it before any reader came to it", gone


def _by_the_log(facts: Facts, place: Place, records: Records) -> Iterator[Reason]:
    leader, everywhere = facts.leader(place), np.ones(len(records.offset), bool)
    if not is_settled(facts, place):
        yield "", records.in_log & records.read
        yield "the replicas had not settled when the final read was made", everywhere
    yield "the leader's log has only a copy that may be aborted", records.elsewhere
    yield "", records.in_log
    start = None if leader is None else leader.log_start_offset
    if start is None:
        yield "", records.read
        yield "nobody told where the leader's log starts", everywhere
    elif facts.promises.topic(place[0]).tiered and (first := facts.leader_log(place).first) > start:
        yield "the leader's log may be in remote storage", records.offset < first
    elif start > 0:
        deleted = records.offset < start  # or may have been, where nobody told the offset
        yield "", deleted & records.read
        yield "the leader's log starts only after it", deleted
    log = facts.leader_log(place)
    if log.problems:
        yield "the leader's log is damaged", everywhere
    why = "the leader's log has a record there of which nobody knows the value"
    if log.nameless:
        yield why, (records.offset < 0) | within(records.offset, log.nameless)
    if len(log.foreign):
        yield why, np.isin(records.checksum, log.foreign)


def leader_starts(part: Values) -> Ints:
    """For each row where its partition's final leader said that its log starts; NONE: untold."""

    def start(place: Place) -> int:
        leader = part.facts.leader(place)
        told = None if leader is None else leader.log_start_offset
        return NONE if told is None else told

    return part.of_place(start)


def excuses_for_unread(
    part: Values, offset: Ints, asked: Bools, *, as_committed: bool = False
) -> Iterator[Reason]:
    """Why records that stand at these offsets of the log need not have been handed to anybody.

    Or to any reader of committed records.
    """
    unreadable, before = np.zeros((2, len(offset)), bool)
    known_ns = part["completed_ns"]
    for number in np.unique(part["place"][asked]):
        here, place = np.flatnonzero(asked & (part["place"] == number)), part.places[number]
        unreadable[here] = within(offset[here], part.facts.unreadable.get(place, ()))
        since_ns = part.facts.passed_since_ns(place, offset[here], as_committed=as_committed)
        before[here] = since_ns <= known_ns[here]
    yield UNREADABLE, unreadable
    yield "nobody told when it was acknowledged", asked & (known_ns == NONE)
    yield BACKWARDS, asked & part.ran_backwards
    yield "readers may have passed its offset before it was acknowledged", before


def veiled(part: Values, offset: Ints, asked: Bools) -> Bools:
    """Handed to readers of uncommitted records alone, though one of committed ones passed it."""
    found: Bools = asked & part.read & ~part.by_value_here.anywhere(part.polled_as_committed)
    if found.any():
        for _, rows in excuses_for_unread(part, offset, found, as_committed=True):
            found &= ~rows
    return found


def excuses_for_skipped(part: Offsets, reader: Reader, skipped: Bools) -> Iterator[Reason]:
    """Why a reader need not have been handed what it skipped in a partition."""
    if reader in part.facts.untold:
        yield "nobody told at which offsets it was handed some", skipped.copy()
    place, client = reader
    is_loud = client in part.facts.promises.uncommitted
    handed = part.placed if is_loud else part.handed_as_committed
    yield from excuses(part, place, skipped, handed)
    yield from _cut_short(part, place, handed)
    own = [each for each in part.facts.passages.get(place, ()) if each.client == client]
    passed_ns = moments_of(own, part["offset"], _surely_passed_ns)
    offsets = Groups(changes(part["place"], part["offset"]))
    sent_ns = offsets.spread(offsets.least(part["invoked_ns"], part.acknowledged))
    yield "sent when the reader had passed its offset", sent_ns > passed_ns


def _surely_passed_ns(passage: Passage) -> Ints:
    """Of polls of which nobody told the end, when they began: it may have been soon after."""
    return np.where(passage.until_ns == LAST, passage.since_ns, passage.until_ns)


def excuses_for_undone(
    part: Offsets, place: Place, group: GroupProgress, undone: Bools
) -> Iterator[Reason]:
    """Why a group need not have processed what readers were handed below its position."""
    offset = part["offset"]
    if not group.tells:
        yield "nobody told what its group processed", np.ones(len(offset), bool)
    yield "nobody told where the group began", offset < group.begin
    yield "a commit of a lower position may have been the last", offset >= group.surely_committed
    yield from _cut_short(part, place, part.handed_as_committed)
    yield from excuses(part, place, undone, part.handed_as_committed)


def _cut_short(part: Offsets, place: Place, handed: Bools) -> Iterator[Reason]:
    """Where a log may have other records by now than readers were handed, as it was cut short."""
    offsets = Groups(changes(part["place"], part["offset"]))
    least, most = offsets.least(part["value"], handed), offsets.largest(part["value"], handed)
    yield "readers were handed several values at its offset", offsets.spread(least != most)
    if has_leader_log(part.facts, place):
        kept = part.is_kind(LOG) & (part["is_control"] == 0) & ~part.known("problem")
        kept &= part.known("broker") & (part["broker"] == part.leaders)
        same = offsets.anywhere(kept & (part["value"] == offsets.spread(most)))
        yield "the leader's log has something else at its offset, or nothing", ~same


def excuses(part: Offsets, place: Place, skipped: Bools, handed: Bools) -> Iterator[Reason]:
    """Why a partition's records need not have been handed to anybody in particular.

    `handed` are those that somebody was, of all that whoever is asked ought to have been.
    """
    if not skipped.any():
        return
    start = begins(part.facts, place)
    compacted = part.facts.promises.is_compacted(place[0])
    yield "deleted or compacted since", (part["offset"] < start) | compacted
    offsets = Groups(changes(part["place"], part["offset"]))
    failed = handed.copy()
    failed[handed] = part.facts.may_have_failed(part["value"][handed])
    aborted = offsets.anywhere(failed)
    if part.facts.failed or place in part.facts.nameless:  # one may have been what nobody made out
        aborted |= ~offsets.anywhere(handed & part.known("value"))
    aborted &= ~offsets.anywhere(part.acknowledged)
    yield "sent by a send that failed", aborted


def begins(facts: Facts, place: Place) -> int:
    """Below which offset records may have been deleted before readers came to them.

    A replica deletes by itself, so that the highest start of any log counts. The first record of
    the leader's log where nobody told where that starts; LAST where nobody knows that either, and
    where a limit to retention is set: a log's last file may still have what was deleted from it.
    """
    leader, ends = facts.leader(place), facts.replicas.get(place, ())
    told = [end.log_start_offset for end in ends if end.log_start_offset is not None]
    deletes = facts.promises.topic(place[0]).deletes
    if leader is not None and leader.log_start_offset is None:
        told.append(LAST if deletes else facts.leader_log(place).first)
    may_delete = bool(ends) or deletes
    return max(told, default=LAST if may_delete else 0)
