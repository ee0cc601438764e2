"""The same thing goes wrong again and again: a flapping link, a broker that keeps dying."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from highwater.faults.in_sequence import InSequence
from highwater.harness.cluster import Cluster, Fault
from highwater.harness.model import Proof


@dataclass(frozen=True, slots=True)
class Repeat:
    """Injected and healed so many `times`; over when this is injected, as with InSequence."""

    fault: Fault[Any]
    times: int

    needs: ClassVar = "nodes"

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        with InSequence((self.fault,) * self.times).inject(cluster) as done:
            yield done
