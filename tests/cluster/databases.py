"""PostgreSQL of Debian's packages, in a directory of its own; no network, and no other database."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from highwater.harness.wait import wait_until

INSTALLED = Path("/usr/lib/postgresql")
SWIFT = ["-c", "fsync=off", "-c", "listen_addresses="]


@contextmanager
def postgres() -> Generator[Path]:
    """The directory of its socket; where there is none the test is skipped, or fails if required.

    It refuses to run as root: then it runs as the user that its package has made.
    """
    programs = sorted(INSTALLED.glob("*/bin"), key=lambda each: float(each.parent.name))
    if not programs:
        if "postgresql" in os.environ.get("HIGHWATER_REQUIRE", "").split(","):
            pytest.fail(f"HIGHWATER_REQUIRE names postgresql, and there is none in {INSTALLED}")
        pytest.skip(f"no PostgreSQL in {INSTALLED}: apt-get install postgresql")
    user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    place = Path(tempfile.mkdtemp(prefix="hw-pg-"))
    try:
        if os.geteuid() == 0:
            shutil.chown(place, user)
        data, bin_ = place / "data", programs[-1]
        made: list[str | Path] = [
            bin_ / "initdb",
            "-D",
            data,
            "-U",
            "postgres",
            "-A",
            "trust",
            "--no-sync",
        ]
        subprocess.run(made, check=True, capture_output=True, user=user, cwd=place)
        with (place.parent / f"{place.name}.log").open("wb") as log:
            line: list[str | Path] = [bin_ / "postgres", "-D", data, "-k", place, *SWIFT]
            with subprocess.Popen(line, stdout=log, stderr=log, user=user, cwd=place) as server:
                try:
                    what = "PostgreSQL to answer"
                    wait_until(lambda: told(place, "SELECT 1") == ["1"], what, look=log.name)
                    yield place
                finally:
                    server.send_signal(signal.SIGINT)  # a fast shutdown
                    server.wait(30)
    finally:
        shutil.rmtree(place)
        (place.parent / f"{place.name}.log").unlink(missing_ok=True)


def told(place: Path, statement: str) -> list[str]:
    """The rows that a statement gives, of one column; raises LookupError where it fails."""
    line = ["psql", "-h", str(place), "-U", "postgres", "-qAtX", "-c", statement]
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=30)
    if done.returncode:
        raise LookupError(done.stderr)
    return done.stdout.splitlines()
