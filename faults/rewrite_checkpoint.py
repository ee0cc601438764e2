"""A checkpoint file says what is not so."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.faults.offline import offline_files
from highwater.harness.cluster import Cluster
from highwater.harness.errors import PreconditionError
from highwater.harness.model import Proof


@dataclass(frozen=True, slots=True)
class RewriteCheckpoint:
    """A file of a broker that does not run has another content, or None: it is gone.

    `name` is relative to the log directory: replication-offset-checkpoint,
    recovery-point-offset-checkpoint, orders-0/leader-epoch-checkpoint. Raises PreconditionError
    when the broker runs or the file is not there. Healing does nothing.
    """

    broker: int
    name: str
    content: str | None = "garbage\n"

    needs: ClassVar = ("nodes", "files")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        path = offline_files(cluster, self.broker) / self.name
        if not path.is_file():
            raise PreconditionError(f"there is no {path}")
        before = path.read_text()
        if self.content is None:
            path.unlink()
        else:
            path.write_text(self.content)
        yield Proof({"before": before, "now": self.content})
