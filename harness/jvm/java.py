"""Finds the Java that runs the brokers."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from dataclasses import dataclass

from highwater.harness.errors import InfrastructureError

OLDEST = 17  # Kafka 4.x and Spark 4.x need it; 0.10 to 3.9 run on it as well


@dataclass(frozen=True, slots=True)
class Java:
    path: str
    release: int
    description: str  # the line of `java -version` that names it


@functools.cache
def find_java() -> Java:
    """The java of JAVA_HOME, or the first one on PATH.

    Raises InfrastructureError when there is none or it is older than 17.
    """
    home = os.environ.get("JAVA_HOME")
    named = os.path.join(home, "bin", "java") if home else "java"  # noqa: PTH118 - may be a bare name
    path = shutil.which(named)
    if path is None:
        where = f"JAVA_HOME is {home}, which has no bin/java" if home else "none is on PATH"
        raise InfrastructureError(f"no Java found: {where}; install Java {OLDEST} or newer")
    path = os.path.abspath(path)  # noqa: PTH100 - brokers run in directories of their own
    shown = _version_shown_by(path)
    match = re.search(r'^.*version "(\d+)(?:\.(\d+))?.*$', shown, re.MULTILINE)
    if match is None:
        raise InfrastructureError(f"{path} -version said {shown[:200]!r}; expected a version")
    major = int(match.group(1))
    release = int(match.group(2) or 0) if major == 1 else major
    if release < OLDEST:
        raise InfrastructureError(
            f"{path} is Java {release}; expected {OLDEST} or newer. "
            "Point JAVA_HOME at one, or put it first on PATH"
        )
    return Java(path, release, match.group())


def _version_shown_by(path: str) -> str:
    try:
        done = subprocess.run(
            [path, "-version"], capture_output=True, text=True, check=False, env=os.environ.copy()
        )
    except OSError as error:
        raise InfrastructureError(f"{path} does not run: {error}") from error
    return done.stderr
