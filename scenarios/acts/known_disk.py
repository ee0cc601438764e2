"""Whether the controller knows on which disk of a broker a replica lies (KIP-858)."""

import base64
import uuid
from pathlib import Path

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.metadata_log import copy_of
from highwater.scenarios.acts.two_disks import disks


def await_told_where_it_lies(play: Play, partition: Partition, broker: int) -> None:
    """Wait until the controller knows that its replica is on the second disk.

    A disk that fails before that takes nothing with it that the controller would know of.
    """
    metadata, identity = copy_of(play, broker), _directory_id(disks(play, broker)[1])
    partition.await_state(
        f"the controller knows on which disk of broker {broker} the replica is",
        lambda: metadata.directories(partition.where).get(broker) == identity,
    )


def _directory_id(disk: Path) -> uuid.UUID:
    """Of a log directory's meta.properties: Kafka writes the sixteen bytes in Base64."""
    lines = (disk / "meta.properties").read_text(encoding="utf-8").splitlines()
    told = dict(line.split("=", 1) for line in lines if "=" in line)
    return uuid.UUID(bytes=base64.urlsafe_b64decode(told["directory.id"] + "=="))
