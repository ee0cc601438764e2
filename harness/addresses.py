"""Hosts and ports, as they are written: an IPv6 host stands in brackets."""

from __future__ import annotations

import re
from ipaddress import IPv6Address

from highwater.harness.errors import UsageError

HOST = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9._-]*[A-Za-z0-9_.])?|\[[0-9A-Fa-f:.]+(%[\w.-]+)?\]")
PORT = re.compile(r"[0-9]{1,5}")


def addresses(bootstrap: str) -> list[tuple[str, int]]:
    """Hosts and ports of bootstrap servers; raises UsageError for what names none."""
    found = []
    for each in bootstrap.split(","):
        host, _, port = each.strip().rpartition(":")
        if not _is_host(host) or not PORT.fullmatch(port) or not 0 < int(port) < 1 << 16:
            raise UsageError(
                f"expected bootstrap servers as HOST:PORT,HOST:PORT, saw {bootstrap!r:.120}, of "
                f"which {each.strip()!r:.60} is none"
            )
        found.append((host.strip("[]"), int(port)))
    return found


def _is_host(host: str) -> bool:
    if not HOST.fullmatch(host):
        return False
    try:
        return not host.startswith("[") or bool(IPv6Address(host.strip("[]")))
    except ValueError:
        return False


def written(host: str, port: int) -> str:
    """What `addresses` reads as these."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
