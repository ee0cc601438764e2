"""What is true of writes: whether they are lost, stand twice, or were never handed over."""

from __future__ import annotations

from collections.abc import Iterator

from tests.model.clients import FAILED, KEEPS_ORDER, Handing, Send
from tests.model.disks import Disk, Stored
from tests.model.facts import (
    ANY,
    NO,
    NOT_NO,
    NOT_YES,
    NOTHING,
    OPEN,
    YES,
    Answers,
    Facts,
    Passage,
)
from tests.model.logs import Partition


def reordered(facts: Facts) -> Iterator[Answers]:
    """Told to stand below what the same client had been given before; who promises not to?

    It is wrong if it was acknowledged before the first of these.
    """
    rounded = facts.case.evidence.rounded
    for promised in facts.promised.values():
        told = [one for one in promised if one.offset is not None]
        for one in told:
            above = [each for each in told if _stands_above(each, one)]
            first = min(above, key=lambda each: each.op, default=one)
            if first.op >= one.op:
                yield NO
            elif KEEPS_ORDER.get(one.client) is not True:
                yield OPEN if KEEPS_ORDER.get(one.client) is None else NO
            else:
                done, before = one.completed_ns, first.completed_ns
                assert done is not None
                assert before is not None
                yield YES if rounded(done) < rounded(before) else OPEN


def _stands_above(one: Send, other: Send) -> bool:
    assert one.offset is not None
    assert other.offset is not None
    return one.client == other.client and one.offset > other.offset


def lost_write(facts: Facts) -> Iterator[Answers]:
    for partition in facts.case.world.partitions:
        for one in facts.promised[partition]:
            yield lost(facts, one)
        yield from _handed_and_gone(facts, partition)


def lost(facts: Facts, one: Send) -> Answers:
    evidence, disk = facts.case.evidence, facts.leader_disk(one.partition)
    if not evidence.has_ends:
        return _lost_by_readers(facts, one)
    log = read_log(facts, one.partition)
    if log is None or disk is None:
        return _lost_somewhere(facts, one)
    copies = [each for each in log if each.value == one.value]
    if any(not each.is_aborted for each in copies):
        return NO if _is_final(facts, disk) and not _is_elsewhere(facts, one, copies) else NOT_YES
    if copies:
        return ANY
    if not one.partition.settled():
        return _lost_somewhere(facts, one)
    return _gone(facts, one, disk)


def _is_elsewhere(facts: Facts, one: Send, copies: list[Stored]) -> bool:
    """Whether what is there may be the copy of another attempt, as far as anybody was told."""
    tried = facts.attempts(one.value, one.partition)
    failed = any(each.outcome == FAILED for each in tried)
    misleads = "acknowledges at a wrong offset" in facts.case.settings.bugs
    return failed and (misleads or one.offset not in {each.offset for each in copies})


def _gone(facts: Facts, one: Send, disk: Disk) -> Answers:
    """It is not in the settled leader's log: lost, unless its front was deleted with it."""
    if disk.is_damaged or not facts.case.evidence.has_starts:
        return _lost_somewhere(facts, one)
    if disk.start and (one.offset is None or one.offset < disk.start):
        if one.offset is None and facts.was_handed(one):
            return ANY  # where it was handed out tells where it stood
        return NOT_YES if facts.was_handed(one) else OPEN
    return NOT_NO if _has_strangers(disk) else YES


def _has_strangers(disk: Disk) -> bool:
    """Records of which nobody knows the value: what is missed may be one of these."""
    return any(each.value is None and not each.is_control for each in disk.records)


def _is_final(facts: Facts, disk: Disk) -> bool:
    evidence = facts.case.evidence
    return (
        disk.partition.settled()
        and not disk.is_damaged
        and evidence.has_starts
        and any(
            stop.action == "end" and stop.reader.partition is disk.partition
            for stop in facts.case.world.stops
            if stop.offset == disk.partition.lead.end
        )
    )


def read_log(facts: Facts, partition: Partition) -> list[Stored] | None:
    """The final leader's log as far as the record has it."""
    disk, evidence = facts.leader_disk(partition), facts.case.evidence
    if disk is None or not evidence.has_logs:
        return None
    gone = (partition.name, disk.broker) in evidence.without_log
    return None if gone else disk.records


def is_nowhere(facts: Facts, one: Send) -> bool:
    """No replica has any copy of it, deleted ones included."""
    logs = [replica.log for replica in one.partition.replicas.values()]
    disks = [disk.records for disk in facts.case.disks if disk.partition is one.partition]
    kept = any(entry in log for entry in one.placed for log in logs)
    bugs = any(disk.bugs for disk in facts.case.disks if disk.partition is one.partition)
    return not kept or (bugs and all(each.value != one.value for disk in disks for each in disk))


def _lost_somewhere(facts: Facts, one: Send) -> Answers:
    """Too little is in the record to ask for more than that nothing false is said."""
    if is_nowhere(facts, one):
        return ANY
    passed = one.offset is not None and facts.passes(one.partition, one.offset)
    hidden = passed and not facts.was_handed(one)
    return NOT_NO | NOT_YES if hidden else NOT_YES


def _lost_by_readers(facts: Facts, one: Send) -> Answers:
    """Jepsen's rule: who was handed something below, and got beyond, would have been handed it."""
    if handed := facts.handed_of.get((one.partition, one.value)):
        lead = one.partition.lead.log if one.partition.leader is not None else []
        if not any(entry in lead for entry in one.placed):
            return ANY
        return NO if {each.offset for each in handed} == {one.offset} else NOT_YES
    if one.offset is None:
        return NOT_NO if is_nowhere(facts, one) else OPEN
    passes = facts.passes(one.partition, one.offset)
    if facts.case.tells_limits:
        return NOT_YES  # retention may have deleted it before anybody came to it
    other = any(each.offset == one.offset for each in facts.handed_at[one.partition])
    reset = any((each.reader.reset_past or 0) > one.offset for each in passes)
    if reset or other or _is_misled(facts, one, one.offset):
        return ANY
    return _passed(facts, one, passes)


def _is_misled(facts: Facts, one: Send, offset: int) -> bool:
    """Whether a broker told a wrong offset."""
    if "acknowledges at a wrong offset" not in facts.case.settings.bugs:
        return False
    logs = [replica.log for replica in one.partition.replicas.values()]
    return all(offset >= len(log) or log[offset] not in one.placed for log in logs)


def _passed(facts: Facts, one: Send, passes: list[Passage]) -> Answers:
    assert one.offset is not None
    assert one.completed_ns is not None
    during = [p for p in passes if not facts.case.precedes(p.until_ns, one.invoked_ns)]
    if is_nowhere(facts, one):
        return YES if during else NOT_NO
    if any(facts.case.precedes(one.completed_ns, each.at_ns) for each in passes):
        return YES
    stops = [stop for stop in facts.case.world.stops if stop.reader.partition is one.partition]
    if not during and not passes and any(stop.offset > one.offset for stop in stops):
        return NOT_NO
    return ANY if during else OPEN  # it may have been put there later, after a loss


def _handed_and_gone(facts: Facts, partition: Partition) -> Iterator[Answers]:
    """What a reader was handed was committed, whatever its acks."""
    log, disk = read_log(facts, partition), facts.leader_disk(partition)
    promised = {one.value for one in facts.promised[partition]}
    there = {one.value for one in log or ()}
    for (where, value), handed in facts.handed_of.items():
        if where is not partition or value in promised or not facts.attempts(value, partition):
            continue
        if log is not None and value in there:
            yield NOT_YES | NOTHING if facts.failed_once(value) else NO | NOTHING
        elif log is None or disk is None or not facts.case.evidence.has_ends:
            yield NOT_YES | NOTHING
        else:
            yield _committed_and_gone(facts, disk, handed)


def _committed_and_gone(facts: Facts, disk: Disk, handed: list[Handing]) -> Answers:
    if facts.failed(handed[0].value) or not all(one.is_sound for one in handed):
        return ANY | NOTHING
    if disk.is_damaged or not facts.case.evidence.has_starts or not disk.partition.settled():
        return ANY | NOTHING
    if any(one.offset < disk.start for one in handed):
        return NOT_YES | NOTHING
    return NOT_NO if _has_strangers(disk) else YES


def unseen(facts: Facts) -> Iterator[Answers]:
    for partition in facts.case.world.partitions:
        log, disk = read_log(facts, partition), facts.leader_disk(partition)
        if log is None or disk is None or not facts.case.evidence.has_ends:
            yield NOT_YES | NOTHING
            continue
        for one in facts.promised[partition]:
            yield _unseen(facts, one, disk)


def _unseen(facts: Facts, one: Send, disk: Disk) -> Answers:  # noqa: PLR0911 - a case each
    stored = [each for each in disk.records if each.value == one.value]
    copies = [each for each in stored if not each.is_aborted]
    if not copies:
        return NOT_YES | NOTHING
    if facts.shown(one):
        return NO | NOTHING
    is_veiled = facts.was_handed(one)
    offsets = [each.offset for each in copies]
    untold = one.offset is None and len(copies) < len(stored)  # which is its own, which aborted
    if untold or (len(offsets) > 1 and max(offsets) >= disk.start):
        return ANY | NOTHING
    if min(offsets) < disk.start or not facts.case.evidence.has_starts or len(offsets) > 1:
        return NOT_YES | NOTHING
    passes = facts.passes(one.partition, offsets[0], of_committed=is_veiled)
    assert one.completed_ns is not None
    if any((each.reader.reset_past or 0) > offsets[0] for each in passes):
        return ANY | NOTHING
    there = [each for each in facts.handed_at[one.partition] if each.offset == offsets[0]]
    if any(each.value != one.value for each in there):
        return ANY | NOTHING  # of which no value could be made out
    if any(facts.case.precedes(one.completed_ns, each.at_ns) for each in passes):
        return YES if disk.partition.settled() else NOT_NO
    stops = [stop for stop in facts.case.world.stops if stop.reader.partition is one.partition]
    ended_beyond = any(stop.offset > offsets[0] for stop in stops)
    return ANY | NOTHING if ended_beyond else NOT_YES | NOTHING
