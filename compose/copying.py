"""Copies of what the containers of somebody else's compose project have on their disks."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path

import docker

from highwater.compose.asking import Found
from highwater.harness.errors import InfrastructureError
from highwater.harness.properties import properties_in, write_properties
from highwater.harness.settings import zookeeper_name

METADATA, META = "__cluster_metadata-0", "meta.properties"
VERSION = "version-2"  # where ZooKeeper has its snapshots, and its log, which may lie elsewhere


def copy_data(client: docker.DockerClient, found: Found, into: Path) -> None:
    """The data of a node that is down; what they are a copy of stays as it is."""
    _copy(client, found, found.log_dirs[0], into / f"data-{found.number}")


def copy_of_server(client: docker.DockerClient, found: Found, into: Path) -> None:
    """Snapshots and log of a ZooKeeper server that is down, in one directory, as ours has them.

    What it called itself is left out: it gets another number.
    """
    place = into / f"{zookeeper_name(found.number)}-data"
    _copy(client, found, found.log_dirs[0], place)
    if len(found.log_dirs) > 1:
        logs = place.with_suffix(".logs")
        _copy(client, found, found.log_dirs[1], logs)
        shutil.copytree(logs / VERSION, place / VERSION, dirs_exist_ok=True)
        shutil.rmtree(logs)
    (place / "myid").unlink(missing_ok=True)


def divide(broker: Path, controller: Path, number: int) -> None:
    """Of a copy of what a node had that was both: a controller's, of another number.

    The log of the metadata is the same in both. Who votes is another set now, so what they knew of
    their last election goes: Kafka refuses another one, and begins anew with the log's epoch.
    Raises InfrastructureError where there is no such log.
    """
    if not (broker / METADATA).is_dir():
        raise InfrastructureError(
            f"expected {METADATA}, the log of the metadata, among what {broker.name} is a copy of, "
            "saw none: the controller may still have been starting"
        )
    shutil.copytree(broker / METADATA, controller / METADATA)
    told = properties_in((broker / META).read_bytes())
    kept = {name: value for name, value in told.items() if name != "directory.id"}
    write_properties(controller / META, kept | {"node.id": str(number)})


def forget_election(data: Path) -> None:
    """What a node of a quorum knew of who leads, and who votes."""
    (data / METADATA / "quorum-state").unlink(missing_ok=True)


def _copy(client: docker.DockerClient, found: Found, what: str, into: Path) -> None:
    stream, _ = client.containers.get(found.container.id).get_archive(what)
    packed, place = into.with_suffix(".tar"), into.with_suffix(".copied")
    with packed.open("wb") as file:
        for chunk in stream:
            file.write(chunk)
    with tarfile.open(packed) as tar:
        tar.extractall(place, filter="data")
    packed.unlink()
    inside = [each for each in place.iterdir() if each.is_dir()]
    if len(inside) != 1:
        raise InfrastructureError(
            f"expected a directory of data at {what} of {found.service}, saw none"
        )
    inside[0].rename(into)
    place.rmdir()
