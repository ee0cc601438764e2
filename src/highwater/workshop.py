"""Where clusters live while they run, which is gone afterwards, and where results go by default."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from highwater.harness.errors import UsageError
from highwater.harness.leases import Lease, sweep
from highwater.harness.record.place import PARTIAL

RESULTS = frozenset({"compare.json", "bisect.json", "runs", "search.json"})  # of any command
PROBE = ".writable"  # there for a moment, to see whether anything can be


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


def directory_of(out: Path | None, *, used: bool) -> Path:
    """Where the results go; raises UsageError when it cannot be written or is not empty.

    With `used` it may be one that holds results.
    """
    directory = out or results_of_now()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        _refuse_contents(directory, used=used)
        probe = directory / PROBE
        probe.touch()
        probe.unlink(missing_ok=True)  # a shard beside us may have been quicker
    except OSError as error:
        raise UsageError(f"cannot write to {directory}: {error}") from error
    return directory


def contents(directory: Path) -> set[str]:
    """Names in it, without what is there for a moment while somebody else begins beside us."""
    names = {path.name for path in directory.iterdir()} - {PROBE}
    return {each for each in names if not (each.startswith(".") and each.endswith(PARTIAL))}


def _refuse_contents(directory: Path, *, used: bool) -> None:
    """Raises UsageError for what nothing may be written beside."""
    held = contents(directory)
    if held & RESULTS:
        if not used:
            raise UsageError(
                f"{directory} already holds results; choose another --out, or go on with --resume"
            )
    elif held:
        nothing = ", and nothing to resume" if used else ""
        raise UsageError(
            f"{directory} is not empty: it holds {min(held)}{nothing}; choose another --out"
        )
