"""What is true of transactions: whether readers saw a part of one, and of what they were made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from tests.model.circling import Within
from tests.model.clients import FAILED, OK, Send
from tests.model.facts import ANY, NO, NOT_NO, NOT_YES, OPEN, VIOLATED, YES, Answers, Facts
from tests.model.logs import COMMITTED, Transaction
from tests.model.truth_of_writes import lost


def torn_transaction(facts: Facts) -> Iterator[Answers]:
    whole: dict[Transaction, list[Send]] = defaultdict(list)
    for one in facts.case.world.sends:
        is_alone = len(facts.sends_of[one.value]) == 1
        if one.transaction is not None and one.outcome != FAILED and is_alone:
            whole[one.transaction].append(one)
    for sends in whole.values():
        handed = [one for one in sends if facts.shown(one)]
        if handed and len(sends) > 1:
            yield NO
            first_ns = min(each.invoked_ns for one in handed for each in facts.shown(one))
            for one in (each for each in sends if not facts.shown(each)):
                # handed out too early, as by a broker with a bug, or of a number used twice
                is_later = one.invoked_ns > first_ns
                yield _torn(facts, one, handed) | (OPEN if is_later else frozenset())


def circular_information_flow(facts: Facts) -> Iterator[Answers]:
    """Do transactions lead back to themselves, each to those that were handed something of it?"""
    case = facts.case
    following: dict[tuple[str, int], set[tuple[str, int]]] = defaultdict(set)
    for reader, sent in _handed_within(facts, case.within):
        made = sent.transaction
        if made is None or sent.outcome == FAILED:
            continue
        if not case.evidence.tells_clients:
            yield OPEN
        elif reader != (sent.client, made.number):
            yield NO
            following[sent.client, made.number].add(reader)
    while leaves := {one for mine in following.values() for one in mine} - following.keys():
        following = {one: mine - leaves for one, mine in following.items() if mine - leaves}
    if following:
        yield YES


def _handed_within(facts: Facts, within: Within | None) -> Iterator[tuple[tuple[str, int], Send]]:
    """What readers of committed records were handed in transactions, of what was sent once."""
    for one in facts.case.world.handings:
        made = facts.attempts(one.value, one.partition)
        is_asked = within is not None and one.op in within.transaction
        if not is_asked or one.reader.takes_uncommitted or len(made) != 1:
            continue
        if within is not None and len(facts.sends_of[made[0].value]) == 1:
            yield (within.sender[one.reader.name], within.transaction[one.op]), made[0]


def _torn(facts: Facts, one: Send, handed: list[Send]) -> Answers:
    if one.transaction is None or one.transaction.state != COMMITTED:
        return ANY  # some of it was handed out that never should have been
    gone = lost(facts, one if one.outcome == OK else replace(one, offset=None))
    if gone in (YES, NOT_NO):
        return gone
    passed = _passed_over(facts, one, handed)
    if gone == NO:
        return passed
    return ANY if VIOLATED in passed | gone else NOT_YES


def _passed_over(facts: Facts, one: Send, handed: list[Send]) -> Answers:
    """Whether readers went by where it stands, when another one had been handed out."""
    disk, evidence = facts.leader_disk(one.partition), facts.case.evidence
    if disk is None or not evidence.has_ends or not evidence.has_logs:
        return NOT_YES
    offsets = [each.offset for each in disk.records if each.value == one.value]
    if not offsets or offsets[0] < disk.start or not evidence.has_starts:
        return NOT_YES if len(offsets) < 2 else ANY
    # who is handed what is aborted, too, shows nothing of what it was handed
    passes = facts.passes(one.partition, offsets[0], of_committed=facts.was_handed(one))
    is_reset = any((each.reader.reset_past or 0) > offsets[0] for each in passes)
    is_nameless = any(each.offset == offsets[0] for each in facts.handed_at[one.partition])
    if len(offsets) > 1 or is_reset or is_nameless:
        return ANY
    handed_ns = min(each.completed_ns for other in handed for each in facts.shown(other))
    if any(facts.case.precedes(handed_ns, each.at_ns) for each in passes):
        return YES if disk.partition.settled() else NOT_NO
    stops = [stop for stop in facts.case.world.stops if stop.reader.partition is one.partition]
    return ANY if any(stop.offset > offsets[0] for stop in stops) else NOT_YES
