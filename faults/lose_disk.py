"""One of a broker's disks is gone while it runs: nothing can be opened, or made, there any more."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar

from highwater.harness.cluster import Cluster
from highwater.harness.errors import PreconditionError
from highwater.harness.model import Proof


@dataclass(frozen=True, slots=True)
class LoseDisk:
    """In the place of one of several log directories there is a file.

    `disk` is its name beside the broker's first one. What is open there can be written to still, so
    the broker notices when it writes its next checkpoint (log.flush.offset.checkpoint.interval.ms).
    Healing puts the directory back with all that was in it; a broker has it again from its next
    start on. Raises PreconditionError where there is no such directory.
    """

    broker: int
    disk: str

    needs: ClassVar = "files"
    not_on: ClassVar = {"docker": "containers are laid out with one disk for each broker"}

    @contextmanager
    def inject(self, cluster: Cluster) -> Generator[Proof]:
        place = cluster.files.log_dir(self.broker).parent / self.disk
        if not place.is_dir():
            raise PreconditionError(f"broker {self.broker} has no disk {place}")
        aside = place.with_name(f"{self.disk}-lost")
        try:
            place.rename(aside)
            place.touch()
            yield Proof({"is a directory": place.is_dir()})
        finally:
            if aside.exists():
                place.unlink(missing_ok=True)
                aside.rename(place)
