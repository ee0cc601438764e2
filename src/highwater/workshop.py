"""Where clusters live while they run, which is gone afterwards, and where results go by default."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from highwater.harness.leases import Lease, sweep


@contextmanager
def workshop() -> Iterator[Path]:
    """A temporary directory for as long as we live; those of the dead are swept first."""
    sweep()
    with Lease() as lease:
        yield lease.directory


def results_of_now(kind: str = "") -> Path:
    """A directory below this one, named after the time: for results that nobody gave a place."""
    stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    return Path("highwater-runs") / f"{kind}{stamp}"
