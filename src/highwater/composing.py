"""`compose`: a compose file on standard output."""

from __future__ import annotations

import re
from dataclasses import replace

from highwater.adopting import kafka_named
from highwater.compose.file import Topology, compose_file
from highwater.harness.cluster import ClusterSpec
from highwater.harness.errors import UsageError


def show(version: str, *, brokers: int, voters: int, port: int | None, subnet: str | None) -> None:
    """Print the file; raises UsageError for what cannot be."""
    spec = ClusterSpec(brokers=brokers, voters=voters)
    topology = Topology(kafka=kafka_named(version), brokers=spec.brokers, voters=spec.voters)
    if port is not None:
        topology = replace(topology, first_port=port)
    if subnet is not None:
        match = re.fullmatch(r"(\d{1,3}\.\d{1,3}\.\d{1,3})\.0/24", subnet)
        if match is None or any(int(number) > 255 for number in match[1].split(".")):
            raise UsageError(f"--subnet {subnet!r} is not such as 10.9.8.0/24")
        topology = replace(topology, prefix=match[1])
    print(compose_file(topology), end="")
