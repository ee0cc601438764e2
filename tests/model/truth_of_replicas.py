"""What is true of replicas' logs at the end, and of what was seen of them before."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations, groupby, pairwise

from tests.model.clients import SECOND_NS
from tests.model.disks import Disk, Stored
from tests.model.facts import ANY, NO, NOT_NO, NOT_YES, NOTHING, OPEN, YES, Answers, Facts
from tests.model.logs import Partition
from tests.model.sights import Look, Pulse

TWO_MINUTES_NS = 120 * SECOND_NS
FIVE_SECONDS_NS = 5 * SECOND_NS


def recorded(facts: Facts) -> list[Disk]:
    evidence = facts.case.evidence
    return [
        disk
        for disk in facts.case.disks
        if evidence.has_logs and (disk.partition.name, disk.broker) not in evidence.without_log
    ]


def replica_divergence(facts: Facts) -> Iterator[Answers]:
    for one, other in combinations(recorded(facts), 2):
        partition = one.partition
        alive = all(partition.replicas[each.broker].alive for each in (one, other))
        in_sync = {one.broker, other.broker} <= partition.in_sync
        if partition is other.partition and in_sync and alive:
            yield from _compared(facts, one, other)


def _compared(facts: Facts, one: Disk, other: Disk) -> Iterator[Answers]:
    mine, others = _by_offset(one), _by_offset(other)
    sides = [one.partition.replicas[each.broker] for each in (one, other)]
    committed = range(max(each.start for each in sides), min(each.watermark for each in sides))
    known = facts.case.evidence.has_starts
    for offset in committed:
        here, there = mine.get(offset), others.get(offset)
        if here is None and there is None:
            continue
        if here is None or there is None:
            lacking = one if here is None else other
            yield YES if known and not lacking.is_damaged and lacking.records else ANY
        elif here.problem or there.problem:
            yield ANY | NOTHING
        else:
            same = here.digest == there.digest and here.epoch == there.epoch
            yield (NO if known else NOT_YES) if same else (YES if known else ANY)
    if not known:
        yield NOT_YES | NOTHING


def _by_offset(disk: Disk) -> dict[int, Stored]:
    return {one.offset: one for one in disk.records}


def offsets_out_of_order(facts: Facts) -> Iterator[Answers]:
    for disk in recorded(facts):
        sound = [one for one in disk.records if not one.problem]
        yield NO if sound else NOTHING | NOT_YES
        yield from (YES for one, other in pairwise(sound) if other.offset <= one.offset)


def log_not_contiguous(facts: Facts) -> Iterator[Answers]:
    for disk in recorded(facts):
        offsets = sorted({one.offset for one in disk.records})
        gaps = [one + 1 for one, other in pairwise(offsets) if other > one + 1]
        if disk.is_damaged:
            yield NOT_YES
        elif gaps:
            yield YES if gaps[0] >= disk.start else ANY
        elif offsets:
            yield NO


def leader_epoch_order(facts: Facts) -> Iterator[Answers]:
    for disk in recorded(facts):
        sound = [one for one in disk.records if not one.problem]
        yield NO if sound else NOTHING | NOT_YES
        yield from (YES for one, other in pairwise(sound) if other.epoch < one.epoch)


def epoch_checkpoint(facts: Facts) -> Iterator[Answers]:
    evidence = facts.case.evidence
    if not evidence.has_checkpoints:
        return
    for disk in recorded(facts):
        asked = [one for one in disk.records if not one.problem and disk.checkpoint]
        known = evidence.has_starts and evidence.has_ends
        for one in asked:
            entries = [(start, epoch) for epoch, start in disk.checkpoint if start <= one.offset]
            if one.offset < disk.start:
                yield NO | NOTHING | (OPEN if not known else NOTHING)
            elif not entries:
                yield YES if known and not disk.is_damaged else ANY
            else:
                yield NO if max(entries)[1] == one.epoch else YES
        yield NOT_YES | NOTHING if disk.is_damaged else NOTHING


def _by_partition(looks: list[Look]) -> dict[Partition, list[Look]]:
    found: dict[Partition, list[Look]] = defaultdict(list)
    for one in looks:
        found[one.partition].append(one)
    return found


def committed_truncation(facts: Facts) -> Iterator[Answers]:
    """A replica that leads or is in sync ends below what a leader had called committed."""
    for partition, looks in _by_partition(facts.case.world.looks).items():
        yield NO | NOTHING | NOT_YES
        if partition not in facts.case.world.fallen and not facts.case.world.misshown:
            continue
        watermarks: list[tuple[int, int]] = []
        before: dict[int, int] = {}
        for one in looks:
            seen = [mark for at_ns, mark in watermarks if at_ns < before.get(one.broker, -1)]
            sure = one.leads and one.log_end < max(seen, default=0)
            yield YES if sure and not facts.case.world.misshown else ANY
            before[one.broker] = one.at_ns
            if one.leads:
                watermarks.append((one.at_ns, one.watermark))


def high_watermark_regression(facts: Facts) -> Iterator[Answers]:
    for looks in _by_partition(facts.case.world.looks).values():
        terms: dict[tuple[int, int], list[int]] = defaultdict(list)
        for one in looks:
            if one.leads:
                terms[one.leader, one.epoch].append(one.watermark)
        for marks in terms.values():
            yield NO | (NOTHING if len(marks) < 3 else NO)  # a later look has to confirm one
            for at in range(1, len(marks)):
                if marks[at] < max(marks[:at]):
                    yield YES if at + 1 < len(marks) else ANY


def leader_out_of_sync(facts: Facts) -> Iterator[Answers]:
    for one in facts.case.world.looks:
        if one.leader != -1:
            yield NO if one.leader in one.in_sync else YES


def lagging_in_sync(facts: Facts) -> Iterator[Answers]:
    """Asked of those that were members at each look since the leader's log was seen."""
    for looks in _by_partition(facts.case.world.looks).values():
        for one in looks:
            if one.leads or one.broker not in one.in_sync or one.leader == -1:
                continue
            earlier = [
                each
                for each in looks
                if each.leads
                and (each.leader, each.epoch) == (one.leader, one.epoch)
                and one.at_ns - each.at_ns > TWO_MINUTES_NS
            ]
            since = earlier[-1].at_ns if earlier else None
            if since is not None and all(
                one.broker in each.in_sync for each in looks if since <= each.at_ns <= one.at_ns
            ):
                yield YES if one.log_end < earlier[-1].log_end else NO


def leader_high_watermark(facts: Facts) -> Iterator[Answers]:
    """The smallest log end that the leader knows of, where this term's fetches have told it."""
    world = facts.case.world
    fallen = bool(world.settings.hazards)
    for one in world.looks:
        if not one.leads:
            continue
        asked = [
            each
            for each in world.fetches
            if each.partition is one.partition
            and each.watermark is None
            and each.epoch == one.epoch
            and each.at_ns < one.at_ns
        ]
        told = {each.follower: each for each in asked}
        others = one.in_sync - {one.broker}
        if not others or others - told.keys():  # one that is alone in the ISR is not asked either
            yield (ANY if one.watermark > one.log_end else NOT_YES) | NOTHING
            continue
        right = min([one.log_end, *(told[each].offset for each in others)])
        known = all(_is_known(facts, one, told[each].at_ns) for each in others)
        outside = one.partition.replicas.keys() - one.in_sync
        held_back = any(told[each].offset >= one.watermark for each in outside & told.keys())
        if one.watermark == right:
            yield NOT_YES if fallen else NO if known else NOT_YES | NOTHING
        elif fallen or held_back or not known:
            yield ANY | NOTHING
        else:
            yield NOT_NO if outside else YES


def _is_known(facts: Facts, one: Look, at_ns: int) -> bool:
    """Whether a look tells that this leader had been elected at this moment."""
    return not one.epoch or any(
        each.leads and each.epoch == one.epoch and each.at_ns < at_ns
        for each in facts.case.world.looks
        if each.partition is one.partition
    )


def follower_high_watermark(facts: Facts) -> Iterator[Answers]:
    world = facts.case.world
    for one in world.looks:
        if one.leads:
            continue
        told = [
            each
            for each in world.fetches
            if each.partition is one.partition
            and each.follower == one.broker
            and each.watermark is not None
            and each.at_ns < one.at_ns
        ]
        if not told or told[-1].epoch != one.epoch or one.leader == -1:
            yield (ANY if world.misshown else NOT_YES) | NOTHING
            continue
        assert told[-1].watermark is not None
        right = min(one.log_end, told[-1].watermark)
        fallen = bool(world.settings.hazards)
        known = _is_known(facts, one, told[-1].at_ns)
        if one.watermark == right:
            yield NO if known else NOT_YES | NOTHING
        else:
            yield YES if known and not fallen else ANY | NOTHING


def stuck_broker(facts: Facts) -> Iterator[Answers]:
    by_broker = groupby(facts.case.pulses, key=lambda one: one.broker)
    for _, mine in by_broker:
        pulses = list(mine)
        yield NO
        for hangs, some in groupby(pulses, key=_hangs):
            if hangs:
                stretch = list(some)
                seen_ns = stretch[-1].at_ns - stretch[0].at_ns
                sure, never = seen_ns >= FIVE_SECONDS_NS, seen_ns < FIVE_SECONDS_NS - 2 * SECOND_NS
                yield YES if sure else NO if never else ANY


def _hangs(one: Pulse) -> bool:
    return one.running and one.registered and not one.answers


def left_behind(facts: Facts) -> Iterator[Answers]:
    """Who was left out in the end; no other look is soon enough followed by another one."""
    watched = {one.broker for one in facts.case.pulses}
    left = facts.case.rest.left if facts.case.rest else None
    for looks in _by_partition(facts.case.world.looks).values():
        partition = looks[0].partition
        for broker in watched & partition.replicas.keys():
            is_left = left is not None and (left.partition, left.broker) == (partition, broker)
            yield YES if is_left and left is not None and not left.flaps else NOT_YES


def flapping_isr(facts: Facts) -> Iterator[Answers]:
    """Who did so in the end; the story before has time for few terms of few moments."""
    left = facts.case.rest.left if facts.case.rest else None
    for looks in _by_partition(facts.case.world.looks).values():
        led = [one for one in looks if one.leader != -1]
        for broker in {each for one in led for each in one.in_sync}:
            flapped = left is not None and left.flaps and left.broker == broker
            if flapped and left is not None and left.partition is looks[0].partition:
                yield YES
            else:
                terms = Counter((one.leader, one.epoch) for one in led)
                yield ANY if max(terms.values()) > 9 else NO
