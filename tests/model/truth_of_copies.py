"""What is true of values that stand at several offsets."""

from __future__ import annotations

from collections.abc import Iterator

from tests.model.clients import FAILED, OK, Handing, Send
from tests.model.disks import Stored
from tests.model.facts import ANY, NO, NOT_YES, NOTHING, YES, Answers, Facts
from tests.model.logs import ABORTED, Partition
from tests.model.truth_of_writes import read_log


def duplicate(facts: Facts) -> Iterator[Answers]:
    for partition in facts.case.world.partitions:
        log = read_log(facts, partition) or []
        values = {each.value for each in log} | {
            value for where, value in facts.handed_of if where is partition
        }
        for value in values - {None}:
            assert value is not None
            yield _duplicate(facts, partition, value, log)


def _duplicate(  # noqa: PLR0911 - a case each
    facts: Facts, partition: Partition, value: int, log: list[Stored]
) -> Answers:
    """Copies of transactions that were aborted are no duplicates."""
    sends = facts.attempts(value, partition)
    found = facts.handed_of.get((partition, value), [])
    handed = {one.offset for one in found}
    if aborted := _aborted_copies(found):
        return _beside_aborted(sends, handed - aborted, aborted)
    copies = [each for each in log if each.value == value]
    lasting = {each.offset for each in copies if not each.is_aborted}
    told = {one.offset for one in sends if one.is_promised and one.offset is not None}
    if not sends and not handed:
        return NO | NOTHING
    often = max(1, sum(one.outcome != FAILED for one in sends))
    if len(handed) > often:
        return ANY if _may_be_of_each(found, sends) else YES
    if 1 < len(handed | lasting | told) <= often:  # as often as it was sent
        is_astray = not told <= handed | lasting
        return ANY if is_astray or len(copies) > len(sends) else NO | NOTHING
    retold = len(sends) > 1 or len(copies) > 1
    if retold and any(one.outcome not in {OK, FAILED} for one in sends):
        return ANY  # nobody told the client whether one of its transactions was aborted
    if len(handed | lasting | told) > 1:
        retried = any(one.transaction and one.transaction.state == ABORTED for one in sends)
        sure = not retried and facts.case.evidence.has_ends
        return YES if sure and partition.settled() else ANY
    if not handed and not (facts.case.evidence.has_ends and facts.case.evidence.has_logs):
        return NOTHING | NOT_YES
    return NO if handed else NO | NOTHING


def _may_be_of_each(handed: list[Handing], sends: list[Send]) -> bool:
    """One of them was aborted, and others than readers of uncommitted records were handed it."""
    is_mixed = any(one.reader.takes_uncommitted for one in handed)
    return is_mixed and len({one.offset for one in handed}) <= len(sends)


def _aborted_copies(handed: list[Handing]) -> set[int]:
    """Offsets of such that readers of uncommitted records alone were handed, as they may be."""
    shown = {one.offset for one in handed if not one.reader.takes_uncommitted}
    return {
        one.offset
        for one in handed
        if one.entry is not None
        and one.entry.transaction is not None
        and one.entry.transaction.state == ABORTED
    } - shown


def _beside_aborted(sends: list[Send], shown: set[int], aborted: set[int]) -> Answers:
    """A copy of each attempt that was aborted is none too many."""
    often = max(1, sum(one.outcome != FAILED for one in sends))
    ended = [one for one in sends if one.transaction and one.transaction.state == ABORTED]
    told = {one.offset for one in sends if one.is_promised and one.offset is not None}
    if len(shown | aborted) > len(sends):
        return ANY
    if len(shown | told) > often or not told <= shown | aborted or len(aborted) > len(ended):
        return ANY
    return NO if all(one.outcome in {OK, FAILED} for one in sends) else NOT_YES
