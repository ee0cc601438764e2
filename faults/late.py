"""What stood at the gate for so long that its sender has given it up, and is delivered now."""

from __future__ import annotations

from functools import partial

from highwater.faults.at_the_gate import STAND_TIMEOUT_S
from highwater.harness.cluster import Cluster
from highwater.harness.gate.handle import RuleHandle
from highwater.harness.gate.hub import Event


def deliver(cluster: Cluster, rule: RuleHandle, since: int) -> None:
    """Let pass what stands; returns when all has been answered that its sender did not wait for.

    Raises DeadlineError for what is not answered. `since` is a mark from before the rule.
    """
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
