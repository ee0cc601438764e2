"""What is true of groups, and of last stable offsets, that were left alone and did not move."""

from __future__ import annotations

from collections.abc import Iterator

from tests.model.clients import FAILED, Handing
from tests.model.facts import ANY, NO, NOT_YES, NOTHING, OPEN, YES, Answers, Facts
from tests.model.logs import COMMITTED, Partition


def stuck_group(facts: Facts) -> Iterator[Answers]:
    """Of each partition that a group was given: did it leave anything that was there to read?"""
    given = {(one.group, one.partition): None for one in facts.case.world.holdings}
    for group, partition in given:
        yield _left(facts, group, partition)


def hanging_transaction(facts: Facts) -> Iterator[Answers]:
    """Is a transaction without its marker, when nothing has been done for a minute?"""
    world = facts.case.world
    for partition in world.partitions:
        if not any(one.leads for one in world.looks if one.partition is partition):
            yield NOTHING
        elif world.misshown:
            yield ANY
        elif facts.case.rest is None:
            yield NOT_YES
        else:
            yield YES if partition.stable() < partition.lead.watermark else NO


def stuck_transaction(facts: Facts) -> Iterator[Answers]:
    """Of each transactional id: was a transaction not completed for a minute?"""
    told = facts.case.completing
    for name in told.said:
        if name in told.stuck:
            yield OPEN if facts.case.rest is None else YES
        else:
            yield OPEN if name in told.open else NO


def stuck_move(facts: Facts) -> Iterator[Answers]:
    """Of each partition that moves: was a move not done for a minute, that waits for nobody?"""
    told = facts.case.moving
    for topic in told.said:
        if topic in told.stuck:
            yield YES
        else:
            yield OPEN if topic in told.open else NO


def _left(facts: Facts, group: int, partition: Partition) -> Answers:
    case, handed = facts.case, facts.handed_at[partition]
    mine = [one.offset + 1 for one in handed if one.reader.group == group]
    commits = [each for each in case.world.commits if each.group == group]
    positions = [each.offset for each in commits if each.partition is partition]
    begin = max([0, *mine, *positions])
    others = [one for one in handed if one.reader.group != group and one.offset >= begin]
    sends = [one for one in facts.promised[partition] if (one.offset or 0) >= begin]
    told = {(one.value, one.offset) for one in sends if one.offset is not None}
    if not told and not any(one.value is not None for one in others):
        return NOT_YES if _may_be_left(facts, (group, partition), begin) else NO
    is_told = case.rest is not None and case.evidence.tells_topics and not case.settings.retention
    if not is_told or _transacts(facts, partition):
        return NOT_YES
    asked = [one for one in others if not one.reader.takes_uncommitted]
    last = [one for one in asked if case.rest and one.invoked_ns >= case.rest.since_ns]
    found = [one for one in last if (one.value, one.offset) in told and _is_there(one)]
    return YES if found else NOT_YES


def _may_be_left(facts: Facts, whose: tuple[int, Partition], begin: int) -> bool:
    """Whether the record may have something beyond, be it only a number."""
    group, partition = whose
    world = facts.case.world
    log = [] if partition.leader is None else partition.lead.log
    sends = [one for one in world.sends if one.partition is partition and one.outcome != FAILED]
    placed = [one for one in sends if one.offset is not None and one.offset < begin]
    stops = [one for one in world.stops if one.reader.group != group and one.action == "end"]
    return bool(
        len(sends) > len(placed)
        or any(
            one.reader.group != group for one in facts.handed_at[partition] if one.offset >= begin
        )
        or any(one.offset > begin for one in stops if one.reader.partition is partition)
        or any(not one.is_control for one in log[begin:])
    )


def _is_there(one: Handing) -> bool:
    """By the state of the leader's log."""
    log = one.partition.lead.log
    entry = log[one.offset] if one.offset < len(log) else None
    if entry is None or entry.is_control or entry.value != one.value:
        return False
    return entry.transaction is None or entry.transaction.state == COMMITTED


def _transacts(facts: Facts, partition: Partition) -> bool:
    """Whether somebody sent to it who uses transactions anywhere."""
    sends = facts.case.world.sends
    transactors = {one.client for one in sends if one.transaction is not None}
    return any(one.client in transactors for one in sends if one.partition is partition)
