"""What Docker lacks here, one look at a time, and what dead runs have left in it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from docker.errors import ImageNotFound

from highwater.compose.images import OWN_BASE, PUBLIC_BASE, engine
from highwater.compose.sweep import remove_orphans
from highwater.harness.errors import InfrastructureError

OLDEST_API = (1, 41)  # Docker Engine 20.10
DISK_MIB = 4096
COMPOSE_TIMEOUT_S = 20


def sweep_engine() -> list[str]:
    """Remove what dead runs have left in Docker; nothing where no engine answers."""
    try:
        with engine() as client:
            return remove_orphans(client)
    except InfrastructureError:
        return []


def _engine() -> str:
    with engine() as client:
        told = client.version()
    api = tuple(int(part) for part in told["ApiVersion"].split("."))
    if api < OLDEST_API:
        oldest = ".".join(map(str, OLDEST_API))
        raise InfrastructureError(
            f"Docker Engine {told['Version']} speaks API {told['ApiVersion']}; "
            f"expected {oldest} (20.10) or newer"
        )
    return f"{told['Version']}, API {told['ApiVersion']}"


def _base() -> str:
    with engine() as client:
        for name in (OWN_BASE, PUBLIC_BASE):
            try:
                client.images.get(name)
            except ImageNotFound:
                continue
            return name
    raise InfrastructureError(
        f"no base image; {PUBLIC_BASE} is pulled when it is needed, and where there is no registry "
        "highwater image-base builds one"
    )


def _disk() -> str:
    with engine() as client:
        place = Path(client.info()["DockerRootDir"])
    if not place.exists():
        return f"{place} is not on this machine"
    mib = shutil.disk_usage(place).free // 2**20
    if mib < DISK_MIB:
        raise InfrastructureError(f"{mib} MiB free at {place}; expected {DISK_MIB} or more")
    return f"{mib} MiB free at {place}"


def _kernel() -> str:
    """What a kernel may have been built, or booted, without."""
    with engine() as client:
        told = client.info()
    needed = {"CpuCfsQuota": "LimitCpu", "IPv4Forwarding": "ports that containers publish"}
    lacking = [f"{name} ({use})" for name, use in needed.items() if not told.get(name)]
    if lacking:
        raise InfrastructureError(f"the kernel lacks {', '.join(lacking)}; see: docker info")
    return f"{told['KernelVersion']}, {told['Driver']}, cgroups version {told['CgroupVersion']}"


def _compose() -> str:
    command = ["docker", "compose", "version", "--short"]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=COMPOSE_TIMEOUT_S,
            env=os.environ.copy(),
        )
    except OSError as error:
        raise InfrastructureError(f"no docker command: {error}") from error
    if done.returncode:
        raise InfrastructureError(
            "docker compose (version 2, a plugin) is not installed; only compose files need it"
        )
    return done.stdout.strip()


LOOKS: dict[str, Callable[[], str]] = {
    "Docker Engine": _engine,
    "Docker base image": _base,
    "Docker disk": _disk,
    "Docker kernel": _kernel,
    "docker compose": _compose,
}
