"""Keeps what Spark's JVM has loaded for the next one: half of its start is loading classes.

Java's class-data sharing, as for brokers. A JVM that finds no archive writes one at its orderly
end; from then on every JVM of the same Java and the same Spark maps it.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from highwater.harness.jvm.java import Java
from highwater.harness.jvm.runtime import dumping, sharing
from highwater.harness.versions.cache import cache_dir

QUIET = ("-Xlog:cds=off", "-Xlog:cds+dynamic=off")  # what cannot be shared is loaded, that is all


class ClassArchive:
    """The archive of one Java and one installation of Spark, for one JVM to use or to write."""

    def __init__(self, java: Java, spark: Path) -> None:
        jars = sorted(map(str, (spark / "jars").glob("*.jar")))
        digest = hashlib.sha256("\n".join([java.path, java.description, *jars]).encode())
        self._path = cache_dir() / "archives" / f"spark-{digest.hexdigest()[:16]}.jsa"
        self._dumped = self._path.with_suffix(f".{os.getpid()}.partial")

    def options(self) -> tuple[str, ...]:
        """For the JVM's command line; none where nothing can be kept."""
        if self._path.exists():
            return (*sharing(self._path), *QUIET)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._forget_dead()
        except OSError:
            return ()
        return (*dumping(self._dumped), *QUIET)

    def keep(self) -> None:
        """When the JVM has ended: what it has written is for the next one."""
        if self._dumped.exists():
            self._dumped.replace(self._path)

    def _forget_dead(self) -> None:
        """What killed harnesses have left may be half an archive."""
        for partial in self._path.parent.glob(f"{self._path.stem}.*.partial"):
            if not Path("/proc", partial.name.split(".")[-2]).exists():
                partial.unlink(missing_ok=True)
