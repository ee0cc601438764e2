"""An application of the user's, or a load, dies at once: SIGKILL."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from highwater.faults.of_clients import Revivable, require_client
from highwater.harness.cluster import Cluster
from highwater.harness.model import Proof


@dataclass(frozen=True, slots=True)
class KillClient:
    """It dies with whatever it has started. Healing starts it again, as a supervisor does.

    Who was started meanwhile, or whose `with` is over, is left as it is. For who is within its
    `with`; raises UsageError for who is gone.
    """

    client: Revivable

    def __post_init__(self) -> None:
        require_client(self, self.client)

    def __repr__(self) -> str:
        return f"KillClient({self.client.name!r})"

    @contextmanager
    def inject(self, _cluster: Cluster) -> Generator[Proof]:
        name, was_gone = self.client.name, self.client.can_start
        try:
            self.client.kill()
            yield Proof({"client": name, "gone": self.client.can_start})
        finally:
            if self.client.can_start and not was_gone:
                self.client.start()
