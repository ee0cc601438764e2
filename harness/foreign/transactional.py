"""What a producer in transactions is to be set to, in Kafka's words, and whether an adapter can."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from highwater.harness.errors import UsageError
from highwater.harness.foreign import abilities
from highwater.harness.foreign.lines import Event
from highwater.harness.workloads.producer import ProducerSettings

ID, TIMEOUT = "transactional.id", "transaction.timeout.ms"
NEEDED = (ID, TIMEOUT)  # without these nobody is fenced, and nobody can judge what hangs


def has_transactions(hello: Event) -> bool:
    return {*NEEDED} <= {*hello["capabilities"].get("transactions", [])}


def require(hello: Event) -> None:
    """Raises UsageError for a client whose library, or adapter, has no transactions."""
    if has_transactions(hello):
        return
    known = hello["capabilities"].get("transactions", [])
    raise UsageError(
        f"{abilities.named(hello)} has no transactions here: expected an adapter that can be given "
        f"{' and '.join(NEEDED)}, saw {', '.join(known) or 'neither'}; transactions=None sends "
        "without"
    )


def told(hello: Event, settings: ProducerSettings) -> dict[str, Any]:
    """What the adapter is told of the settings, but for its id.

    A record may be under way for as long as its transaction may be open, and no longer.
    """
    timeout_s = settings.transaction_timeout_s
    brief = min(settings.delivery_timeout_s, timeout_s)
    words = abilities.told(hello, replace(settings, delivery_timeout_s=brief))
    return {**words, TIMEOUT: int(timeout_s * 1000)}
