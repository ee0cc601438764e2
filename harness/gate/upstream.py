"""What stands behind one of the gate's ports; plain data that travels as JSON."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Upstream:
    """A node's listener; `asker` is the only node that is given this port, None for any."""

    broker_id: int
    host: str
    port: int
    asker: int | None = None
    foreign: bool = False  # it speaks in frames with a length, as ZooKeeper does, but not Kafka's
    clients: bool = False  # it is clients who are given this port: what they ask can be recorded
