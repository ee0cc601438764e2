"""What faults share that are about what one client asks for."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Protocol

from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.errors import UsageError
from highwater.harness.gate.messages.answerable import asked_named
from highwater.harness.gate.rules import Action, Match, Rule, Trigger
from highwater.harness.model import TopicPartition


class Asked(Protocol):
    @property
    def api(self) -> str: ...
    @property
    def client(self) -> str: ...
    @property
    def often(self) -> Trigger: ...


def require_meant(fault: object, broker: object, where: object = None) -> None:
    """Raises UsageError for what is no number and no partition; None: whichever it is."""
    name = type(fault).__name__
    if broker is not None and type(broker) is not int:
        raise UsageError(f"{name}: expected the number of a broker, saw {broker!r}")
    if where is not None and not isinstance(where, TopicPartition):
        raise UsageError(f"{name}: expected a TopicPartition for where, saw {where!r}")


def require_asked(fault: Asked) -> None:
    """Raises UsageError for what is no api, no client.id or no Trigger."""
    asked_named(fault.api)
    name = type(fault).__name__
    if not isinstance(fault.client, str) or not fault.client:
        raise UsageError(f"{name}: expected the client.id of a client, saw {fault.client!r}")
    if not isinstance(fault.often, Trigger):
        raise UsageError(f"{name}: expected a Trigger for often, saw {fault.often!r}")


@contextmanager
def at_requests(
    cluster: Cluster, fault: Asked, action: Action, broker: int | None = None
) -> Generator[AtTheGate]:
    """Healing lets what stands pass; `broker` is who is asked, None: whoever it is."""
    apis = (asked_named(fault.api),)
    asked = Match("request", apis=apis, client_id=fault.client, leader=broker)
    rule = cluster.gate.add(Rule(asked, action, fault.often))
    try:
        yield AtTheGate(rule)
    finally:
        rule.pass_on()
