"""What is true of what pipelines made of the records that they were handed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from tests.model.clients import FAILED, OK, Commit, Handing, Send
from tests.model.facts import ANY, NO, NOT_NO, NOT_YES, YES, Answers, Facts
from tests.model.logs import COMMITTED, Partition
from tests.model.piping import Pipeline
from tests.model.truth_of_groups import passed_by
from tests.model.truth_of_writes import lost


def not_exactly_once(facts: Facts) -> Iterator[Answers]:
    pipeline = facts.case.pipeline
    if pipeline is None:
        return
    outputs: dict[int | None, list[Send]] = defaultdict(list)
    for one, value in pipeline.made_of.items():
        outputs[value].append(one)
    below = _below(facts, pipeline)
    for value, places in below.items():
        if not _are_two(facts, outputs[value]):
            untold = bool(outputs[None])
            yield _lacking(facts, pipeline, places, outputs[value], untold=untold)
    for value, mine in outputs.items():
        if value is not None and _are_two(facts, mine):
            yield ANY if _may_stand_again(facts, value) else YES


def _are_two(facts: Facts, outputs: list[Send]) -> bool:
    """In one topic: who has outputs in several may have one in each."""
    topics = {one.partition.topic for one in outputs}
    return any(
        len(_shown(facts, [one for one in outputs if one.partition.topic == topic])) > 1
        for topic in topics
    )


def _below(facts: Facts, pipeline: Pipeline) -> dict[int, set[tuple[Partition, int]]]:
    """Records that were handed out, and committed, below the group's last position."""
    found: dict[int, set[tuple[Partition, int]]] = defaultdict(set)
    for one in facts.case.world.handings:
        commits = _commits(facts, pipeline, one)
        if one.value is not None and commits and facts.is_surely_committed(one):
            last = commits[-1].at_ns
            at_last = [each.offset for each in commits if not facts.case.precedes(each.at_ns, last)]
            if one.offset < max(at_last):
                found[one.value].add((one.partition, one.offset))
    return found


def _commits(facts: Facts, pipeline: Pipeline, one: Handing) -> list[Commit]:
    return [
        each
        for each in facts.case.world.commits
        if each.group == pipeline.group and each.partition is one.partition
    ]


def _shown(facts: Facts, outputs: list[Send]) -> set[int]:
    """The values of outputs that were sent once, and handed to a reader of committed records."""
    return {
        one.value for one in outputs if len(facts.sends_of[one.value]) == 1 and facts.shown(one)
    }


def _may_stand_again(facts: Facts, value: int) -> bool:
    """Or was handed to nobody that shows that it is committed."""
    handed = [one for one in facts.case.world.handings if one.value == value]
    sends = facts.sends_of.get(value, [])
    logged = {(where, at) for (where, at), one in facts.logged.items() if one == value}
    places = {(one.partition, one.offset) for one in handed} | logged
    is_sure = any(facts.is_surely_committed(one) for one in handed)
    again = len(sends) > 1 or sum(len(one.placed) for one in sends) > 1
    return not is_sure or len(places) != 1 or again


def _lacking(
    facts: Facts,
    pipeline: Pipeline,
    places: set[tuple[Partition, int]],
    outputs: list[Send],
    *,
    untold: bool,
) -> Answers:
    """Of a record below the position of which not two outputs were handed out."""
    shown = _shown(facts, outputs)
    others = [_unseen(facts, one) for one in outputs if one.value not in shown]
    if shown:
        return NO if all(each == YES for each in others) else NOT_YES
    if NOT_YES in others:
        return NOT_YES
    if len(places) > 1 or any(each != YES for each in others):
        return ANY
    ((partition, offset),) = places
    found = _left(facts, pipeline, partition, offset)
    if untold:
        return NOT_YES if found in (NO, NOT_YES) else NOT_NO
    value = next(one.value for one in facts.handed_at[partition] if one.offset == offset)
    if value is None or _may_stand_again(facts, value):
        return ANY
    return found


def _left(facts: Facts, pipeline: Pipeline, partition: Partition, offset: int) -> Answers:
    world = facts.case.world
    commits = [
        one for one in world.commits if one.group == pipeline.group and one.partition is partition
    ]
    done = {
        one.first
        for one in world.processed
        if one.group == pipeline.group and one.partition is partition
    }
    return passed_by(facts, commits, done, offset)


def _unseen(facts: Facts, one: Send) -> Answers:
    """Whether an output that nobody was handed is gone for ever."""
    if len(facts.sends_of[one.value]) > 1:
        return NOT_YES
    if one.outcome == FAILED:
        return YES
    gone = lost(facts, one if one.outcome == OK else replace(one, offset=None))
    if gone == YES:
        return YES
    disk = facts.leader_disk(one.partition)
    stands = disk is not None and any(each.value == one.value for each in disk.records)
    is_good = one.transaction is None or one.transaction.state == COMMITTED
    if stands and is_good and not facts.case.settings.bugs:
        return NOT_YES
    return ANY
