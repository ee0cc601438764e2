"""How many clusters may run at once on this machine, and who of several processes has to wait."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from filelock import FileLock, Timeout

from highwater.harness.wait import wait_until

CLUSTER_MIB = 1024  # three small brokers, their metadata store, Spark beside them
LONGEST_WAIT_S = 7200.0  # a test of somebody else's may take its time, and several may come first
OF_A_GROUP = Path("/sys/fs/cgroup")


def available_mib(meminfo: Path = Path("/proc/meminfo"), group: Path = OF_A_GROUP) -> int:
    """Memory that is to be had: of this machine, or of the container that we are in."""
    lines = meminfo.read_text(encoding="utf-8").splitlines()
    line = next(line for line in lines if line.startswith("MemAvailable"))
    mib = int(line.split()[1]) // 1024
    try:
        most, used = (
            (group / name).read_text().strip() for name in ("memory.max", "memory.current")
        )
    except OSError:  # no such group: the machine's is all there is to know
        return mib
    return min(mib, (int(most) - int(used)) // 2**20) if most.isdigit() else mib


def places_for(mib: int) -> int:
    """How many clusters that is enough for: one in any case, which `highwater doctor` is about."""
    return max(1, mib // CLUSTER_MIB)


@dataclass(slots=True)
class Room:
    """Places for clusters that processes share by the locks in a directory.

    A lock goes with the process that holds it, however it ends.
    """

    directory: Path
    places: int
    _held: FileLock | None = field(default=None, init=False)

    def take(self) -> float:
        """Wait until there is a place, unless we have one; says how many seconds that took.

        Raises DeadlineError when others keep all of them for hours.
        """
        if self._held is not None or self._took():
            return 0.0
        began_s = time.monotonic()
        what = f"one of {self.places} places for a cluster (others have them)"
        wait_until(self._took, what, LONGEST_WAIT_S)
        return time.monotonic() - began_s

    def give(self) -> None:
        """Leave the place to others, if we have one."""
        held, self._held = self._held, None
        if held is not None:
            held.release()

    def _took(self) -> bool:
        for number in range(1, self.places + 1):
            lock = FileLock(self.directory / f"place-{number}.lock", thread_local=False)
            try:
                lock.acquire(timeout=0)
            except Timeout:
                continue
            self._held = lock
            return True
        return False
