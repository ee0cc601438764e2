"""A replica's directory becomes read-only: no new segment can be made in it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.revival import revive
from highwater.harness.cluster import Cluster
from highwater.harness.errors import PreconditionError
from highwater.harness.log_dirs import replica_dir
from highwater.harness.model import Proof, TopicPartition

NO_WRITING = 0o555


@dataclass(frozen=True, slots=True)
class ReadOnlyDirectory:
    """For clusters with `obeys_file_modes`. Files that are open can be written to still; a broker
    halts when it needs a new one, for a segment or an epoch, and healing starts it again.

    Raises PreconditionError when somebody with the broker's rights can make a file there all the
    same.
    """

    broker: int
    where: TopicPartition

    needs: ClassVar = ("nodes", "files", "obeys_file_modes")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        directory = replica_dir(cluster, self.broker, self.where)
        before = directory.stat().st_mode
        try:
            directory.chmod(NO_WRITING)
            yield Proof({"making a file": self._refusal(cluster, str(directory / "probe"))})
        finally:
            directory.chmod(before)
            revive(cluster, self.broker)

    def _refusal(self, cluster: Cluster, path: str) -> str:
        try:
            cluster.nodes[self.broker].run(["touch", path])
        except PreconditionError as error:
            return str(error).strip().splitlines()[-1]
        raise PreconditionError(f"{path} could be made: has the cluster obeys_file_modes=True?")
