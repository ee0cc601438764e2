"""An application of the user's, or a load, freezes: SIGSTOP, as in a long garbage collection."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from highwater.faults.of_clients import Revivable, require_client
from highwater.harness.cluster import Cluster
from highwater.harness.model import Proof


@dataclass(frozen=True, slots=True)
class PauseClient:
    """Its sockets stay open, and its group misses it; healing lets it go on where it was.

    So does the end of its `with`. Raises UsageError for who is gone, or frozen already.
    """

    client: Revivable

    def __post_init__(self) -> None:
        require_client(self, self.client)

    def __repr__(self) -> str:
        return f"PauseClient({self.client.name!r})"

    @contextmanager
    def inject(self, _cluster: Cluster) -> Generator[Proof]:
        with self.client.paused():
            yield Proof({"client": self.client.name})
