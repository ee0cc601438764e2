"""A broker's second disk is replaced by an empty one."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from highwater.faults.offline import offline_files
from highwater.harness.cluster import Cluster
from highwater.harness.errors import PreconditionError
from highwater.harness.log_dirs import second_log_dir
from highwater.harness.model import Proof
from highwater.harness.properties import properties_in, write_properties

META = "meta.properties"
KEPT = ("version", "cluster.id", "node.id")  # of a new disk the broker makes up the directory.id


@dataclass(frozen=True, slots=True)
class ReplaceDisk:
    """Remove all that a broker which does not run has in its second log directory.

    For scenarios with two_log_dirs; the first one has the metadata. The new one is formatted for
    KRaft. Raises PreconditionError when the broker runs, has one log directory, or uses ZooKeeper.
    Healing does nothing: started again, the broker has an empty disk there.
    """

    broker: int

    needs: ClassVar = ("nodes", "files", "two_log_dirs")
    not_on: ClassVar = {"docker": "containers are laid out with one disk for each broker"}

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        directory = second_log_dir(offline_files(cluster, self.broker))
        if not (directory / META).exists():
            raise PreconditionError(f"broker {self.broker} has no disk {directory}")
        told = _of_a_new_one(directory / META)
        gone = sorted(each.name for each in directory.iterdir() if each.is_dir())
        shutil.rmtree(directory)
        directory.mkdir()
        write_properties(directory / META, told)
        yield Proof({"directories gone": gone})


def _of_a_new_one(meta: Path) -> dict[str, str]:
    told = properties_in(meta.read_bytes())
    if missing := [name for name in KEPT if name not in told]:
        raise PreconditionError(f"expected {meta} to say {', '.join(missing)}, as on KRaft")
    return {name: told[name] for name in KEPT}
