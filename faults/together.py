"""Several faults at once."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from highwater.harness.cluster import Cluster, Fault
from highwater.harness.model import Proof


@dataclass(frozen=True, slots=True)
class Together:
    """Opened in the order in which they are given, healed newest first."""

    faults: tuple[Fault[Any], ...]

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        with ExitStack() as stack:
            injected = [stack.enter_context(each.inject(cluster)) for each in self.faults]
            proofs = zip(self.faults, injected, strict=True)
            yield Proof({repr(fault): dict(one.proof) for fault, one in proofs})
