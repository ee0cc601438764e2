"""Where clusters live while they run: a directory that is gone afterwards, also after a crash."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NAME = re.compile(r"highwater-(\d+)-[\w-]+")


@contextmanager
def workshop() -> Iterator[Path]:
    """A temporary directory that carries our process id; those of the dead are swept first."""
    sweep()
    with tempfile.TemporaryDirectory(prefix=f"highwater-{os.getpid()}-") as directory:
        yield Path(directory)


def sweep() -> list[Path]:
    """Remove the workshops of processes that are no more; returns what was removed."""
    found = [each for each in Path(tempfile.gettempdir()).glob("highwater-*-*") if _dead(each)]
    for directory in found:
        shutil.rmtree(directory, ignore_errors=True)
    return found


def _dead(directory: Path) -> bool:
    match = NAME.fullmatch(directory.name)
    return match is not None and not Path(f"/proc/{match.group(1)}").exists()
