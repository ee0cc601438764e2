"""A broker's second disk is gone while it runs: nothing can be opened, or made, there any more."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.harness.cluster import Cluster
from highwater.harness.errors import PreconditionError
from highwater.harness.log_dirs import second_log_dir
from highwater.harness.model import Proof


@dataclass(frozen=True, slots=True)
class LoseDisk:
    """In the place of the second log directory there is a file.

    For scenarios with two_log_dirs. What is open there can be written to still, so the broker
    notices when it writes its next checkpoint (log.flush.offset.checkpoint.interval.ms). Healing
    puts the directory back with all that was in it; a broker has it again from its next start on.
    Raises PreconditionError for a broker with one log directory.
    """

    broker: int

    needs: ClassVar = ("files", "two_log_dirs")
    not_on: ClassVar = {"docker": "containers are laid out with one disk for each broker"}

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        place = second_log_dir(cluster.files.log_dir(self.broker))
        if not place.is_dir():
            raise PreconditionError(f"broker {self.broker} has no disk {place}")
        aside = place.with_name(f"{place.name}-lost")
        try:
            place.rename(aside)
            place.touch()
            yield Proof({"is a directory": place.is_dir()})
        finally:
            if aside.exists():
                place.unlink(missing_ok=True)
                aside.rename(place)
