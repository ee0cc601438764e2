"""One producer's records are late: they stand in the network, and outlive its patience."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from highwater.faults.at_the_gate import AtTheGate
from highwater.harness.cluster import Cluster
from highwater.harness.gate.handle import RuleHandle
from highwater.harness.gate.headers import PRODUCE
from highwater.harness.gate.hub import Event
from highwater.harness.gate.rules import Action, Match, Rule

ANSWER_TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True)
class HoldProduce:
    """Produce requests of the client named `producer` are held, to whichever broker they go.

    For scenarios with gated_clients. What has been sent stays under way although the producer gives
    up and closes its connection. Healing delivers it, and waits until the broker has answered.
    """

    producer: str

    needs: ClassVar = "gated_clients"

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[AtTheGate]:
        requests = Match(stage="request", apis=(PRODUCE,), client_id=self.producer)
        rule = cluster.gate.add(Rule(requests, Action("hold", keep_after_close=True)))
        since = cluster.gate.mark()
        try:
            yield AtTheGate(rule)
        finally:
            kept = _kept(rule, cluster.gate.events(since))
            rule.pass_on()
            for connection in kept:
                cluster.gate.wait_event(
                    partial(_is_answered, connection),
                    f"the answer on connection {connection}, which its client has left",
                    ANSWER_TIMEOUT_S,
                    since=since,
                )


def _kept(rule: RuleHandle, events: tuple[Event, ...]) -> set[int]:
    """The connections on which a frame stands although the client has closed them."""
    held = {event["connection"] for event in rule.events() if event["event"] == "standing"}
    left = {event["connection"] for event in events if event.get("reason") == "client, kept"}
    return held & left


def _is_answered(connection: int, event: Event) -> bool:
    return event.get("connection") == connection and event.get("reason") == "answered"
