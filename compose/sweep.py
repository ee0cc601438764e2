"""Takes away what a cluster left in Docker: its containers first, then its network."""

from __future__ import annotations

from typing import Any

import docker
from docker.errors import APIError, NotFound

from highwater.compose.labels import SESSION, is_orphan

GONE, IN_PROGRESS = 404, 409  # somebody else is taking it away, or has


def remove_session(client: docker.DockerClient, session: str) -> list[str]:
    """Remove everything that carries this session's label; returns the names."""
    return _remove(client, f"{SESSION}={session}", orphans_only=False)


def remove_orphans(client: docker.DockerClient) -> list[str]:
    """Remove everything of ours that has no living owner; returns the names."""
    return _remove(client, SESSION, orphans_only=True)


def left_over(client: docker.DockerClient, session: str) -> list[str]:
    """Names of what still carries this session's label."""
    return [each.name for each in _all(client, f"{SESSION}={session}")]


def _all(client: docker.DockerClient, label: str) -> list[Any]:
    chosen = {"label": label}
    containers = client.containers.list(all=True, filters=chosen, ignore_removed=True)
    return [*containers, *client.networks.list(filters=chosen)]


def _remove(client: docker.DockerClient, label: str, *, orphans_only: bool) -> list[str]:
    removed = []
    for each in _all(client, label):
        if orphans_only and not is_orphan(_labels(each)):
            continue
        try:
            _remove_one(each)
        except NotFound:
            continue
        except APIError as error:
            if error.status_code not in {GONE, IN_PROGRESS}:
                raise
            continue
        removed.append(each.name)
    return removed


def _remove_one(each: Any) -> None:
    if hasattr(each, "kill"):
        each.remove(force=True, v=True)
        return
    each.reload()
    for endpoint in each.attrs.get("Containers") or {}:  # a foreign one that was attached to it
        each.disconnect(endpoint, force=True)
    each.remove()


def _labels(each: Any) -> dict[str, str]:
    found: dict[str, str] = each.labels if hasattr(each, "kill") else each.attrs["Labels"] or {}
    return found
