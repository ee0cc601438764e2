"""A fault hits whoever has a role at the moment when it is injected."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from highwater.harness.cluster import Cluster, Fault
from highwater.harness.model import Evidence, Proof


class Target(Protocol):
    """A role; raises PreconditionError when nobody has it."""

    def broker(self, cluster: Cluster) -> int: ...


@dataclass(frozen=True, slots=True)
class Aimed:
    """A fault of whoever has the role: `Aimed(Leader(where), Pause)`."""

    target: Target
    fault: Callable[[int], Fault[Any]]

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Evidence]:
        fault = self.fault(self.target.broker(cluster))
        with fault.inject(cluster) as injected:
            yield Proof({"fault": repr(fault), **injected.proof})

    def __repr__(self) -> str:
        return f"Aimed({self.target!r}, {getattr(self.fault, '__name__', self.fault)})"
