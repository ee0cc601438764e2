"""Where Kafka's client finds brokers, and how it has to speak to them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from highwater.harness.probes.security import Address, security_of


def reached(bootstrap: str) -> dict[str, Any]:
    """These settings of librdkafka; all servers of one bootstrap want the same."""
    security = security_of(addresses_of(bootstrap)[0])
    return {"bootstrap.servers": bootstrap, **(security.library() if security else {})}


def handed(bootstrap: str) -> dict[str, Any]:
    """The same for a process of ours, as it is told in its first line."""
    security = security_of(addresses_of(bootstrap)[0])
    return {"bootstrap": bootstrap} | ({"security": asdict(security)} if security else {})


def addresses_of(bootstrap: str) -> list[Address]:
    """Hosts and ports of these servers."""
    places = [each.strip().rpartition(":") for each in bootstrap.split(",")]
    return [(host.strip("[]"), int(port)) for host, _, port in places]
