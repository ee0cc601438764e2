"""Gives a compose project back: without our configuration, and running."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import docker
from docker.models.containers import Container

from highwater.compose.file import STATE
from highwater.compose.labels import NODE, PROJECT, SERVICE
from highwater.harness.cluster import VOTERS
from highwater.harness.settings import CONTROLLER_ID, OTHER_ZOOKEEPERS, ZOOKEEPER_ID

STOP_TIMEOUT_S = 30
CONTROLLERS = range(CONTROLLER_ID, CONTROLLER_ID + max(VOTERS))  # and the controller's broker
ZOOKEEPERS = (ZOOKEEPER_ID, *range(OTHER_ZOOKEEPERS + 1, OTHER_ZOOKEEPERS + max(VOTERS)))


def containers_of(client: docker.DockerClient, project: str) -> list[Container]:
    """The project's containers, metadata first."""
    chosen = {"label": f"{PROJECT}={project}"}
    found = client.containers.list(all=True, filters=chosen, ignore_removed=True)
    return sorted(found, key=_is_broker)


def stop_all(containers: Iterable[Container]) -> None:
    """Orderly, so that no session is left: brokers, then whom they say goodbye to."""
    ordered = list(containers)
    for several in (
        [each for each in ordered if _is_broker(each)],
        [each for each in ordered if _number(each) in CONTROLLERS],
        [each for each in ordered if _number(each) in ZOOKEEPERS],
    ):
        stop_together(several)


def stop_together(containers: Iterable[Container]) -> None:
    """All of these at once; returns when they are down."""
    several = list(containers)
    with ThreadPoolExecutor(max(1, len(several))) as pool:
        list(pool.map(_stop, several))


def start_again(client: docker.DockerClient, ids: Sequence[str]) -> bool:
    """Start those that are down, in this order; True when none was."""
    everybody = client.containers.list(all=True, ignore_removed=True)
    there = {each.short_id: each for each in everybody}
    down = [there[each] for each in ids if each in there and there[each].status != "running"]
    for each in down:
        each.start()
    return not down


def restore(client: docker.DockerClient, project: str) -> None:
    """Stop what runs with our configuration, take that away, and start it with its own."""
    containers = containers_of(client, project)
    written = [path for each in containers if (path := _ours(each)).exists()]
    if written:
        stop_all(containers)
    for path in written:
        path.unlink(missing_ok=True)
    for container in containers:
        container.start()


def is_restored(client: docker.DockerClient, project: str) -> bool:
    """Whether every container runs with its own configuration; so is one that has been removed."""
    containers = containers_of(client, project)
    return all(each.status == "running" and not _ours(each).exists() for each in containers)


def _ours(container: Container) -> Path:
    """Where our configuration of a node is, if it has any."""
    for mount in container.attrs["Mounts"]:
        if mount["Destination"] == str(STATE):
            return Path(mount["Source"]) / f"{container.labels[SERVICE]}.properties"
    return Path("/nonexistent")


def _stop(container: Container) -> None:
    container.reload()
    if container.status == "paused":
        container.unpause()
    wanted_s = container.attrs["Config"].get("StopTimeout") or 0  # of compose stop_grace_period
    container.stop(timeout=max(STOP_TIMEOUT_S, wanted_s))


def _is_broker(container: Container) -> bool:
    return _number(container) not in {*CONTROLLERS, *ZOOKEEPERS}


def _number(container: Container) -> int:
    return int(container.labels.get(NODE, -1))
