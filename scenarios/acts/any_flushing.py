"""What a scenario asks that any client can play whose library can be told to flush."""

from __future__ import annotations

from collections.abc import Callable

from highwater.harness.foreign.lines import FLUSHING
from highwater.harness.model import Scenario
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings
from highwater.scenarios.acts.any_client import OF_PRODUCERS

TOGETHER = ProducerSettings(linger_ms=2000.0)  # one batch every two seconds, and none between


def any_flushing(
    source: str, *, reproduces_with: tuple[str, ...] = ()
) -> Callable[[Callable[[Play, Partition], None]], Scenario]:
    """A scenario that every client can play whose library can be told to flush."""
    return scenario(
        source=source,
        reproduces_with=reproduces_with,
        claims=("flushed-too-early", *OF_PRODUCERS),
        plays_on=">=0.11",
        any_client=FLUSHING,
        calm="client-flushes-undisturbed",
        gated_clients=True,
        topic_settings={"min.insync.replicas": "2"},
    )
