"""Labels on everything that we make in Docker: whose it is, and whether its owner still lives."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

SESSION = "io.highwater.session"  # one cluster
OWNER = "io.highwater.owner"  # the process that made it, so that a later one knows if it is dead
# On the services of a compose file that we have written:
KAFKA = "io.highwater.kafka"  # its name in the catalogue
NODE = "io.highwater.node"  # its number
PORTS = "io.highwater.ports"  # of its client and its replication listener, or of its only one
PROJECT, SERVICE = (
    "com.docker.compose.project",
    "com.docker.compose.service",
)  # docker compose's own
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def owned_by_us(session: str) -> dict[str, str]:
    """Labels of what this process makes for one cluster."""
    return {SESSION: session, OWNER: _identity(os.getpid())}


def is_orphan(labels: Mapping[str, str]) -> bool:
    """Whether the process that made this is gone; False for what is not ours."""
    owner = labels.get(OWNER)
    if owner is None or SESSION not in labels:
        return False
    pid = owner.partition(" ")[0]
    return not pid.isdigit() or owner != _identity(int(pid))


def _identity(pid: int) -> str:
    """Process id, start time and boot: a number that is given again does not count."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    state, *others = stat.rpartition(")")[2].split()
    if (
        state == "Z"
    ):  # dead, and nobody has asked for its exit code: init of many containers does not
        return ""
    started = others[18]  # field 22 of proc(5), ticks since boot
    return f"{pid} {started} {BOOT_ID.read_text().strip()}"
