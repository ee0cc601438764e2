"""What every scenario asks that any client can play."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from highwater.harness.foreign.lines import PRODUCER
from highwater.harness.model import Scenario
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario

SHORT_SESSIONS = {
    "broker.session.timeout.ms": "3000",
    "zookeeper.session.timeout.ms": "3000",
    # Before 1.1 brokers tell of no new leader while the last one owes an answer (KAFKA-6051).
    "request.timeout.ms": "10000",
}
OF_PRODUCERS = (
    "lost-write",
    "duplicate",
    "inconsistent-offsets",
    "reordered",
    "stalled-sends",
    "phantom-read",
    "aborted-read",  # it says that a record has failed, and the record is there
    "corrupt-value",
)


def any_client(
    source: str,
    *,
    reproduces: str = "",
    reproduces_with: tuple[str, ...] = (),
    plays_on: str = ">=0.11",  # since then producers are idempotent
    settings: Mapping[str, str] | None = None,
) -> Callable[[Callable[[Play, Partition], None]], Scenario]:
    """A scenario that every client can play that sends: what is asked of all of them there."""
    return scenario(
        source=source,
        reproduces=reproduces,
        reproduces_with=reproduces_with,
        claims=OF_PRODUCERS,
        plays_on=plays_on,
        any_client=PRODUCER,
        calm="client-undisturbed",
        gated_clients=True,
        settings=settings or {},
        topic_settings={"min.insync.replicas": "2"},
    )
