"""A broker's wall clock jumps."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.harness.cluster import Cluster
from highwater.harness.errors import PreconditionError
from highwater.harness.jvm.wrapping import set_clock
from highwater.harness.model import Proof

INEXACT_S = 5.0


@dataclass(frozen=True, slots=True)
class JumpClock:
    """Forwards or, below 0, back by `shift_s`; for clusters with `fake_clock` (libfaketime).

    Raises PreconditionError where the clock does not follow. Healing puts it right, which is a jump
    as well.
    """

    broker: int
    shift_s: float = 3600

    needs: ClassVar = ("nodes", "fake_clock")

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        clock, node = cluster.nodes.clock(self.broker), cluster.nodes[self.broker]
        before_s = float(node.run(["date", "+%s.%N"]))
        try:
            set_clock(clock, self.shift_s)
            after_s = float(node.run(["date", "+%s.%N"]))
            if abs(after_s - before_s - self.shift_s) > INEXACT_S:
                raise PreconditionError(
                    f"expected the clock {self.shift_s:+g} s off, saw {after_s - before_s:+.1f} s: "
                    "has the cluster fake_clock=True, and the machine libfaketime?"
                )
            yield Proof({"seconds since 1970 before": before_s, "after": after_s})
        finally:
            set_clock(clock, 0)
