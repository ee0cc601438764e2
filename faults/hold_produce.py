"""One producer's records are late: they stand in the network, and outlive its patience."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

from highwater.faults.at_the_gate import STAND_TIMEOUT_S, AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.handle import RuleHandle
from highwater.harness.gate.headers import PRODUCE
from highwater.harness.gate.hub import Event
from highwater.harness.gate.rules import Action, Match, Rule, Trigger


@dataclass(frozen=True, slots=True)
class HoldProduce:
    """Produce requests of the client named `producer` are held, to `broker`, or whichever it is.

    For scenarios with gated_clients. What has been sent stays under way although the producer gives
    up and closes its connection. Healing delivers it, and waits until it is answered. See `often`.
    """

    producer: str
    often: Trigger = field(default_factory=Trigger)
    broker: int | None = None
    needs: ClassVar = ("links", "gated_clients")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        since, hold = cluster.gate.mark(), Action("hold", keep_after_close=True)
        asked = Match("request", apis=(PRODUCE,), client_id=self.producer, leader=self.broker)
        rule = cluster.gate.add(Rule(asked, hold, self.often))
        try:
            yield AtTheGate(rule)
        finally:
            _deliver(cluster, rule, since)


def _deliver(cluster: Cluster, rule: RuleHandle, since: int) -> None:
    try:
        kept = _kept(rule, cluster.gate.events(since))
    finally:
        rule.pass_on()
    for each in kept:
        what = f"an answer on connection {each}, left by its client"
        cluster.gate.wait_event(partial(_is_answered, each), what, STAND_TIMEOUT_S, since=since)


def _kept(rule: RuleHandle, events: tuple[Event, ...]) -> set[int]:
    """The connections on which a frame stands although the client has closed them."""
    left = {event["connection"] for event in events if event.get("reason") == "client, kept"}
    return {each["connection"] for each in rule.events() if each["event"] == "standing"} & left


def _is_answered(connection: int, event: Event) -> bool:
    return event.get("connection") == connection and event.get("reason") == "answered"
