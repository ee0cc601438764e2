"""A network for one cluster, of a subnet that nobody has."""

from __future__ import annotations

import random

from docker.errors import APIError
from docker.types import IPAMConfig, IPAMPool
from testcontainers.core.network import Network

from highwater.compose.labels import owned_by_us
from highwater.harness.errors import InfrastructureError

SUBNET_ATTEMPTS = 20
FIRST_ADDRESS = 10


def make_network(session: str) -> tuple[Network, str]:
    """The network, and what its addresses begin with; only in such a one may one be chosen."""
    for _ in range(SUBNET_ATTEMPTS):
        prefix = f"10.{random.randrange(200, 250)}.{random.randrange(256)}"
        pool = IPAMPool(subnet=f"{prefix}.0/24", gateway=gateway(prefix))
        options = {
            "driver": "bridge",
            "ipam": IPAMConfig(pool_configs=[pool]),
            "labels": owned_by_us(session),
        }
        try:
            return Network(docker_network_kw=options).create(), prefix
        except APIError as error:
            if "overlap" not in str(error.explanation).lower():
                raise InfrastructureError(
                    f"Docker makes no network: {error.explanation}"
                ) from error
    raise InfrastructureError(
        f"no free subnet among {SUBNET_ATTEMPTS} of 10.200.0.0 to 10.249.255.0; "
        "see: docker network ls"
    )


def gateway(prefix: str) -> str:
    """Which this machine is, as containers see it."""
    return f"{prefix}.1"
