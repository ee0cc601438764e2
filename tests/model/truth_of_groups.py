"""What is true of what groups of readers committed, and had processed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from tests.model.clients import GROUPS, OK, Commit, Handing, Holding
from tests.model.facts import ANY, NO, NOT_NO, NOT_YES, NOTHING, OPEN, YES, Answers, Facts
from tests.model.logs import Partition


def commit_regression(facts: Facts) -> Iterator[Answers]:
    """A group's position was set back; at one moment nobody can tell which came first."""
    highest: dict[tuple[int, Partition], list[Commit]] = defaultdict(list)
    for one in facts.case.world.commits:
        before = highest[one.group, one.partition]
        late = [each for each in before if facts.case.precedes(each.at_ns, one.at_ns)]
        yield YES if any(each.offset > one.offset for each in late) else NO
        before.append(one)


def committed_beyond_end(facts: Facts) -> Iterator[Answers]:
    """Each group's highest position in each partition: did any replica ever reach that far?"""
    highest: dict[tuple[int, Partition], int] = defaultdict(int)
    for one in facts.case.world.commits:
        whose = one.group, one.partition
        highest[whose] = max(one.offset, highest[whose])
    for (_, partition), position in highest.items():
        is_told = position <= _told_end(facts, partition)
        if position <= partition.longest:
            yield NO if is_told else NOT_YES
        elif is_told:
            yield ANY  # the record has an offset at which nothing ever stood
        else:
            yield YES if _is_all_told(facts, partition, position) else NOT_NO


def _told_end(facts: Facts, partition: Partition) -> int:
    """How far the record says that the log reached: by brokers, readers, or acknowledgements."""
    world, alive = facts.case.world, [one for one in partition.replicas.values() if one.alive]
    sends = [one for one in world.sends if one.partition is partition and one.outcome == OK]
    return max(
        *(one.end for one in alive),
        *(one.watermark for one in alive),
        *(one.offset + 1 for one in facts.handed_at[partition]),
        *(one.offset + 1 for one in sends if one.offset is not None),
        *(one.offset for one in world.stops if one.reader.partition is partition),
        0,
        0,
    )


def _is_all_told(facts: Facts, partition: Partition, position: int) -> bool:
    """Whether the record tells of everything that was ever written, or that may be a thing of."""
    world = facts.case.world
    sends = [one for one in world.sends if one.partition is partition]
    placed = [one for one in sends if one.outcome == OK and one.offset is not None]
    is_settled = partition.settled() and all(one.alive for one in partition.replicas.values())
    is_written = any(one.partition.topic == partition.topic for one in world.sends)
    unplaced, clients = len(sends) - len(placed), len({one.client for one in sends})
    reach = max(_told_end(facts, partition) + 2 * (unplaced + clients), 2 * (len(sends) + clients))
    spans = [one.end for one in world.processed if one.partition is partition]
    damaged = [
        one.offset + 1
        for disk in facts.case.disks
        if disk.partition is partition
        for one in disk.records
        if one.problem is not None
    ]
    return is_settled and is_written and position > max([reach, *spans, *damaged])


def handed_again(facts: Facts) -> Iterator[Answers]:
    """Below the position of its group when its reader began, and not for the first time."""
    world = facts.case.world
    handed: dict[tuple[int, Partition, int, int], list[Handing]] = defaultdict(list)
    for one in world.handings:
        group = one.reader.group
        if group is not None and one.value is not None:
            handed[group, one.partition, one.offset, one.value].append(one)
    for (group, partition, _, _), same in handed.items():
        commits = [
            each for each in world.commits if each.group == group and each.partition is partition
        ]
        for one in same:
            yield _again(facts, one, [each for each in same if each is not one], commits)


def _again(facts: Facts, one: Handing, others: list[Handing], commits: list[Commit]) -> Answers:
    """What happened at one moment has no order in the record."""
    precedes, began_ns = facts.case.precedes, one.reader.began_ns
    before = [each for each in commits if each.at_ns <= began_ns]
    is_again = any(each.completed_ns <= one.invoked_ns for each in others)
    is_wrong = is_again and bool(before) and before[-1].offset > one.offset
    is_clear = all(
        precedes(each.completed_ns, one.invoked_ns) or precedes(one.completed_ns, each.invoked_ns)
        for each in others
    )
    later = [each for each in commits if not precedes(each.at_ns, began_ns)]
    meanwhile = [each for each in later if not precedes(one.completed_ns, each.at_ns)]
    is_clear &= not any(each.offset <= one.offset for each in meanwhile)
    tied = [each for each in before if not precedes(each.at_ns, before[-1].at_ns)]
    is_clear &= len({each.offset > one.offset for each in tied}) < 2
    is_clear &= all(precedes(each.at_ns, began_ns) for each in before)
    if is_clear:
        return YES if is_wrong else NO
    return ANY if is_wrong else NOT_YES


def unprocessed(facts: Facts) -> Iterator[Answers]:
    """Handed to somebody, below a group's last position, and none of its members did it."""
    world = facts.case.world
    done: dict[tuple[int, Partition], set[int]] = defaultdict(set)
    for one in world.processed:
        done[one.group, one.partition] |= set(range(one.first, one.end))
    telling = {group for group, _ in done}
    telling |= set(GROUPS) if facts.case.evidence.tells_topics else set()
    positions: dict[tuple[int, Partition], list[Commit]] = defaultdict(list)
    for commit in world.commits:
        positions[commit.group, commit.partition].append(commit)
    for (group, partition), commits in positions.items():
        handed = [one for one in facts.handed_at[partition] if facts.is_surely_committed(one)]
        for offset in {one.offset for one in handed}:
            found = _undone(facts, commits, done[group, partition], offset)
            is_told = group in telling and world.processed
            yield found if is_told or found is NOTHING else OPEN


def _undone(facts: Facts, commits: list[Commit], done: set[int], offset: int) -> Answers:
    """Whether a group passed over a record; commits of one moment have no order in the record."""
    last = commits[-1]
    at_last = [one.offset for one in commits if not facts.case.precedes(one.at_ns, last.at_ns)]
    if offset >= max(at_last):
        return NOTHING
    return NO if offset in done else passed_by(facts, commits, done, offset)


def passed_by(facts: Facts, commits: list[Commit], known: set[int], offset: int) -> Answers:
    """The same of one that is known to be undone; at `known` offsets it has done something."""
    last = commits[-1]
    at_last = [one.offset for one in commits if not facts.case.precedes(one.at_ns, last.at_ns)]
    left = _left(facts, last.partition, offset)
    if offset >= min(at_last):
        return NOT_NO if offset < last.offset else NOT_YES
    first = commits[0].at_ns
    at_first = [one.offset for one in commits if not facts.case.precedes(first, one.at_ns)]
    first_known = min(at_first + list(known))
    if offset < first_known and not facts.case.evidence.tells_topics:
        return ANY if left in (ANY, NOT_YES) else NOT_NO
    return left


def _left(facts: Facts, partition: Partition, offset: int) -> Answers:
    evidence = facts.case.evidence
    values = {one.value for one in facts.handed_at[partition] if one.offset == offset}
    if any(facts.failed_once(value) for value in values):
        return ANY
    if any(one.start > offset for one in partition.replicas.values()):
        return NOT_YES if facts.tells_starts or facts.case.tells_limits else ANY
    if values != {_kept(facts, partition, offset)}:
        return ANY  # a fork, or a payload that was corrupted
    if None in values or (evidence.has_ends and not evidence.has_starts):
        return NOT_NO
    return NOT_NO if facts.case.tells_limits and not evidence.has_ends else YES


def _kept(facts: Facts, partition: Partition, offset: int) -> int | None:
    """What the final leader's log has there."""
    disks = [one for one in facts.case.disks if one.partition is partition and one.is_leader]
    records = [one for disk in disks for one in disk.records if one.offset == offset]
    return records[0].value if records else None


def accepted_again(facts: Facts) -> Iterator[Answers]:
    """Each acceptance that was confirmed: had one of the same record been confirmed before?"""
    for one in facts.case.shares:
        if one.step == "accepted" and one.is_confirmed:
            yield YES if one.is_again else NO


def broken_contract(facts: Facts) -> Iterator[Answers]:
    """Each input: what the application did twice, or passed over, it knows of itself."""
    applied = facts.case.applied
    for offset in range(applied.inputs if applied is not None else 0):
        assert applied is not None
        twice = offset in applied.again and applied.each != "at least"
        undone = offset < applied.position and offset not in applied.done
        never = undone and applied.each != "at most"
        asked = offset in applied.done or (offset < applied.position and applied.each != "at most")
        if asked:
            yield (YES if applied.tells_ends else OPEN) if twice or never else NO


def two_owners(facts: Facts) -> Iterator[Answers]:
    """Each time that a partition was given to somebody: did whoever held it work on as well?"""
    holdings = facts.case.world.holdings
    for one in holdings:
        others = [
            each
            for each in holdings
            if each.client != one.client
            and (each.group, each.partition) == (one.group, one.partition)
            and each.since_ns <= one.since_ns
        ]
        yield from [_shared(facts, one, each) for each in others] or [NO]


def _shared(facts: Facts, one: Holding, other: Holding) -> Answers:
    """What happened at one moment of the record's clock has no order in it."""
    ends = [each.until_ns for each in (one, other) if each.until_ns is not None]
    bounds = [one.since_ns, other.since_ns, *ends]
    work = [
        [each.at_ns for each in facts.case.world.processed if each.client == who.client]
        for who in (one, other)
    ]
    moments = [*bounds, *work[0], *work[1]]
    rounded = facts.case.evidence.rounded
    is_clear = len({rounded(at_ns) for at_ns in moments}) == len(set(moments))
    is_true = all(
        any(one.since_ns < at_ns < min(ends, default=at_ns + 1) for at_ns in mine) for mine in work
    )
    if is_clear:
        return YES if is_true else NO
    return NOT_NO if is_true else NOT_YES
