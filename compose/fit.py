"""Whether stand-ins can take the place of what was found in a compose project: asked beforehand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from highwater.compose.asking import Found
from highwater.harness.cluster import VOTERS
from highwater.harness.errors import UsageError
from highwater.harness.settings import FIXED
from highwater.harness.sites import Members
from highwater.harness.versions.catalogue import Kafka, find_kafka

VOTER = re.compile(r"\s*[0-9]{1,10}@")
MOST_BYTES = 2 << 30  # of data that are copied, of one node
# What a node says of where it listens and to whom: stand-ins listen elsewhere, without encryption.
OF_PLACES = (
    "listener.", "ssl.", "sasl.", "advertised.", "control.plane.", "early.start.",
    "security.", "authorizer.", "super.users", "controller.quorum.", "password.", "delegation.",
)  # fmt: skip


def kafka_of(project: str, found: Sequence[Found]) -> Kafka:
    """What its nodes are of.

    Raises UsageError, in words, for what no stand-in can take the place of.
    """
    whys = [why for each in found for why in _why_not(each)] or list(_why_not_all(project, found))
    if whys:
        raise UsageError(f"{project} cannot be attached: {'; '.join(whys)}")
    (release,) = {each.release for each in found}
    try:
        return find_kafka(release)
    except UsageError as error:
        told = f"{project} cannot be attached: its jars are of {release}"
        raise UsageError(f"{told}; {error}") from error


def members_in(found: Sequence[Found]) -> Members:
    """The nodes, with their own settings but those that say where they are."""
    brokers = {each.number: _kept(each.settings) for each in found if "broker" in each.roles}
    voters = {each.number: _kept(each.settings) for each in found if "controller" in each.roles}
    return Members(brokers, voters)


def _kept(settings: Mapping[str, str]) -> Mapping[str, str]:
    return {
        name: value
        for name, value in settings.items()
        if name not in FIXED and name != "metadata.log.dir" and not name.startswith(OF_PLACES)
    }


def _why_not(found: Found) -> Iterator[str]:
    name = found.service
    if not found.roles:
        yield f"{name} needs ZooKeeper, and only KRaft is found by asking"
        return
    if len(found.roles) > 1:
        yield (
            f"{name} is broker and controller at once: plays take brokers down, and count on "
            "controllers"
        )
    yield from _why_not_its_numbers(found)
    if not found.release:
        yield f"{name} has no kafka_2.1x-RELEASE.jar in its class path, which tells its release"
    yield from _why_not_its_data(found)


def _why_not_its_numbers(found: Found) -> Iterator[str]:
    name = found.service
    if found.number < 0:
        yield f"{name} has node.id {found.settings.get('node.id')!r:.60}: expected a number"
    voters = found.settings.get("controller.quorum.voters")
    if not voters:
        yield f"{name} has no controller.quorum.voters: its voters say where they are (KIP-853)"
    elif not all(VOTER.match(each) for each in voters.split(",")):
        yield f"{name} has controller.quorum.voters {voters!r:.60}: expected ID@HOST:PORT"


def _why_not_its_data(found: Found) -> Iterator[str]:
    name = found.service
    if len(found.log_dirs) > 1:
        yield f"{name} has several directories of data, {', '.join(found.log_dirs)}: expected one"
    elif not all(each.startswith("/") for each in found.log_dirs):
        yield f"{name} has its data at {found.log_dirs[0]}: expected an absolute path"
    elif _is_link(found.data):
        yield f"{name} has its data at {found.log_dirs[0]}, which is a link: expected a directory"
    if (size := _size(found.data)) > MOST_BYTES:
        yield f"{name} has {size >> 20} MiB of data: expected {MOST_BYTES >> 20} or less to copy"


def _why_not_all(project: str, found: Sequence[Found]) -> Iterator[str]:
    if not found:
        yield (
            "no container of it runs a Kafka: expected Java processes of the class kafka.Kafka, "
            f"which may still be starting; see: docker compose -p {project} top"
        )
        return
    releases = sorted({each.release for each in found})
    if len(releases) > 1:
        yield f"its nodes are of several releases, {', '.join(releases)}"
    numbers = [each.number for each in found]
    if len(set(numbers)) < len(numbers):
        yield f"its nodes are of several clusters: of node.id there are {sorted(numbers)}"
    told = {each.settings["controller.quorum.voters"] for each in found}
    voters = {int(each.partition("@")[0]) for all_of in told for each in all_of.split(",")}
    there = {each.number for each in found if "controller" in each.roles}
    if voters != there:
        yield f"its voters are {sorted(voters)}, and of these there run {sorted(there)}"
    if len(voters) not in VOTERS:
        yield f"it has {len(voters)} voters: expected one or three"


def _is_link(place: Path) -> bool:
    """False where this machine may not look."""
    try:
        return place.is_symlink()
    except OSError:
        return False


def _size(place: Path) -> int:
    """In bytes; 0 where this machine may not look."""
    try:
        return sum(each.lstat().st_size for each in place.rglob("*"))
    except OSError:
        return 0
