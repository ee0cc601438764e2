"""What is true of what readers were handed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from tests.model.clients import (
    FAILED,
    Handing,
    Reader,
    checksum_of,
)
from tests.model.facts import (
    ANY,
    NO,
    NOT_NO,
    NOT_YES,
    NOTHING,
    YES,
    Answers,
    Facts,
)
from tests.model.logs import ABORTED, COMMITTED, Partition


def phantom_read(facts: Facts) -> Iterator[Answers]:
    """Nobody had sent it to that partition; what failed elsewhere is an aborted read."""
    for one in facts.case.world.handings:
        if one.value is None:
            yield NOT_YES | NOTHING
            continue
        sends = facts.attempts(one.value, one.partition)
        if sends:
            early = all(each.invoked_ns > one.completed_ns for each in sends)
            yield YES if early else NO
        else:
            # of whatever failed it is an aborted read
            yield ANY if facts.failed_once(one.value) else YES


def aborted_read(facts: Facts) -> Iterator[Answers]:
    for one in facts.case.world.handings:
        if one.value is None:
            yield NOT_YES | NOTHING
        elif one.reader.takes_uncommitted and not _is_plain(facts, one):
            yield NOTHING  # it may be aborted
        elif facts.failed(one.value):
            yield YES
        else:
            transaction = one.entry.transaction if one.entry else None
            was_aborted = transaction is not None and transaction.state == ABORTED
            sends = facts.sends_of[one.value]
            told = {each.offset for each in sends if each.is_promised}
            misled = any(each.outcome == FAILED for each in sends) and one.offset not in told
            yield ANY if (was_aborted and len(sends) > 1) or misled else NO


def _is_plain(facts: Facts, one: Handing) -> bool:
    """Whether it was sent, and by nobody who uses transactions."""
    sends = facts.sends_of.get(one.value or 0, [])
    return bool(sends) and all(each.transaction is None for each in sends)


def corrupt_value(facts: Facts) -> Iterator[Answers]:
    for one in facts.case.world.handings:
        if one.value is None:
            yield YES
        else:
            known = one.value in facts.sends_of
            differs = one.checksum != checksum_of(one.value) or one.has_another_key
            yield YES if known and differs else NO | NOTHING
    if facts.case.evidence.has_logs:
        for disk in facts.case.disks:
            left_out = (disk.partition.name, disk.broker) in facts.case.evidence.without_log
            for each in () if left_out else disk.records:
                if each.problem:
                    yield YES
                elif each.value is not None and each.value in facts.sends_of:
                    differs = each.checksum != checksum_of(each.value) or each.has_another_key
                    yield YES if differs else NO
                else:
                    yield NO | NOTHING


def inconsistent_offsets(facts: Facts) -> Iterator[Answers]:
    held: dict[tuple[Partition, int], set[int]] = defaultdict(set)
    handed = {
        (one.partition, one.offset) for one in facts.case.world.handings if one.value is not None
    }
    for send in facts.case.world.sends:
        if send.is_promised and send.offset is not None:
            held[send.partition, send.offset].add(send.value)
    for one in facts.case.world.handings:
        if one.value is not None:
            held[one.partition, one.offset].add(one.value)
        else:
            yield NOT_YES | NOTHING
    logged = facts.logged
    for (partition, offset), values in held.items():
        stored = logged.get((partition, offset))
        if len(values) > 1:
            yield YES
        elif stored is not None and stored not in values:
            yield YES if (partition, offset) in handed and partition.settled() else ANY
        else:
            yield NO


def nonmonotonic_send(facts: Facts) -> Iterator[Answers]:
    """Placed below one that was acknowledged before it was sent, by one client."""
    case = facts.case
    for partition, promised in facts.promised.items():
        told = [one for one in promised if one.offset is not None]
        yield from [NO] * len(told)
        del partition
        for later in told:
            for earlier in told:
                if earlier.client != later.client or earlier is later:
                    continue
                assert earlier.offset is not None
                assert later.offset is not None
                assert earlier.completed_ns is not None
                if later.offset > earlier.offset or earlier.completed_ns >= later.invoked_ns:
                    continue
                if later.offset == earlier.offset:
                    yield ANY
                elif case.precedes(earlier.completed_ns, later.invoked_ns):
                    yield YES
                else:
                    yield ANY


def nonmonotonic_poll(facts: Facts) -> Iterator[Answers]:
    for mine in facts.by_reader.values():
        high = -1
        for one in mine:
            yield YES if one.offset <= high else NO
            high = max(high, one.offset)


def poll_skip(facts: Facts) -> Iterator[Answers]:
    at: dict[tuple[Partition, int], list[Handing]] = defaultdict(list)
    for one in facts.case.world.handings:
        at[one.partition, one.offset].append(one)
    for mine in facts.by_reader.values():
        reader, got = mine[0].reader, {one.offset for one in mine}
        yield NO
        for offset in range(min(got) + 1, max(got)):
            others = at.get((reader.partition, offset), [])
            if offset not in got and others:
                if not reader.takes_uncommitted:
                    shown = [one for one in others if facts.is_surely_committed(one)]
                    yield _skipped(facts, reader, offset, shown) if shown else _veiled(others)
                else:
                    yield _skipped(facts, reader, offset, others)


def _veiled(others: list[Handing]) -> Answers:
    """Only readers of uncommitted records were handed it."""
    transactions = {one.entry.transaction for one in others if one.entry is not None}
    may_be_told = any(one is not None and one.state == COMMITTED for one in transactions)
    return ANY | NOTHING if may_be_told else NOTHING


def _may_be_aborted(facts: Facts, one: Handing) -> bool:
    return facts.failed_once(one.value) and not facts.is_surely_committed(one)


def _skipped(  # noqa: PLR0911 - a case each
    facts: Facts, reader: Reader, offset: int, others: list[Handing]
) -> Answers:
    if (reader.reset_past or 0) > offset:
        told = facts.case.evidence.has_ends and facts.case.evidence.has_starts
        starts = [one.start for one in reader.partition.replicas.values()]
        # An unclean election may bring back what had been deleted.
        untold = facts.case.tells_limits and not facts.case.evidence.has_ends
        return NOT_YES if untold or (told and offset < max(starts)) else ANY
    if not any(one.is_sound for one in others):
        return ANY  # what the others were handed was no record to be handed
    if all(facts.failed(one.value) for one in others):
        return NOT_YES
    if all(one.reader.takes_uncommitted and _may_be_aborted(facts, one) for one in others):
        return ANY
    mine = [one for one in facts.passes(reader.partition, offset) if one.reader is reader]
    if not mine:
        return ANY  # it came from above, and went back
    passed = mine[0]
    if not facts.tells_starts and (facts.case.evidence.has_ends or facts.case.tells_limits):
        return NOT_NO  # nobody tells what was deleted
    entries = {one.entry for one in others if one.is_sound}
    here = [one for one in reader.partition.replicas.values() if offset < one.end]
    steady = len(entries) == 1 and any(one.log[offset] in entries for one in here)
    sends = [s for one in others for s in facts.attempts(one.value, reader.partition)]
    there_before = any(s.is_promised and (s.completed_ns or 0) < passed.at_ns for s in sends)
    if any(one.start > offset for one in reader.partition.replicas.values()):
        return ANY  # deleted since, or before it got there
    return YES if steady and there_before else ANY
