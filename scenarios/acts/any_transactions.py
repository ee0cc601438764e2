"""What a scenario asks that any client can play that sends in transactions."""

from __future__ import annotations

from collections.abc import Callable

from highwater.harness.foreign.lines import TRANSACTIONAL
from highwater.harness.model import Scenario
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario


def any_transactions(source: str) -> Callable[[Callable[[Play, Partition], None]], Scenario]:
    """A scenario that every client can play that sends in transactions."""
    return scenario(
        source=source,
        claims=("lost-write", "duplicate", "aborted-read", "torn-transaction"),
        plays_on=">=0.11",
        any_client=TRANSACTIONAL,
        topic_settings={"min.insync.replicas": "2"},
    )
