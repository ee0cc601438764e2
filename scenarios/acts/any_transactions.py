"""What a scenario asks that any client can play that sends in transactions."""

from __future__ import annotations

from collections.abc import Callable

from highwater.harness.clients.settings import Transactions
from highwater.harness.foreign.lines import TRANSACTIONAL
from highwater.harness.model import Scenario
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings

SHORT = Transactions(records=50)
LONG = Transactions(records=200)  # at a hundred a second, two seconds long
PATIENT = ProducerSettings(transaction_timeout_s=120.0)  # longer than any play


def any_transactions(source: str) -> Callable[[Callable[[Play, Partition], None]], Scenario]:
    """A scenario that every client can play that sends in transactions."""
    return scenario(
        source=source,
        claims=("lost-write", "duplicate", "aborted-read", "torn-transaction"),
        plays_on=">=0.11",
        any_client=TRANSACTIONAL,
        calm="client-transactions-undisturbed",
        topic_settings={"min.insync.replicas": "2"},
    )
