"""What is true of what groups of readers committed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from tests.model.clients import Commit
from tests.model.facts import NO, YES, Answers, Facts
from tests.model.logs import Partition


def commit_regression(facts: Facts) -> Iterator[Answers]:
    """A group's position was set back; at one moment nobody can tell which came first."""
    highest: dict[tuple[int, Partition], list[Commit]] = defaultdict(list)
    for one in facts.case.world.commits:
        before = highest[one.group, one.partition]
        late = [each for each in before if facts.case.precedes(each.at_ns, one.at_ns)]
        yield YES if any(each.offset > one.offset for each in late) else NO
        before.append(one)
