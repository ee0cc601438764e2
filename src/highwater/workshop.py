"""Where clusters live while they run: a directory that is gone afterwards, also after a crash."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from highwater.harness.leases import Lease, sweep


@contextmanager
def workshop() -> Iterator[Path]:
    """A temporary directory for as long as we live; those of the dead are swept first."""
    sweep()
    with Lease() as lease:
        yield lease.directory
