"""What is true of what groups of readers committed, and had processed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from tests.model.clients import Commit
from tests.model.facts import ANY, NO, NOT_NO, NOT_YES, YES, Answers, Facts
from tests.model.logs import Partition


def commit_regression(facts: Facts) -> Iterator[Answers]:
    """A group's position was set back; at one moment nobody can tell which came first."""
    highest: dict[tuple[int, Partition], list[Commit]] = defaultdict(list)
    for one in facts.case.world.commits:
        before = highest[one.group, one.partition]
        late = [each for each in before if facts.case.precedes(each.at_ns, one.at_ns)]
        yield YES if any(each.offset > one.offset for each in late) else NO
        before.append(one)


def unprocessed(facts: Facts) -> Iterator[Answers]:
    """Handed to somebody, below a position of a group, and none of its members was done with it."""
    done: dict[tuple[int, Partition], set[int]] = defaultdict(set)
    for one in facts.case.world.processed:
        done[one.group, one.partition] |= set(range(one.first, one.end))
    for (group, partition), offsets in done.items():
        commits = [
            one.offset
            for one in facts.case.world.commits
            if (one.group, one.partition) == (group, partition)
        ]
        handed = {one.offset for one in facts.handed_at[partition]}
        for offset in handed & set(range(min(offsets), max(commits, default=0))):
            yield NO if offset in offsets else _left(facts, partition, offset)


def _left(facts: Facts, partition: Partition, offset: int) -> Answers:
    evidence = facts.case.evidence
    here = [one for one in facts.handed_at[partition] if one.offset == offset]
    if any(facts.failed_once(one.value) for one in here):
        return ANY
    if any(one.start > offset for one in partition.replicas.values()):
        return NOT_YES if facts.tells_starts or facts.case.tells_limits else ANY
    if evidence.has_ends and not evidence.has_starts:
        return NOT_NO
    return NOT_NO if facts.case.tells_limits and not evidence.has_ends else YES
