"""Whether stand-ins can take the place of what was found in a compose project: asked beforehand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from highwater.compose.asking import Found
from highwater.compose.fit_together import root_of, voters_of, why_not_all
from highwater.harness.errors import UsageError
from highwater.harness.settings import FIXED
from highwater.harness.sites import Members
from highwater.harness.versions.catalogue import Kafka, find_kafka

VOTER = re.compile(r"\s*[0-9]{1,10}@")
BLOCK_BYTES, MEMORY = 512, ("tmpfs", "ramfs")
MOST_TOLD = 1000  # reserved.broker.max.id, unless it says otherwise
MOST_BYTES = 2 << 30  # of data that are copied, of one node
# What a node says of where it listens and to whom: stand-ins listen elsewhere, without encryption.
OF_PLACES = (
    "listener.", "ssl.", "sasl.", "advertised.", "control.plane.", "early.start.",
    "security.", "authorizer.", "super.users", "controller.quorum.", "password.", "delegation.",
    "zookeeper.",
)  # fmt: skip


def kafka_of(project: str, found: Sequence[Found]) -> Kafka:
    """What its nodes are of.

    Raises UsageError, in words, for what no stand-in can take the place of.
    """
    whys = [why for each in found for why in _why_not(each)] or list(why_not_all(project, found))
    if whys:
        raise UsageError(f"{project} cannot be attached: {'; '.join(whys)}")
    (release,) = {each.release for each in found if not each.is_zookeeper}
    mode = "zk" if any(each.needs_zookeeper for each in found) else "kraft"
    try:
        return find_kafka(f"{release}-{mode}")
    except UsageError as error:
        told = f"{project} cannot be attached: its jars are of {release}"
        raise UsageError(f"{told}; {error}") from error


def members_in(found: Sequence[Found]) -> Members:
    """The nodes, with their own settings but those that say where they are."""
    brokers = {
        each.number: {**_kept(each.settings), **_permitted(each)}
        for each in found
        if "broker" in each.roles
    }
    voters = {
        number: {} if each.is_zookeeper else _kept(each.settings)
        for number, each in voters_of(found).items()
    }
    return Members(brokers, voters, root_of(found))


def _permitted(found: Found) -> Mapping[str, str]:
    """A number that a broker was given by itself is one that none may be told."""
    is_given = found.needs_zookeeper and found.number > MOST_TOLD
    return {"reserved.broker.max.id": str(found.number)} if is_given else {}


def _kept(settings: Mapping[str, str]) -> Mapping[str, str]:
    return {
        name: value
        for name, value in settings.items()
        if name not in FIXED and name != "metadata.log.dir" and not name.startswith(OF_PLACES)
    }


def _why_not(found: Found) -> Iterator[str]:
    name = found.service
    if not found.is_zookeeper:
        yield from _why_not_its_numbers(found)
        if not found.release:
            yield f"{name} has no kafka_2.1x-RELEASE.jar in its class path, which tells its release"
    if found.is_removed_when_stopped:
        yield f"{name} was started with --rm: Docker removes it, and its data, when it stops"
    yield from _why_not_its_data(found)


def _why_not_its_numbers(found: Found) -> Iterator[str]:
    name, named = found.service, "broker.id" if found.needs_zookeeper else "node.id"
    if found.number < 0:
        yield f"{name} has {named} {found.settings.get(named)!r:.60}: expected a number"
    if found.needs_zookeeper:
        return
    voters = found.settings.get("controller.quorum.voters")
    if not voters:
        yield f"{name} has no controller.quorum.voters: its voters say where they are (KIP-853)"
    elif not all(VOTER.match(each) for each in voters.split(",")):
        yield f"{name} has controller.quorum.voters {voters!r:.60}: expected ID@HOST:PORT"
    elif len(ids := [int(each.partition("@")[0]) for each in voters.split(",")]) > len({*ids}):
        yield f"{name} has controller.quorum.voters {voters!r:.60}: expected each voter once"


def _why_not_its_data(found: Found) -> Iterator[str]:
    name, told = found.service, ", ".join(found.log_dirs)
    if not found.log_dirs:
        yield f"{name} has no dataDir in its configuration"
    elif len(found.log_dirs) > 1 and not found.is_zookeeper:
        yield f"{name} has several directories of data, {told}: expected one"
    elif not all(each.startswith("/") for each in found.log_dirs):
        yield f"{name} has its data at {told}: expected an absolute path"
    elif in_memory := [each for each in found.log_dirs if _is_in_memory(found.pid, each)]:
        yield f"{name} has its data in memory, at {in_memory[0]}: they are gone when it stops"
    elif any(map(_is_link, found.data)):
        yield f"{name} has its data at {told}, which is a link: expected a directory"
    if (size := sum(map(_size, found.data))) > MOST_BYTES:
        yield f"{name} has {size >> 20} MiB of data: expected {MOST_BYTES >> 20} or less to copy"


def _is_link(place: Path) -> bool:
    """False where this machine may not look."""
    try:
        return place.is_symlink()
    except OSError:
        return False


def _is_in_memory(pid: int, place: str) -> bool:
    """Whether the file system there is gone with its process; False where nobody says so."""
    try:
        lines = Path(f"/proc/{pid}/mountinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    told = [line.partition(" - ") for line in lines]
    kinds = {PurePosixPath(mount.split()[4]): kind.split()[0] for mount, _, kind in told}
    above = [each for each in kinds if PurePosixPath(place).is_relative_to(each)]
    return bool(above) and kinds[max(above, key=lambda each: len(each.parts))] in MEMORY


def _size(place: Path) -> int:
    """In bytes on the disk, for an index is long and mostly empty; 0 where nobody may look."""
    try:
        return sum(each.lstat().st_blocks * BLOCK_BYTES for each in place.rglob("*"))
    except OSError:
        return 0
