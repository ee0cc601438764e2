"""What a client can be in a scenario that any client can play: its adapter says so."""

from __future__ import annotations

from collections.abc import Sequence

from highwater.harness.foreign.abilities import flushes, pipelines
from highwater.harness.foreign.lines import (
    AUTOMATIC,
    FLUSHING,
    MEMBER,
    PIPELINING,
    POLLING,
    PRODUCER,
    TRANSACTIONAL,
)
from highwater.harness.foreign.memberships import commits_by_itself, has_to_poll, tells_commits
from highwater.harness.foreign.programs import OURS, command_of
from highwater.harness.foreign.talk import describe
from highwater.harness.foreign.transactional import has_transactions
from highwater.harness.versions.catalogue import Kafka

EVERY = (PRODUCER, MEMBER, TRANSACTIONAL, FLUSHING, POLLING, AUTOMATIC, PIPELINING)


def roles_of(client: str, kafka: Kafka) -> Sequence[str]:
    """Its adapter is built where it is not yet, started, and asked.

    Raises UsageError for a client that nobody knows, InfrastructureError where it cannot be built.
    """
    if client == OURS:
        return EVERY
    hello = describe(command_of(client, kafka))
    more = [TRANSACTIONAL] * has_transactions(hello) + [FLUSHING] * flushes(hello)
    polls = has_to_poll(hello)
    more += [POLLING] * polls + [AUTOMATIC] * (polls and commits_by_itself(hello))
    more += [PIPELINING] * pipelines(hello)
    roles = hello["capabilities"]["roles"]
    return [*[each for each in roles if each != MEMBER or tells_commits(hello)], *more]
